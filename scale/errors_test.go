package scale_test

import (
	"errors"
	"fmt"
	"testing"

	"blockfp8/scale"
)

func TestMismatchSaysWhatAndWhy(t *testing.T) {
	_, err := scale.NewE8M0Grid(scale.RowMajor(256, 512, 128, 128), make([]scale.E8M0, 7))
	want := "scales (grid [2 4] strides [4 1] for a 256x512 operand in 128x128 blocks from row 0): wrong shape: want at least 8 scales, got 7"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestMismatchThroughWrapping(t *testing.T) {
	err := fmt.Errorf("layer 3: %w", &scale.Mismatch{Kind: scale.ErrStride, What: "a", Want: "b", Got: "c"})
	wantMismatch(t, errors.Unwrap(err), scale.ErrStride)
	var m *scale.Mismatch
	if !errors.Is(err, scale.ErrStride) || errors.Is(err, scale.ErrShape) || !errors.As(err, &m) || m.Got != "c" {
		t.Errorf("wrapping hides the cause: %v", err)
	}
}
