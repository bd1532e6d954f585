//go:build cuda

package gpu

import (
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// A result of more than 2^31 elements: the last one is at its place and not at a
// negative offset. M also needs more than one launch of the kernels whose grid
// counts tokens along y.
func TestBeyond31Bits(t *testing.T) {
	const m, n, k = 524416, 4096, 128
	d := openTest(t)
	s := must(d.NewStream())(t)
	codes := make([]scale.E4M3, m*k)
	for i := range codes {
		codes[i] = scale.E4M3(i*2654435761>>13) & 0xF7
	}
	scales := make([]float32, m)
	for i := range scales {
		scales[i] = float32(i%251+1) / 64
	}
	a := must(ref.NewOperand(codes, k, must(scale.NewFP32Grid(scale.RowMajor(m, k, 1, 128), scales))(t)))(t)
	grid := must(scale.NewE8M0Grid(scale.RowMajor(n, k, 128, 128), bytesAsE8M0(0x7C, 32)))(t)
	b := must(ref.NewOperand(codes[:n*k], k, grid))(t)
	w := must(NewWeight(d, b, WeightOptions{}))(t)
	result := must(d.NewBuffer(2 * m * n))(t)
	call := Call{
		M: m,
		A: Activations{
			Data: Region{Buffer: d.testBuffer(t, s, bytesOf(codes))}, Stride: k,
			Scales: Region{Buffer: d.testBuffer(t, s, bytesOf(scales))}, ScaleRow: 1, ScaleCol: 1,
		},
		C: Result{Format: scale.BFloat16, Data: Region{Buffer: result}, Stride: n},
	}
	for _, kernel := range []string{"", "w8a8_f32scale_mma_l3_t1", "w8a8_f32scale_mma_l1"} {
		w.options.Kernel = kernel
		recipe := must(w.Recipe(scale.BFloat16))(t) // mma's bits are not wgmma's
		noError(t, w.MatMul(s, call))
		for _, row := range []int{0, 65535 * 8, 524287, 524288, m - 1} {
			got := make([]byte, 2*n)
			noError(t, result.Read(s, got, int64(2*row*n)))
			for _, column := range []int{0, 1, 2047, n - 1} {
				want := must(ref.Element(a, b, recipe, row, column))(t)
				if v := number(got[2*column:], scale.BFloat16); v != want {
					t.Errorf("%s: element (%d, %d) is %g, want %g", kernel, row, column, v, want)
				}
			}
		}
	}
}
