package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// numbers are activations with all that quantisers treat specially.
func numbers(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
		switch r.IntN(400) {
		case 0:
			x[i] = float32(math.NaN())
		case 1:
			x[i] = float32(math.Inf(-1))
		case 2:
			x[i] = math.Float32frombits(r.Uint32() % 0x00800000)
		case 3, 4:
			x[i] = 0
		case 5:
			x[i] = math.MaxFloat32
		}
	}
	if n > 300 {
		clear(x[130:300])
	}
	return x
}

// convert rounds to an element type and gives back what the quantiser sees.
func convert[T Element](x []float32) (elements []T, seen []float32) {
	elements, seen = make([]T, len(x)), make([]float32, len(x))
	for i, v := range x {
		switch e := any(&elements[i]).(type) {
		case *float32:
			*e, seen[i] = v, v
		case *scale.BF16:
			*e = scale.BF16FromFloat32(v)
			seen[i] = e.Float32()
		case *scale.FP16:
			*e = scale.FP16FromFloat32(v)
			seen[i] = e.Float32()
		}
	}
	return elements, seen
}

// Host calls quantise with the bits of package scale, in every pair of types, with
// strides, padding, bias and groups.
func TestHostCalls(t *testing.T) { onDevices(t, checkHostCalls) }

func checkHostCalls(t *testing.T, d *Device) {
	hostCallsOf[float32, float32](t, d)
	hostCallsOf[scale.BF16, scale.BF16](t, d)
	hostCallsOf[scale.FP16, scale.FP16](t, d)
	hostCallsOf[float32, scale.BF16](t, d)
	hostCallsOf[scale.BF16, float32](t, d)
}

func hostCallsOf[C, A Element](t *testing.T, d *Device) {
	t.Helper()
	r := rand.New(rand.NewPCG(31, 32))
	for _, style := range []scale.ActivationStyle{scale.StyleVLLM, scale.StyleDeepSeek} {
		for _, shape := range []struct{ m, n, k, groups, block int }{
			{1, 130, 384, 1, 128}, {7, 33, 300, 1, 128}, {40, 64, 200, 1, 32}, {3, 40, 256, 4, 128}, {5, 17, 200, 3, 64},
		} {
			bs := operandShape{rows: shape.n, cols: shape.k, blockRows: shape.block, blockCols: shape.block, e8m0: true, padding: 2}
			var groups []ref.Operand
			for range shape.groups {
				groups = append(groups, makeOperand(t, r, bs, ordinary))
			}
			w := must(NewGroupedWeight(d, groups, WeightOptions{}))(t)
			cols := shape.groups * shape.k
			stride := cols + 3
			data, seen := convert[A](numbers(r, shape.m*stride))
			bias := make([]float32, shape.groups*shape.n)
			for i := range bias {
				bias[i] = float32(r.NormFloat64())
			}
			outStride := shape.groups*shape.n + 2
			dst := Matrix[C]{shape.m, shape.groups * shape.n, outStride, make([]C, shape.m*outStride)}
			noError(t, MatMul(dst, Matrix[A]{shape.m, cols, stride, data}, w, HostOptions{Style: style, Bias: bias}))
			format := formatOf[C]()
			for g, b := range groups {
				codes, grid, err := scale.QuantizeActivations(seen[g*shape.k:], shape.m, shape.k, stride, shape.block, style)
				noError(t, err)
				a := must(ref.NewOperand(codes, shape.k, grid))(t)
				want := oracle(t, w, a, b, format, bias[g*shape.n:(g+1)*shape.n])
				got := ref.NewMatrix(shape.m, shape.n)
				for i := range shape.m {
					_, values := widen(dst.row(i)[g*shape.n : (g+1)*shape.n])
					copy(got.Row(i), values)
				}
				sameBits(t, got, want, format, fmt.Sprintf("group %d of %+v, %v, %v", g, shape, style, format))
			}
			for i := range shape.m {
				for _, v := range dst.Data[i*outStride+dst.Cols : (i+1)*outStride] {
					if v != *new(C) {
						t.Fatal("memory between the rows was written")
					}
				}
			}
			noError(t, w.Close())
		}
	}
}

func widen[T Element](v []T) ([]T, []float32) {
	out := make([]float32, len(v))
	for i := range v {
		switch e := any(v[i]).(type) {
		case float32:
			out[i] = e
		case scale.BF16:
			out[i] = e.Float32()
		case scale.FP16:
			out[i] = e.Float32()
		}
	}
	return v, out
}

// Device calls quantise the same way.
func TestQuantisedDeviceCalls(t *testing.T) { onDevices(t, checkQuantisedDeviceCalls) }

func checkQuantisedDeviceCalls(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(33, 34))
	for _, style := range []scale.ActivationStyle{scale.StyleVLLM, scale.StyleDeepSeek} {
		for _, k := range []int{128, 300, 1025} {
			const m, n = 19, 50
			b := makeOperand(t, r, operandShape{rows: n, cols: k, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
			w := must(NewWeight(d, b, WeightOptions{}))(t)
			x := numbers(r, m*(k+1))
			codes, grid, err := scale.QuantizeActivations(x, m, k, k+1, 128, style)
			noError(t, err)
			a := must(ref.NewOperand(codes, k, grid))(t)
			o := place(t, d, s, a, n, scale.Float16, nil)
			o.call.A = Activations{Input: Float32Input, Data: Region{Buffer: d.testBuffer(t, s, bytesOf(x))}, Stride: k + 1, Style: style}
			o.reserve(t, d, w)
			noError(t, w.MatMul(s, o.call))
			sameBits(t, o.read(t, s), oracle(t, w, a, b, scale.Float16, nil), scale.Float16, fmt.Sprintf("K = %d, %v", k, style))
			noError(t, w.Close())
		}
	}
}

// Activations whose scales cover several rows or weight blocks are taken as they
// are.
func TestCodesOfAnyGrid(t *testing.T) { onDevices(t, checkCodesOfAnyGrid) }

func checkCodesOfAnyGrid(t *testing.T, d *Device) {
	r := rand.New(rand.NewPCG(35, 36))
	b := makeOperand(t, r, operandShape{rows: 20, cols: 512, blockRows: 64, blockCols: 64, e8m0: true}, ordinary)
	w := must(NewWeight(d, b, WeightOptions{}))(t)
	for _, block := range [][2]int{{1, 64}, {3, 128}, {128, 512}, {2, 1024}} {
		a := makeOperand(t, r, operandShape{rows: 9, cols: 512, blockRows: block[0], blockCols: block[1], rowOffset: block[0] / 2, e8m0: true, padding: 1}, distinct)
		got := ref.NewMatrix(9, 20)
		noError(t, MatMulCodes(Matrix[float32]{9, 20, 20, got.Data}, a, w, nil))
		sameBits(t, got, oracle(t, w, a, b, scale.Float32, nil), scale.Float32, fmt.Sprint(block))
	}
	noError(t, w.Close())
}

// A host call with more rows than its staging memory holds goes in pieces.
func TestHostPieces(t *testing.T) {
	if testing.Short() {
		t.Skip("a long product")
	}
	d := openTest(t)
	r := rand.New(rand.NewPCG(37, 38))
	const m, n, k = 5, 1 << 20, 32
	b := makeOperand(t, r, operandShape{rows: n, cols: k, blockRows: 128, blockCols: 32, e8m0: true}, ordinary)
	a := makeOperand(t, r, operandShape{rows: m, cols: k, blockRows: 1, blockCols: 32}, ordinary)
	w := must(NewWeight(d, b, WeightOptions{}))(t)
	got := ref.NewMatrix(m, n)
	noError(t, MatMulCodes(Matrix[float32]{m, n, n, got.Data}, a, w, nil))
	sameBits(t, got, oracle(t, w, a, b, scale.Float32, nil), scale.Float32, "pieces")
	noError(t, w.Close())
}

// M, N and K may be 0.
func TestEmpty(t *testing.T) { onDevices(t, checkEmpty) }

func checkEmpty(t *testing.T, d *Device) {
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(39, 40))
	for _, shape := range [][3]int{{0, 5, 128}, {3, 0, 128}, {3, 5, 0}, {0, 0, 0}} {
		m, n, k := shape[0], shape[1], shape[2]
		b := makeOperand(t, r, operandShape{rows: n, cols: k, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
		a := makeOperand(t, r, operandShape{rows: m, cols: k, blockRows: 1, blockCols: 128, e8m0: true}, ordinary)
		w := must(NewWeight(d, b, WeightOptions{}))(t)
		c := run(t, d, s, w, a, scale.BFloat16)
		for _, v := range c.Data {
			if math.Float32bits(v) != 0 {
				t.Errorf("%v gives %g", shape, v)
			}
		}
		dst := Matrix[float32]{m, n, max(1, n), make([]float32, m*n)}
		x := Matrix[float32]{m, k, max(1, k), make([]float32, m*k)}
		noError(t, MatMul(dst, x, w, HostOptions{Style: scale.StyleVLLM}))
		if err := MatMul(dst, Matrix[float32]{m, k + 1, k + 1, make([]float32, m*(k+1))}, w, HostOptions{Style: scale.StyleVLLM}); err == nil {
			t.Errorf("%v takes %d columns", shape, k+1)
		}
		noError(t, w.Close())
	}
}
