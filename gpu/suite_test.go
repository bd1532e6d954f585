package gpu

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// elements is how many outputs the comparison with the oracle covers at least.
var elements = flag.Int("elements", 200_000, "outputs to compare with the oracle")

// seed makes the comparison's problems other ones.
var seed = flag.Uint64("seed", 1, "seed of the problems to compare with the oracle")

// kernel restricts the comparison to one form.
var kernel = flag.String("kernel", "", "the only form to compare with the oracle")

func closeTest(t testing.TB, d *Device) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// nature is what the numbers of an operand are like.
type nature int

const (
	ordinary     nature = iota // any finite code, scales near 1
	everyCode                  // any code, NaN too
	extremeScale               // 0x00, 0xFE and NaN scales among others
	zeroRows                   // rows of zeros of both signs
	cancelling                 // sums that nearly cancel
	distinct                   // ones, and a power of two of its own for every block
	natures
)

// shape of an operand of a test. Padding is poisoned.
type operandShape struct {
	rows, cols           int
	blockRows, blockCols int
	rowOffset            int
	padding              int // codes between rows
	e8m0                 bool
}

func makeOperand(t testing.TB, r *rand.Rand, s operandShape, n nature) ref.Operand {
	t.Helper()
	l := scale.RowMajor(s.rows, s.cols, s.blockRows, s.blockCols)
	l.RowOffset = s.rowOffset
	stride := max(1, s.cols+s.padding)
	codes := make([]scale.E4M3, s.rows*stride)
	for i := range codes {
		codes[i] = scale.NaNE4M3
	}
	for row := range s.rows {
		fillRow(r, codes[row*stride:row*stride+s.cols], n, row)
	}
	var grid scale.Grid
	var err error
	if s.e8m0 {
		e := make([]scale.E8M0, l.Len())
		for i := range e {
			e[i] = makeScale(r, n, i)
		}
		grid, err = scale.NewE8M0Grid(l, e)
	} else {
		f := make([]float32, l.Len())
		for i := range f {
			f[i] = makeScale(r, n, i).Float32() * (1 + r.Float32())
		}
		grid, err = scale.NewFP32Grid(l, f)
	}
	noError(t, err)
	o, err := ref.NewOperand(codes, stride, grid)
	noError(t, err)
	return o
}

func fillRow(r *rand.Rand, row []scale.E4M3, n nature, i int) {
	for k := range row {
		c := scale.E4M3(r.Uint32())
		switch {
		case n == everyCode && r.IntN(64) != 0, n == distinct:
			// Most codes of everyCode are finite, or all would be NaN.
			if n == distinct {
				c = 0x38
			} else if c.IsNaN() {
				c = 0x7E
			}
		case n == zeroRows && i%3 == 0:
			c &= 0x80
		case n == cancelling && k%2 == 1:
			c = row[k-1] ^ 0x80
			if r.IntN(8) == 0 {
				c ^= 1
			}
			if c.IsNaN() {
				c &^= 1
			}
		case n != everyCode && c.IsNaN():
			c = 0
		}
		row[k] = c
	}
}

func makeScale(r *rand.Rand, n nature, i int) scale.E8M0 {
	switch n {
	case extremeScale:
		return [...]scale.E8M0{0x00, 0x01, 0x7F, 0xFE, 0xFF, 0x34, 0x40, 0xC0, 0x80, 0x7E}[r.IntN(10)]
	case distinct:
		return scale.E8M0(0x70 + i%31)
	}
	return scale.E8M0(0x7F - 6 + r.IntN(13))
}

// onDevice is activations and the place of a result in device memory.
type onDevice struct {
	call   Call
	result *Buffer
	rows   int
	cols   int
	before []byte
}

func (d *Device) testBuffer(t testing.TB, s *Stream, b []byte) *Buffer {
	t.Helper()
	buf := must(d.NewBuffer(int64(len(b))))(t)
	noError(t, buf.Write(s, 0, b))
	return buf
}

const guardElements = 5 // around and between the rows of C

// place copies activations and room for a result to the device. a's blocks have
// one row.
func place(t testing.TB, d *Device, s *Stream, a ref.Operand, n int, f scale.Format, bias []float32) *onDevice {
	t.Helper()
	codes, stride := a.Codes()
	grid := a.Grid()
	o := &onDevice{rows: a.Rows(), cols: n}
	o.call = Call{M: a.Rows(), A: Activations{Data: Region{Buffer: d.testBuffer(t, s, bytesOf(codes))}, Stride: stride}}
	o.call.A.ScaleRow, o.call.A.ScaleCol = grid.Layout().RowStride, grid.Layout().ColStride
	if grid.IsE8M0() {
		o.call.A.Input = E8M0Input
		o.call.A.Scales.Buffer = d.testBuffer(t, s, bytesOf(grid.Codes()))
	} else {
		o.call.A.Scales.Buffer = d.testBuffer(t, s, bytesOf(grid.Values()))
	}
	if bias != nil {
		o.call.Bias.Buffer = d.testBuffer(t, s, bytesOf(bias))
	}
	o.setFormat(t, d, s, f)
	return o
}

// setFormat makes fresh room for a result.
func (o *onDevice) setFormat(t testing.TB, d *Device, s *Stream, f scale.Format) {
	t.Helper()
	if o.result != nil {
		noError(t, o.result.Close())
	}
	size := f.Width() / 8
	stride := o.cols + guardElements
	o.before = make([]byte, size*(guardElements+o.rows*stride))
	for i := range o.before {
		o.before[i] = byte(i*37 + 11)
	}
	o.result = d.testBuffer(t, s, o.before)
	o.call.C = Result{Format: f, Data: Region{Buffer: o.result, Offset: int64(size * guardElements)}, Stride: stride}
}

// reserve gives the call the workspace that it needs.
func (o *onDevice) reserve(t testing.TB, d *Device, w *Weight) {
	t.Helper()
	p := must(w.Plan(o.call.M, o.call.A.Input, o.call.C.Format))(t)
	o.call.Workspace = Region{Buffer: must(d.NewBuffer(p.Workspace))(t)}
}

// read returns the result and checks that nothing around it was written.
func (o *onDevice) read(t testing.TB, s *Stream) ref.Matrix {
	t.Helper()
	raw := make([]byte, len(o.before))
	noError(t, o.result.Read(s, raw, 0))
	f := o.call.C.Format
	size := f.Width() / 8
	c := ref.NewMatrix(o.rows, o.cols)
	stride := o.cols + guardElements
	for i := range len(raw) / size {
		at := i - guardElements
		b := raw[i*size : (i+1)*size]
		if at >= 0 && at/stride < o.rows && at%stride < o.cols {
			c.Row(at / stride)[at%stride] = number(b, f)
		} else if string(b) != string(o.before[i*size:(i+1)*size]) {
			t.Fatalf("element %d beside the result was written", at)
		}
	}
	return c
}

func (o *onDevice) close(t testing.TB) {
	t.Helper()
	for _, r := range o.call.regions() {
		if r.Buffer != nil {
			noError(t, r.Buffer.Close())
		}
	}
}

func number(b []byte, f scale.Format) float32 {
	switch f {
	case scale.BFloat16:
		return scale.BF16(binary.LittleEndian.Uint16(b)).Float32()
	case scale.Float16:
		return scale.FP16(binary.LittleEndian.Uint16(b)).Float32()
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}

// oracle is what a weight's recipe gives, with an optional bias.
func oracle(t testing.TB, w *Weight, a, b ref.Operand, f scale.Format, bias []float32) ref.Matrix {
	t.Helper()
	recipe := must(w.Recipe(scale.Float32))(t)
	c := ref.NewMatrix(a.Rows(), b.Rows())
	noError(t, ref.MatMul(c, a, b, recipe))
	for m := range c.Rows {
		for n, v := range c.Row(m) {
			if bias != nil {
				v += bias[n]
			}
			c.Row(m)[n] = f.Round(float64(v))
		}
	}
	return c
}

func sameBits(t testing.TB, got, want ref.Matrix, f scale.Format, what string) {
	t.Helper()
	report, err := ref.Compare(got, want, f)
	noError(t, err)
	if !report.Equal() {
		t.Fatalf("%s: %v", what, report)
	}
}

// TestBits compares every form with the oracle over random shapes and operands of
// every nature until enough outputs were compared.
func TestBits(t *testing.T) { onDevices(t, checkBits) }

func checkBits(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(*seed, 2))
	compared, cases := 0, 0
	perForm := map[string]int{}
	want := *elements
	if testing.Short() {
		want = 0 // one case of every nature
	}
	for compared < want || cases < int(natures) {
		compared += compareForms(t, d, s, r, nature(cases%int(natures)), perForm)
		cases++
	}
	for _, f := range familiesOn(d) {
		for _, form := range formsOf(f) {
			if perForm[form.name] == 0 && cases > 100 && *kernel == "" {
				t.Errorf("%s was never compared", form.name)
			}
		}
	}
	t.Logf("%d outputs of %d forms equal to the oracle in %d cases on %s (%v)", compared, len(perForm), cases, d.Name(), d.Arch())
}

// familiesOn returns the families of float32 scales on a device, the plan's choice
// first.
func familiesOn(d *Device) []family {
	all := []family{Problem{}.family(d.Target())}
	if _, err := f32scaleMMA.datapath(d.Target()); err == nil && all[0] != f32scaleMMA {
		all = append(all, f32scaleMMA)
	}
	return all
}

// compareForms compares all forms of a family on one random problem and returns the number of
// outputs compared. Long comparisons have large problems among the others.
func compareForms(t *testing.T, d *Device, s *Stream, r *rand.Rand, n nature, perForm map[string]int) int {
	mostM, mostN, mostK := 130, 300, 700
	if *elements > 10_000_000 && r.IntN(4) == 0 {
		mostM, mostN, mostK = 600, 4000, 1500
	}
	blocks := [...][2]int{{128, 128}, {128, 128}, {32, 32}, {1, 128}, {64, 64}, {48, 96}, {128, 32}}[r.IntN(7)]
	b := operandShape{
		rows: 1 + r.IntN(mostN), cols: 1 + r.IntN(mostK), blockRows: blocks[0], blockCols: blocks[1],
		rowOffset: r.IntN(blocks[0]) * r.IntN(2), padding: r.IntN(20), e8m0: r.IntN(2) == 0,
	}
	a := operandShape{
		rows: 1 + r.IntN(mostM), cols: b.cols, blockRows: 1, blockCols: b.blockCols,
		padding: [...]int{0, 1, 4, 16 - b.cols%16, 16 - b.cols%16}[r.IntN(5)], e8m0: r.IntN(3) == 0,
	}
	options := WeightOptions{}
	if all := familiesOn(d); len(all) > 1 && r.IntN(2) == 0 {
		options.Kernel = families[all[1]].name + "_l1" // one that takes everything
	}
	return compareOn(t, d, s, r, a, b, n, options, perForm)
}

// compareOn compares the plan's choice, or the form that the options ask for, and all
// other forms of its family on operands of given shapes.
func compareOn(t *testing.T, d *Device, s *Stream, r *rand.Rand, as, bs operandShape, n nature, options WeightOptions, perForm map[string]int) int {
	t.Helper()
	a, b := makeOperand(t, r, as, n), makeOperand(t, r, bs, n)
	f := scale.Format(r.IntN(3))
	var bias []float32
	if r.IntN(4) == 0 {
		bias = make([]float32, bs.rows)
		for i := range bias {
			bias[i] = float32(r.NormFloat64())
		}
	}
	w := must(NewWeight(d, b, options))(t)
	want := oracle(t, w, a, b, f, bias)
	o := place(t, d, s, a, bs.rows, f, bias)
	o.reserve(t, d, w)
	compared := 0
	for i := -1; i < len(forms); i++ {
		w.options.Kernel = options.Kernel
		if i >= 0 {
			if forms[i].family != w.family {
				continue
			}
			w.options.Kernel = forms[i].name
		}
		if *kernel != "" && w.options.Kernel != *kernel {
			continue
		}
		if testing.Short() && !onHardware && i%8 != as.rows%8 {
			continue // the fake device runs all forms alike
		}
		problem := w.problem(as.rows, o.call.A.Input, f)
		problem.Unaligned = o.call.A.unaligned(problem)
		p, err := NewPlan(d.Target(), problem)
		if err != nil {
			continue // a form that does not take the shape
		}
		noError(t, o.result.Write(s, 0, o.before))
		noError(t, w.MatMul(s, o.call))
		sameBits(t, o.read(t, s), want, f, fmt.Sprintf("%s on %+v x %+v, nature %d, output %v", p.Kernel, as, bs, n, f))
		compared += as.rows * bs.rows
		perForm[p.Kernel] += as.rows * bs.rows
	}
	o.close(t)
	noError(t, w.Close())
	return compared
}

// TestTails goes through every number of rows and columns up to 130 against
// awkward partners.
func TestTails(t *testing.T) { onDevices(t, checkTails) }

func checkTails(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(3, 4))
	perForm := map[string]int{}
	step := 1
	switch {
	case testing.Short():
		step = 43
	case !onHardware:
		step = 13
	}
	compared := 0
	for size := 1; size <= 130; size += step {
		for _, shape := range [][3]int{{size, 33, 129}, {3, size, 160}, {5, 17, size}, {size, size, size}} {
			for _, block := range []int{128, 32} {
				bs := operandShape{rows: shape[1], cols: shape[2], blockRows: block, blockCols: block, e8m0: true, padding: size % 3}
				as := operandShape{rows: shape[0], cols: shape[2], blockRows: 1, blockCols: block, padding: size % 5}
				compared += compareOn(t, d, s, r, as, bs, nature(size%int(natures)), WeightOptions{}, perForm)
			}
		}
	}
	t.Logf("%d outputs equal to the oracle", compared)
}
