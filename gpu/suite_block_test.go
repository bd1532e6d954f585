package gpu

import (
	"bytes"
	"slices"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// A block of columns may be longer than any row, up to the longest there is: 128 ones
// have one scale then, and their products the sum 128.
func TestBlockLongerThanRows(t *testing.T) { onDevices(t, checkBlockLongerThanRows) }

func checkBlockLongerThanRows(t *testing.T, d *Device) {
	for _, block := range []int{160, 1 << 20, 1<<31 - 64, 1<<31 - 32} {
		codes := scale.E4M3s(bytes.Repeat([]byte{0x38}, 3*128))
		grid := must(scale.NewE8M0Grid(scale.RowMajor(3, 128, 128, block), bytesAsE8M0(0x7F, 1)))(t)
		b := must(ref.NewOperand(codes, 128, grid))(t)
		scales := must(scale.NewFP32Grid(scale.RowMajor(2, 128, 1, block), []float32{1, 1}))(t)
		a := must(ref.NewOperand(codes[:2*128], 128, scales))(t)
		w := must(NewWeight(d, b, WeightOptions{}))(t)
		dst := Matrix[float32]{Rows: 2, Cols: 3, Data: make([]float32, 6), Stride: 3}
		noError(t, MatMulCodes(dst, a, w, nil))
		if want := slices.Repeat([]float32{128}, 6); !slices.Equal(dst.Data, want) {
			t.Errorf("a block of %d columns: %v, want %v", block, dst.Data, want)
		}
		noError(t, w.Close())
	}
}
