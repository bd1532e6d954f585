package fuzz_test

import (
	"math"
	"unsafe"

	"blockfp8/fuzz"
	"blockfp8/ref"
	"blockfp8/scale"
)

// mutant is a wrong kernel: it multiplies rightly, but with something changed.
type mutant struct {
	name   string
	by     []string // the properties that must see it; nil means bits
	right  fast
	inside func(m *mutation) // changes the operands or the recipe before the multiplication
	after  func(m *mutation) // changes the result
	calls  int
}

// mutation is one multiplication of a mutant.
type mutation struct {
	dst    ref.Matrix
	a, b   ref.Operand
	r      ref.Recipe
	output scale.Format
	calls  int // so far
}

func (m *mutant) Limits() fuzz.Limits { return m.right.Limits() }

func (m *mutant) Recipe(a, b ref.Operand, output scale.Format) (ref.Recipe, error) {
	return m.right.Recipe(a, b, output)
}

func (m *mutant) Multiply(dst ref.Matrix, a, b ref.Operand, output scale.Format) error {
	if err := m.right.Multiply(dst, a, b, output); err != nil {
		return err // what the right one refuses is no difference
	}
	r, err := m.Recipe(a, b, output)
	if err != nil {
		return err
	}
	m.calls++
	now := &mutation{dst: dst, a: a, b: b, r: r, output: output, calls: m.calls}
	if m.inside != nil {
		m.inside(now)
		if err := ref.MatMul(dst, now.a, now.b, now.r); err != nil {
			return err
		}
	}
	if m.after != nil {
		m.after(now)
	}
	return nil
}

// eachOutput changes the elements of the result.
func eachOutput(change func(v float32) float32) func(*mutation) {
	return func(m *mutation) {
		for row := range m.dst.Rows {
			for n, v := range m.dst.Row(row) {
				m.dst.Row(row)[n] = m.output.Round(float64(change(v)))
			}
		}
	}
}

// withScales is o with the scales that a function gives for each block.
func withScales(o ref.Operand, scaleOf func(g scale.Grid, i, j int) float32) ref.Operand {
	l := o.Grid().Layout()
	dense := scale.Layout{
		Rows: l.Rows, Cols: l.Cols, BlockRows: l.BlockRows, BlockCols: l.BlockCols, RowOffset: l.RowOffset,
		RowStride: max(1, l.GridCols()), ColStride: 1,
	}
	values, codes := make([]float32, dense.Len()), make([]scale.E8M0, dense.Len())
	for i := range l.GridRows() {
		for j := range l.GridCols() {
			v := scaleOf(o.Grid(), i, j)
			values[dense.Index(i, j)] = v
			codes[dense.Index(i, j)] = scale.EncodeE8M0(float64(v), scale.RoundFloor, scale.OverflowNaN)
		}
	}
	grid := must(scale.NewE8M0Grid(dense, codes))
	if !o.Grid().IsE8M0() {
		grid = must(scale.NewFP32Grid(dense, values))
	}
	storage, stride := o.Codes()
	return must(ref.NewOperand(storage, stride, grid))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// scalesOfB is a mutant that takes B's scales from elsewhere.
func scalesOfB(scaleOf func(g scale.Grid, i, j int) float32) func(*mutation) {
	return func(m *mutation) { m.b = withScales(m.b, scaleOf) }
}

// withCodes is o with codes changed.
func withCodes(o ref.Operand, change func(row, k int, c scale.E4M3) scale.E4M3) ref.Operand {
	codes := make([]scale.E4M3, o.Rows()*o.K())
	for row := range o.Rows() {
		for k, c := range o.Row(row) {
			codes[row*o.K()+k] = change(row, k, c)
		}
	}
	return must(ref.NewOperand(codes, max(1, o.K()), o.Grid()))
}

// datapath is a mutant with another arithmetic.
func datapath(change func(d *ref.Datapath)) func(*mutation) {
	return func(m *mutation) { change(&m.r.Datapath) }
}

// tiny reports a number that flush-to-zero takes away.
func tiny(v float32) bool { return v != 0 && math.Abs(float64(v)) < 0x1p-126 }

func flushed(v float32) float32 {
	if tiny(v) {
		return float32(math.Copysign(0, float64(v)))
	}
	return v
}

// sm120 and the others are right kernels that mutants are made of.
var (
	sm120 = fast{recipe: mma(ref.SM120)}
	sm89  = fast{recipe: mma(ref.SM89)}
	mx    = fast{
		recipe: func(_ int, output scale.Format) ref.Recipe { return ref.UE8M0MX(output) },
		limits: fuzz.Limits{ScalesA: fuzz.E8M0Scales, ScalesB: fuzz.E8M0Scales},
	}
)

// mutants are the faults of cases_test.go and of everyday kernels.
func mutants() []*mutant {
	return []*mutant{
		{name: "zero output", by: []string{"bits", "bound"}, right: sm120, after: eachOutput(func(float32) float32 { return 0 })},
		{name: "negated", by: []string{"bits", "bound"}, right: sm120, after: eachOutput(func(v float32) float32 { return -v })},
		{name: "gain of 1.05", by: []string{"bits", "bound"}, right: sm120, after: eachOutput(func(v float32) float32 { return float32(v * 1.05) })},
		{name: "last scale dropped", by: []string{"bits", "doubling"}, right: sm120, inside: scalesOfB(func(g scale.Grid, i, j int) float32 {
			if j > 0 && j == g.Layout().GridCols()-1 {
				return 1
			}
			return g.At(i, j)
		})},
		{name: "grid transposed", by: []string{"bits", "bound"}, right: sm120, inside: scalesOfB(func(g scale.Grid, i, j int) float32 {
			if l := g.Layout(); i < l.GridCols() && j < l.GridRows() {
				return g.At(j, i)
			}
			return g.At(i, j)
		})},
		{name: "off by one block of K", by: []string{"bits", "doubling"}, right: sm120, inside: scalesOfB(func(g scale.Grid, i, j int) float32 {
			return g.At(i, min(j+1, g.Layout().GridCols()-1))
		})},
		{name: "off by one block of N", by: []string{"bits", "order"}, right: sm120, inside: scalesOfB(func(g scale.Grid, i, j int) float32 {
			return g.At(min(i+1, g.Layout().GridRows()-1), j)
		})},
		{name: "row offset ignored", by: []string{"bits", "shards"}, right: sm120, inside: ignoreOffset},
		{name: "shift upcast", by: []string{"bits", "scale-types"}, right: sm120, inside: func(m *mutation) {
			m.a, m.b = shiftUpcast(m.a), shiftUpcast(m.b)
		}},
		{name: "results flushed to zero", by: []string{"bits", "every-scale"}, right: sm120, after: eachOutput(flushed)},
		{name: "scales flushed to zero", by: []string{"bits", "every-scale"}, right: sm120, inside: func(m *mutation) {
			flush := func(g scale.Grid, i, j int) float32 { return flushed(g.At(i, j)) }
			m.a, m.b = withFP32Scales(m.a, flush), withFP32Scales(m.b, flush)
		}},
		{name: "product of scales first", by: []string{"bits", "bound"}, right: sm120, inside: func(m *mutation) { m.r.Scaling = ref.ProductFirst }},
		{name: "unfused", right: sm120, inside: func(m *mutation) { m.r.Scaling = ref.ActThenWeightUnfused }},
		{name: "F-1 of 25", right: sm120, inside: datapath(func(d *ref.Datapath) { d.FractionBits-- })},
		{name: "F+1 of 25", right: sm120, inside: datapath(func(d *ref.Datapath) { d.FractionBits++ })},
		{name: "F-1 of 25, scales inside", right: mx, inside: datapath(func(d *ref.Datapath) { d.FractionBits-- })},
		{name: "F+1 of 25, scales inside", right: mx, inside: datapath(func(d *ref.Datapath) { d.FractionBits++ })},
		{name: "F-1 of 13", right: sm89, inside: datapath(func(d *ref.Datapath) { d.FractionBits-- })},
		{name: "F+1 of 13", right: sm89, inside: datapath(func(d *ref.Datapath) { d.FractionBits++ })},
		{name: "F-1 of Hopper's mma", right: fast{recipe: mma(ref.SM90MMA)}, inside: datapath(func(d *ref.Datapath) { d.FractionBits-- })},
		{name: "F+1 of Hopper's mma", right: fast{recipe: mma(ref.SM90MMA)}, inside: datapath(func(d *ref.Datapath) { d.FractionBits++ })},
		{name: "one group for two", right: sm89, inside: datapath(func(d *ref.Datapath) { d.Grouping = ref.OneGroup })},
		{name: "c added first", right: fast{recipe: mma(ref.SM90MMA)}, inside: datapath(func(d *ref.Datapath) { d.AddsCLast = false })},
		{name: "subnormals normalised", right: sm89, inside: datapath(func(d *ref.Datapath) { d.NormalizesSubnormals = true })},
		{name: "exact sums", right: sm120, inside: func(m *mutation) { m.r = ref.Exact(m.output) }},
		{name: "K tail missing", by: []string{"bits", "every-product"}, right: sm120, inside: func(m *mutation) { m.skipCodes(func(k, last int) bool { return k >= last-last%32 }) }},
		{name: "last code of K missing", right: sm120, inside: func(m *mutation) { m.skipCodes(func(k, last int) bool { return last > 1 && k == last-1 }) }},
		{name: "row wrap", by: []string{"bits", "batch"}, right: sm120, after: rowWrap},
		{name: "guard word written", right: sm120, after: func(m *mutation) {
			if end := len(m.dst.Data); m.dst.Cols%32 != 0 && end > 0 && cap(m.dst.Data) > end {
				m.dst.Data[:end+1][end] = 0
			}
		}},
		{name: "stale cache by address", by: []string{"memory"}, right: sm120, inside: staleCache()},
		{name: "sum depends on M", by: []string{"bits", "batch"}, right: sm120, inside: func(m *mutation) {
			if m.a.Rows() >= 16 {
				m.r.Splits = 2
			}
		}},
		{name: "NaN times zero is zero", by: []string{"bits", "shards"}, right: sm120, inside: dropNaN},
		{name: "result truncated", by: []string{"bits", "bound"}, right: sm120, inside: func(m *mutation) { m.r.Output = scale.Float32 }, after: func(m *mutation) {
			for row := range m.dst.Rows {
				for n, v := range m.dst.Row(row) {
					m.dst.Row(row)[n] = truncated(v, m.output)
				}
			}
		}},
		{name: "scales of A by row 0", by: []string{"bits", "order"}, right: sm120, inside: func(m *mutation) {
			m.a = withScales(m.a, func(g scale.Grid, _, j int) float32 { return g.At(0, j) })
		}},
		{name: "scales rounded to powers of two", by: []string{"bits", "scale-types"}, right: sm120, inside: scalesOfB(func(g scale.Grid, i, j int) float32 {
			return math.Float32frombits(math.Float32bits(g.At(i, j)) &^ 0x7FFFFF)
		})},
		{name: "one element of a large tile", by: []string{"bits", "batch"}, right: sm120, after: func(m *mutation) {
			if m.dst.Rows > 64 && m.dst.Cols > 2 {
				m.dst.Row(64)[2] = m.output.Round(float64(m.dst.Row(64)[2]) * 1.5)
			}
		}},
		{name: "padding of codes read", by: []string{"bits", "padding"}, right: sm120, inside: readPadding},
		{name: "every 97th call is wrong", by: []string{"bits", "repeats"}, right: sm120, after: func(m *mutation) {
			if m.calls%97 == 0 && len(m.dst.Data) > 0 {
				m.dst.Data[0] = 3
			}
		}},
		{name: "writes to its operand", right: sm120, after: func(m *mutation) {
			if codes, _ := m.a.Codes(); len(codes) > 0 {
				codes[0] ^= 0x80
			}
		}},
	}
}

func ignoreOffset(m *mutation) {
	l := m.b.Grid().Layout()
	m.b = withScales(m.b, func(g scale.Grid, i, j int) float32 { return g.At(i, j) })
	d := m.b.Grid().Layout()
	d.RowOffset = 0
	var g scale.Grid
	if l.GridRows() == 0 {
		return
	}
	if m.b.Grid().IsE8M0() {
		g = must(scale.NewE8M0Grid(d, m.b.Grid().Codes()))
	} else {
		g = must(scale.NewFP32Grid(d, m.b.Grid().Values()))
	}
	codes, stride := m.b.Codes()
	m.b = must(ref.NewOperand(codes, stride, g))
}

func shiftUpcast(o ref.Operand) ref.Operand {
	codes, stride := o.Codes()
	return must(ref.NewOperand(codes, stride, must(o.Grid().ToFP32(scale.Shift))))
}

// withFP32Scales is withScales for values that E8M0 does not have.
func withFP32Scales(o ref.Operand, scaleOf func(g scale.Grid, i, j int) float32) ref.Operand {
	codes, stride := o.Codes()
	o = must(ref.NewOperand(codes, stride, must(o.Grid().ToFP32(scale.OCP))))
	return withScales(o, scaleOf)
}

// skipCodes makes codes of A zero.
func (m *mutation) skipCodes(skips func(k, last int) bool) {
	m.a = withCodes(m.a, func(_, k int, c scale.E4M3) scale.E4M3 {
		if skips(k, m.a.K()) {
			return 0
		}
		return c
	})
}

// rowWrap is a store without a mask for columns: the last tile of a row spills into
// the beginning of the next.
func rowWrap(m *mutation) {
	for row := 1; row < m.dst.Rows; row++ {
		if spill := -m.dst.Cols & 7; spill > 0 && m.dst.Stride == m.dst.Cols {
			clear(m.dst.Row(row)[:min(spill, m.dst.Cols)])
		}
	}
}

// staleCache keeps the scales of the last weight by its address.
func staleCache() func(*mutation) {
	var last *scale.E4M3
	var layout scale.Layout
	var cached scale.Grid
	return func(m *mutation) {
		codes, stride := m.b.Codes()
		if len(codes) == 0 {
			return
		}
		if last != unsafe.SliceData(codes) || layout != m.b.Grid().Layout() {
			copied := withScales(m.b, func(g scale.Grid, i, j int) float32 { return g.At(i, j) })
			last, layout, cached = unsafe.SliceData(codes), m.b.Grid().Layout(), copied.Grid()
		}
		m.b = must(ref.NewOperand(codes, stride, cached))
	}
}

// dropNaN skips products with a zero, as sparse kernels do.
func dropNaN(m *mutation) {
	m.a = withCodes(m.a, func(row, k int, c scale.E4M3) scale.E4M3 {
		if !c.IsNaN() {
			return c
		}
		for n := range m.b.Rows() {
			if m.b.Row(n)[k]&0x7F != 0 {
				return c
			}
		}
		return 0
	})
}

// truncated is v cut to a format toward zero.
func truncated(v float32, f scale.Format) float32 {
	w := f.Round(float64(v))
	if f == scale.BFloat16 && v == v {
		return math.Float32frombits(math.Float32bits(v) &^ 0xFFFF)
	}
	return w
}

// readPadding reads up to the next multiple of 16 codes of A's last row but one.
func readPadding(m *mutation) {
	codes, stride := m.a.Codes()
	k := m.a.K()
	if k == 0 || stride == k {
		return
	}
	m.a = withCodes(m.a, func(row, at int, c scale.E4M3) scale.E4M3 {
		if beside := codes[min(row*stride+k, len(codes)-1)]; at == 0 && row == 0 && k%16 != 0 {
			return beside
		}
		return c
	})
}
