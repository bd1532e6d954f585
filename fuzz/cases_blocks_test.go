package fuzz_test

import (
	"errors"
	"testing"

	"blockfp8/fuzz"
	"blockfp8/ref"
	"blockfp8/scale"
)

// Case 11, pytorch/FBGEMM #6159: the last scale was dropped where K is a multiple of
// the tile but not of the block. 128*2 + 64*0.5 = 288; without the last scale 320.
func TestCase11_LastScaleOfK(t *testing.T) {
	p := problem(everywhere(one, 1, 192, 1, 128, fuzz.Hex{0x7F, 0x7F}), everywhere(one, 1, 192, 1, 128, fuzz.Hex{0x80, 0x7E}))
	hold(t, allKernels(t), p, always(0x43900000))
}

// All of its kind: tails of K up to three blocks, the blocks scaled by 1, 4 and 16 on
// one side and 2 on the other.
func TestCase11_EveryTail(t *testing.T) {
	kernels := allKernels(t)
	for k := 1; k <= 384; k += every(1, 31) {
		from := kernels
		if k%64 > 1 && k%64 < 63 && k != 100 {
			from = oracles()
		}
		blocks := (k + 127) / 128
		a := everywhere(one, 1, k, 1, 128, fuzz.Hex{0x7F, 0x81, 0x83}[:blocks])
		b := everywhere(one, 1, k, 1, 128, fuzz.Hex{0x80, 0x80, 0x80}[:blocks])
		hold(t, from, problem(a, b), always(bitsOf(2*min(k, 128)+8*max(0, min(k-128, 128))+32*max(0, k-256))))
	}
}

// sgl-project/sglang #39626: a tile of 64 over blocks of 32 gave 64 for 288. 32 gives
// 288, and 64 is an error.
func TestCase11_TilesThatStraddle(t *testing.T) {
	p := problem(everywhere(one, 1, 64, 1, 32, fuzz.Hex{0x7F, 0x7F}), everywhere(one, 1, 64, 1, 32, fuzz.Hex{0x7F, 0x82}))
	hold(t, allKernels(t), p, always(0x43900000))
	err := ref.F32ScaleMMA(ref.SM120, 64, scale.Float32).Check(operand(t, p.A), operand(t, p.B))
	wantMismatch(t, err, scale.ErrBlock)
}

// Case 12, flashinfer-ai/flashinfer #5191: padding scales and codes were read. hold
// pads with NaN; tails of M and N come on top.
func TestCase12_PaddingIsNotRead(t *testing.T) {
	a := everywhere(one, 3, 576, 1, 128, repeated(3, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F)...)
	b := everywhere(one, 5, 576, 128, 128, fuzz.Hex{0x7F, 0x7F, 0x7F, 0x7F, 0x7D})
	hold(t, allKernels(t), problem(a, b), always(0x44040000)) // 528
}

// Case 13, NVIDIA/cutlass #3596: scales were multiplied in place and used again by the
// next rows. D[128,0] is 4*1*128, not 1024.
func TestCase13_ScalesOfBands(t *testing.T) {
	scales := append(repeated(128, 0x80), repeated(128, 0x81)...)
	p := problem(everywhere(one, 256, 128, 1, 128, scales...), everywhere(one, 256, 128, 128, 128, fuzz.Hex{0x7F}, fuzz.Hex{0x80}))
	if bits := bitsOf(4 * 1 * 128); bits != 0x44000000 {
		t.Fatalf("512 is %08x", bits)
	}
	hold(t, allKernels(t), p, func(_ ref.Recipe, m, n int) uint32 { return bitsOf(128 << (1 + m/128 + n/128)) })
}

// All of its kind: every block of both grids has a power of two of its own, and one
// product per element, in each block of K in turn.
func TestCase13_EveryBlockItsOwnScale(t *testing.T) {
	kernels := allKernels(t)
	for block := range 3 {
		hot := func(_, k int) byte {
			if k == 32*block+7 {
				return one
			}
			return 0
		}
		a, b := sideOf(6, 96, 1, 32, hot), sideOf(10, 96, 4, 32, hot)
		b.RowOffset = 3
		for r := range byte(6) {
			a.E8M0 = append(a.E8M0, fuzz.Hex{120 + r, 126 + r, 132 + r})
		}
		for r := range byte(4) {
			b.E8M0 = append(b.E8M0, fuzz.Hex{100 + r, 104 + r, 108 + r})
		}
		hold(t, kernels, problem(a, b), func(_ ref.Recipe, m, n int) uint32 {
			return uint32((120+6*block+m)+(100+4*block+(n+3)/4)-127) << 23
		})
	}
}

// Case 14, seen from a product: five blocks of scales 1, 2, 4, 8, 16, in padded grids
// by rows and by columns.
func TestCase14_PaddedGrids(t *testing.T) {
	a := everywhere(one, 1, 640, 1, 128, fuzz.Hex{0x7F, 0x7F, 0x7F, 0x7F, 0x7F})
	b := everywhere(one, 7, 640, 2, 128, repeated(4, 0x7F, 0x80, 0x81, 0x82, 0x83)...)
	hold(t, allKernels(t), problem(a, b), always(0x45780000)) // 3968
}

// Case 15, seen from a product: the right reading of a square grid is 4224 and 16896,
// the transposed 8320 and 16640.
func TestCase15_SquareGrid(t *testing.T) {
	kernels := allKernels(t)
	a := everywhere(one, 1, 256, 1, 128, fuzz.Hex{0x7F, 0x83})
	for _, c := range []struct {
		scales []fuzz.Hex
		want   [2]uint32
	}{
		{[]fuzz.Hex{{0x7F, 0x80}, {0x81, 0x82}}, [2]uint32{0x45840000, 0x46840000}},
		{[]fuzz.Hex{{0x7F, 0x81}, {0x80, 0x82}}, [2]uint32{0x46020000, 0x46820000}},
	} {
		hold(t, kernels, problem(a, everywhere(one, 256, 256, 128, 128, c.scales...)), func(_ ref.Recipe, _, n int) uint32 { return c.want[n/128] })
	}
}

// Case 17, huggingface/kernels-community #1153: columns past N spilled into the next
// row, most of the time: so twenty times.
func TestCase17_OddColumns(t *testing.T) {
	kernels := allKernels(t)
	p := problem(sideOf(4, 64, 1, 128, func(row, _ int) byte { return one + byte(8*row) }, repeated(4, 0x7F)...), everywhere(one, 33, 64, 128, 128, fuzz.Hex{0x7F}))
	for range 20 / every(1, 5) {
		hold(t, kernels, p, func(_ ref.Recipe, m, _ int) uint32 {
			return [4]uint32{0x42800000, 0x43000000, 0x43800000, 0x44000000}[m] // 64, 128, 256, 512
		})
	}
}

// NVIDIA/cutlass #2154: 1088 rows in blocks of 128 have nine scales, not eight.
func TestCase17_RowsThatEndInsideABlock(t *testing.T) {
	var scales []fuzz.Hex
	for i := range byte(9) {
		scales = append(scales, fuzz.Hex{0x7F + i})
	}
	p := problem(everywhere(one, 3, 32, 1, 128, repeated(3, 0x7F)...), everywhere(one, 1088, 32, 128, 128, scales...))
	hold(t, allKernels(t), p, func(_ ref.Recipe, _, n int) uint32 { return bitsOf(32 << (n / 128)) })
}

// Case 22, vllm-project/vllm-xpu-kernels #609: no tokens, no crash, but the checks
// run; K = 0 makes +0 everywhere.
func TestCase22_NothingToMultiply(t *testing.T) {
	for _, k := range allKernels(t) {
		for _, size := range [][3]int{{0, 5, 128}, {5, 0, 128}, {0, 0, 0}, {5, 3, 0}} {
			a, b := empty(size[0], size[2]), empty(size[1], size[2])
			if !holdOne(t, k, problem(a, b), always(0)) {
				t.Errorf("%s does not take %v by %v", k.name, a, b)
			}
		}
		none, y := operand(t, empty(0, 128)), operand(t, everywhere(one, 3, 128, 1, 128, repeated(3, 0x7F)...))
		for what, c := range map[string]struct {
			b    ref.Operand
			cols int
			kind error
		}{
			"another K":        {operand(t, everywhere(one, 3, 64, 1, 128, repeated(3, 0x7F)...)), 3, scale.ErrShape},
			"another N":        {y, 4, scale.ErrShape},
			"B without scales": {ref.Operand{}, 3, scale.ErrUnsetScale},
		} {
			if err := k.impl.Multiply(ref.NewMatrix(0, c.cols), none, c.b, scale.Float32); !errors.Is(err, c.kind) {
				t.Errorf("%s: no tokens and %s: %v", k.name, what, err)
			}
		}
	}
}

// empty is a side of ones and of scales of 1, in blocks of one row, with no rows or
// no columns among the possibilities.
func empty(rows, k int) fuzz.Side {
	if k == 0 {
		return everywhere(one, rows, 0, 1, 128)
	}
	return everywhere(one, rows, k, 1, 128, repeated(rows, 0x7F)...)
}

// Case 26, seen from a product: shards smaller than a block share its scale.
func TestCase26_ShardsShareAScale(t *testing.T) {
	kernels := allKernels(t)
	a := everywhere(one, 1, 128, 1, 128, fuzz.Hex{0x7F})
	second := everywhere(one, 96, 128, 128, 128, fuzz.Hex{0x7F}, fuzz.Hex{0x81})
	second.RowOffset = 96
	hold(t, kernels, problem(a, second), func(_ ref.Recipe, _, n int) uint32 {
		return [2]uint32{0x43000000, 0x44000000}[(96+n)/128] // 128, 512
	})
	whole := everywhere(one, 192, 128, 128, 128, fuzz.Hex{0x7F}, fuzz.Hex{0x81})
	for from := 0; from < 192; from += every(1, 17) { // all of its kind, by the oracle
		shard := whole
		shard.Rows, shard.RowOffset, shard.Codes = min(96, 192-from), from%128, whole.Codes[from:min(from+96, 192)]
		shard.E8M0 = whole.E8M0[from/128 : (from+shard.Rows-1)/128+1]
		hold(t, oracles(), problem(a, shard), func(_ ref.Recipe, _, n int) uint32 {
			return [2]uint32{0x43000000, 0x44000000}[(from+n)/128]
		})
	}
}
