package fuzz_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"blockfp8/fuzz"
	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

// kernel is what the cases are put to.
type kernel struct {
	name string
	impl fuzz.Implementation
}

// allKernels are the oracle under every kind of recipe, and the kernels of package
// gpu on every chip that can be emulated.
func allKernels(t *testing.T) []kernel {
	t.Helper()
	kernels := oracles()
	for i := 0; i < len(chips); i += every(1, 3) {
		arch := chips[i]
		dev := emulate(t, arch)
		kernels = append(kernels, kernel{arch.String(), device{dev: dev}})
		if arch.Major == 12 {
			kernels = append(kernels, kernel{arch.String() + " mx", device{dev: dev, options: gpu.WeightOptions{E8M0Activations: true}}})
		}
	}
	return kernels
}

func oracles() (kernels []kernel) {
	add := func(recipe func(blockK int, output scale.Format) ref.Recipe) {
		kernels = append(kernels, kernel{recipe(128, scale.Float32).String(), fast{recipe: recipe}})
	}
	for _, d := range ref.Datapaths() {
		if d.TakesScales {
			add(func(_ int, output scale.Format) ref.Recipe { return ref.UE8M0MX(output) })
			continue
		}
		if d.Exact {
			add(func(_ int, output scale.Format) ref.Recipe { return ref.Exact(output) })
		}
		for _, s := range []ref.Scaling{ref.ActThenWeight, ref.ActThenWeightUnfused, ref.ProductFirst, ref.ProductFirstUnfused} {
			add(func(blockK int, output scale.Format) ref.Recipe {
				return ref.Recipe{Datapath: d, KPerPartial: blockK, Scaling: s, Output: output}
			})
		}
		add(func(_ int, output scale.Format) ref.Recipe { return ref.F32ScaleMMA(d, 32, output) })
	}
	some := kernels[:0]
	for i := 0; i < len(kernels); i += every(1, 5) {
		some = append(some, kernels[i])
	}
	return some
}

// isDevice reports whether the kernel is emulated: it takes its time.
func (k kernel) isDevice() bool {
	_, ok := k.impl.(device)
	return ok
}

// hold puts a problem, with E8M0 and with float32 scales, to kernels and expects
// literal bits of every element. Operands are padded with NaN, and C with guard words.
func hold(t *testing.T, kernels []kernel, p fuzz.Problem, want func(r ref.Recipe, m, n int) uint32) {
	t.Helper()
	asked := 0
	for _, k := range kernels {
		for _, q := range []fuzz.Problem{p, {A: asFP32(p.A), B: asFP32(p.B), Output: p.Output}} {
			if holdOne(t, k, q, want) {
				asked++
			}
		}
	}
	if asked < len(kernels) {
		t.Errorf("%v: only %d of %d kernels took it", p, asked, len(kernels))
	}
}

// holdOne is false for a kernel that is not made for the problem.
func holdOne(t *testing.T, k kernel, p fuzz.Problem, want func(r ref.Recipe, m, n int) uint32) bool {
	t.Helper()
	p.A.Placement = fuzz.Placement{CodePadding: 5, ScalePadding: 2, ScaleGap: 1}
	p.B.Placement = fuzz.Placement{CodePadding: 11, ScalePadding: 3, ColMajor: true}
	a, b, err := p.Operands()
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.impl.Recipe(a, b, p.Output)
	if err != nil || r.Check(a, b) != nil {
		return false
	}
	const guards, guard = 4, 0x7FEBCDEF // words after each row, and a NaN that nothing computes
	stride := p.B.Rows + guards
	c := ref.Matrix{Rows: p.A.Rows, Cols: p.B.Rows, Stride: stride, Data: make([]float32, p.A.Rows*stride)}
	for i := range c.Data {
		c.Data[i] = f32(guard)
	}
	err = k.impl.Multiply(c, a, b, p.Output)
	if errors.Is(err, fuzz.ErrUnsupported) || errors.Is(err, scale.ErrInexact) {
		return false
	}
	if err != nil {
		t.Fatalf("%s: %v: %v", k.name, p, err)
	}
	for i, v := range c.Data {
		m, n := i/stride, i%stride
		expected := uint32(guard)
		if n < c.Cols {
			expected = want(r, m, n)
		}
		if bits := math.Float32bits(v); bits != expected && !(n < c.Cols && isNaN32(bits) && isNaN32(expected)) {
			t.Fatalf("%s under %v: %v: C[%d,%d] is %08x (%g), want %08x (%g)", k.name, r, p, m, n, bits, v, expected, f32(expected))
		}
	}
	return true
}

// always expects the same bits of every element.
func always(bits uint32) func(ref.Recipe, int, int) uint32 {
	return func(ref.Recipe, int, int) uint32 { return bits }
}

func bitsOf(v int) uint32 { return math.Float32bits(float32(v)) }

// scalesFirst reports whether a recipe multiplies the scales in float32 before they
// meet the dot.
func scalesFirst(r ref.Recipe) bool {
	return r.Scaling == ref.ProductFirst || r.Scaling == ref.ProductFirstUnfused
}

// everywhere is a side full of one code, with E8M0 scales by block row.
func everywhere(code byte, rows, k, blockRows, blockCols int, scales ...fuzz.Hex) fuzz.Side {
	return sideOf(rows, k, blockRows, blockCols, func(int, int) byte { return code }, scales...)
}

func sideOf(rows, k, blockRows, blockCols int, code func(row, k int) byte, scales ...fuzz.Hex) fuzz.Side {
	s := fuzz.Side{Rows: rows, K: k, BlockRows: blockRows, BlockCols: blockCols, E8M0: scales, Codes: make([]fuzz.Hex, rows)}
	for row := range s.Codes {
		s.Codes[row] = make(fuzz.Hex, k)
		for i := range k {
			s.Codes[row][i] = code(row, i)
		}
	}
	return s
}

// repeated is n equal rows of scales.
func repeated(n int, scales ...byte) []fuzz.Hex {
	rows := make([]fuzz.Hex, n)
	for i := range rows {
		rows[i] = scales
	}
	return rows
}

// asFP32 is a side with the float32 values of its E8M0 scales.
func asFP32(s fuzz.Side) fuzz.Side {
	if s.FP32 != nil {
		return s
	}
	s.FP32 = make([][]fuzz.Bits, len(s.E8M0))
	for i, row := range s.E8M0 {
		for _, c := range row {
			s.FP32[i] = append(s.FP32[i], fuzz.Bits(math.Float32bits(scale.E8M0(c).Float32())))
		}
	}
	s.E8M0 = nil
	return s
}

func problem(a, b fuzz.Side) fuzz.Problem { return fuzz.Problem{A: a, B: b} }

// operand lays a side out in memory.
func operand(t *testing.T, s fuzz.Side) ref.Operand {
	t.Helper()
	o, _, err := problem(s, s).Operands()
	if err != nil {
		t.Fatal(fmt.Errorf("%v: %w", s, err))
	}
	return o
}
