package predict

import (
	"errors"
	"testing"

	"blockfp8/gpu"
)

func chipNamed(t *testing.T, major, minor int) Chip {
	t.Helper()
	c, ok := ChipOf(gpu.Arch{Major: major, Minor: minor})
	if !ok {
		t.Fatalf("no chip sm_%d%d", major, minor)
	}
	return c
}

// Level 0 does 16 tokens by 8 rows in a block of one warp.
func TestCountLevel0(t *testing.T) {
	c := chipNamed(t, 8, 9)
	one, err := Count(c, Shape{16, 8, 128}, "w8a8_f32scale_mma_l0", false)
	if err != nil {
		t.Fatal(err)
	}
	// Codes 16*128 + 8*128, scales 4*(16 + 1), results 2*16*8.
	if one.Blocks != 1 || one.Warps != 1 || one.MMAs != 4 || one.LeastMMAs != 4 || one.LeastBytes != 3396 || one.SharedPasses != 0 || one.Streams {
		t.Errorf("got %+v, want one warp, 4 MMAs, 3396 bytes, and no shared memory or copies", one)
	}
	// Two corners of 128 rows by two of 64 tokens, eight chunks of K.
	many, err := Count(c, Shape{128, 256, 1024}, "w8a8_f32scale_mma_l0", false)
	if err != nil {
		t.Fatal(err)
	}
	if many.Blocks != 8*32 || many.MMAs != 8192 || many.LeastMMAs != 8192 {
		t.Errorf("got %+v, want 256 blocks and 8192 MMAs", many)
	}
}

// A stage of the ring is 3200 bytes, and the level that copies has shared memory.
func TestCountRing(t *testing.T) {
	w, err := Count(chipNamed(t, 8, 9), Shape{8, 256, 512}, "w8a8_f32scale_mma_l2_r1t1", false)
	if err != nil {
		t.Fatal(err)
	}
	// Four warps of four stages; tiles of 16 rows by 8 tokens.
	if w.Shared != 51200 || w.Warps != 4 || w.Blocks != 4 || w.MMAs != 256 || !w.Streams {
		t.Errorf("got %+v, want 51200 bytes, 4 blocks of 4 warps and 256 MMAs with copies", w)
	}
	// At least the codes, 8*512 tokens for each of 16 tiles and 256*512 weights.
	if w.SectorBytes < 16*8*512+256*512 || w.SharedPasses*sharedRow < w.SectorBytes {
		t.Errorf("%g bytes in sectors, %g passes of shared memory", w.SectorBytes, w.SharedPasses)
	}
}

func TestCountRefuses(t *testing.T) {
	if _, err := Count(chipNamed(t, 9, 0), Shape{8, 128, 128}, "w8a8_f32scale_wgmma_l0", false); !errors.Is(err, gpu.ErrUnsupported) {
		t.Errorf("%v, want ErrUnsupported for MMAs of warpgroups", err)
	}
	if _, err := Count(chipNamed(t, 8, 9), Shape{8, 128, 128}, "bogus", false); err == nil {
		t.Error("no error for a kernel that does not exist")
	}
	if _, ok := ChipOf(gpu.Arch{Major: 7, Minor: 5}); ok {
		t.Error("a product with sm_75")
	}
}

// All forms that take a shape, the fastest first, the plan's among them.
func TestCompare(t *testing.T) {
	tiles, err := Compare(chipNamed(t, 8, 9), Shape{8, 128, 256}, "", false)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, f := range tiles.Forms {
		seen[f.Kernel] = true
		if i > 0 && f.Microseconds < tiles.Forms[i-1].Microseconds {
			t.Errorf("%s at place %d is faster than the form before", f.Kernel, i)
		}
	}
	for _, want := range []string{tiles.Planned, "w8a8_f32scale_mma_l0", "w8a8_f32scale_mma_l3_t1", "w8a8_f32scale_mma_l6"} {
		if !seen[want] {
			t.Errorf("%s is missing", want)
		}
	}
	if len(seen) != len(tiles.Forms) || seen["w8a8_ue8m0_mx_l0"] || tiles.Plan().Kernel != tiles.Planned {
		t.Errorf("forms %v", seen)
	}
}
