package ref_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// pytorch/FBGEMM #6159: the last scale was dropped where K is a multiple of the
// tile but not of the block. 128*2 + 64*0.5 = 288; without the last scale 320.
func TestCase11_LastScaleOfK(t *testing.T) {
	a, b := everywhere(one, 1, 192, 1, 128, []uint32{0x7F, 0x7F}), everywhere(one, 1, 192, 1, 128, []uint32{0x80, 0x7E})
	everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) { expect(t, r, c, 0, 0, 0x43900000) })
}

// All of its kind: every K up to three blocks, the blocks scaled by 1, 4 and 16
// on one side and 2 on the other.
func TestCase11_EveryTail(t *testing.T) {
	for k := 1; k <= 384; k += stepOf(1, 5) {
		blocks := (k + 127) / 128
		a := everywhere(one, 1, k, 1, 128, []uint32{0x7F, 0x81, 0x83}[:blocks])
		b := everywhere(one, 1, k, 1, 128, []uint32{0x80, 0x80, 0x80}[:blocks])
		want := 2*min(k, 128) + 8*max(0, min(k-128, 128)) + 32*max(0, k-256)
		everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
			expect(t, r, c, 0, 0, floatBits(float32(want)))
		})
	}
}

// sgl-project/sglang #39626: a tile of 64 over blocks of 32 gave 64 for 288. 32
// gives 288, and 64 is an error.
func TestCase11_TilesThatStraddle(t *testing.T) {
	a, b := everywhere(one, 1, 64, 1, 32, []uint32{0x7F, 0x7F}), everywhere(one, 1, 64, 1, 32, []uint32{0x7F, 0x82})
	everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) { expect(t, r, c, 0, 0, 0x43900000) })
	x, y := a.operand(t, newRand()), b.operand(t, newRand())
	c := ref.NewMatrix(1, 1)
	if err := ref.MatMul(c, x, y, ref.F32ScaleMMA(ref.SM120, 64, scale.Float32)); !errors.Is(err, scale.ErrBlock) {
		t.Errorf("a partial of 64 over blocks of 32: %v", err)
	}
}

// flashinfer-ai/flashinfer #5191: padding scales and codes were read. The
// operands of everyWay are padded with NaN; this adds N and M tails.
func TestCase12_PaddingIsNotRead(t *testing.T) {
	a := everywhere(one, 3, 576, 1, 128, repeated(3, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F)...)
	b := everywhere(one, 5, 576, 128, 128, []uint32{0x7F, 0x7F, 0x7F, 0x7F, 0x7D})
	everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		for i := range 15 {
			expect(t, r, c, i/5, i%5, 0x44040000) // 528
		}
	})
}

// NVIDIA/cutlass #3596: scales were multiplied in place and used again by the next
// rows. D[128,0] is 4*1*128, not 1024.
func TestCase13_ScalesOfBands(t *testing.T) {
	a := everywhere(one, 256, 128, 128, 128, []uint32{0x80}, []uint32{0x81})
	b := everywhere(one, 256, 128, 128, 128, []uint32{0x7F}, []uint32{0x80})
	everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		expect(t, r, c, 128, 0, 0x44000000)
		for i := range 256 {
			for _, m := range []int{0, 127, 128, 255} {
				n := (i*7 + m) % 256
				expect(t, r, c, m, n, floatBits(float32(int(128)<<(1+m/128+n/128))))
			}
		}
	})
}

// All of its kind: every block of both grids has a power of two of its own.
func TestCase13_EveryBlockItsOwnScale(t *testing.T) {
	a, b := plain{rows: 6, k: 96, br: 1, bk: 32, e8: true}, plain{rows: 10, k: 96, br: 4, bk: 32, off: 3, e8: true}
	for r := range 6 {
		a.codes = append(a.codes, make([]byte, 96))
		a.scales = append(a.scales, []uint32{120 + uint32(r), 126 + uint32(r), 132 + uint32(r)})
	}
	for range 10 {
		b.codes = append(b.codes, make([]byte, 96))
	}
	for r := range 4 {
		b.scales = append(b.scales, []uint32{100 + uint32(r), 104 + uint32(r), 108 + uint32(r)})
	}
	// One product per element, in each block of K in turn.
	for block := range 3 {
		for r := range 6 {
			a.codes[r] = make([]byte, 96)
			a.codes[r][32*block+7] = one
		}
		for r := range 10 {
			b.codes[r] = make([]byte, 96)
			b.codes[r][32*block+7] = one
		}
		everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
			for m := range 6 {
				for n := range 10 {
					exponent := (120 + 6*block + m) + (100 + 4*block + (n+3)/4) - 127
					expect(t, r, c, m, n, uint32(exponent)<<23)
				}
			}
		})
	}
}

// pytorch/pytorch #166752: a grid whose columns are padded to 4 was read as if it
// were not. everyWay lays out three kinds of strides; these are the two by name.
func TestCase14_PaddedGrids(t *testing.T) {
	a, b := everywhere(one, 1, 640, 1, 128, repeated(1, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F)...), everywhere(one, 7, 640, 2, 128, repeated(4, 0x7F, 0x80, 0x81, 0x82, 0x83)...)
	everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		for n := range 7 {
			expect(t, r, c, 0, n, 0x45780000) // 3968
		}
	})
	codes := make([]scale.E4M3, 7*640)
	for i := range codes {
		codes[i] = one
	}
	for _, l := range []scale.Layout{
		scale.RowMajor(7, 640, 2, 128), scale.ColMajor(7, 640, 2, 128, 1), scale.ColMajor(7, 640, 2, 128, 4),
		{Rows: 7, Cols: 640, BlockRows: 2, BlockCols: 128, RowStride: 8, ColStride: 1},
	} {
		s := make([]scale.E8M0, l.Len())
		for i := range s {
			s[i] = 0xFF
		}
		for i := range 4 {
			for j := range 5 {
				s[i*l.RowStride+j*l.ColStride] = scale.E8M0(0x7F + j)
			}
		}
		g, err := scale.NewE8M0Grid(l, s)
		if err != nil {
			t.Fatal(err)
		}
		y, err := ref.NewOperand(codes, 640, g)
		if err != nil {
			t.Fatal(err)
		}
		c := multiply(t, a.operand(t, newRand()), y, ref.F32ScaleMMA(ref.SM120, 128, scale.Float32))
		for _, v := range c.Data {
			if v != 3968 {
				t.Errorf("%v: %g, want 3968", l, v)
			}
		}
		_, err = scale.NewE8M0Grid(l, s[:len(s)-1])
		if !errors.Is(err, scale.ErrShape) || !strings.Contains(err.Error(), "7x640") {
			t.Errorf("one scale too few: %v", err)
		}
	}
}

// pytorch/pytorch #195751: a square grid was read transposed. The right reading is
// 4224 and 16896, the other 8320 and 16640.
func TestCase15_SquareGrid(t *testing.T) {
	a := everywhere(one, 1, 256, 1, 128, []uint32{0x7F, 0x83})
	b := everywhere(one, 256, 256, 128, 128, []uint32{0x7F, 0x80}, []uint32{0x81, 0x82})
	everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		expect(t, r, c, 0, 0, 0x45840000)
		expect(t, r, c, 0, 127, 0x45840000)
		expect(t, r, c, 0, 128, 0x46840000)
		expect(t, r, c, 0, 255, 0x46840000)
	})
	b.scales = [][]uint32{{0x7F, 0x81}, {0x80, 0x82}}
	everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		expect(t, r, c, 0, 0, 0x46020000)
		expect(t, r, c, 0, 128, 0x46820000)
	})
}

// huggingface/transformers #47030: scales were rounded to powers of two and the
// codes left alone. 1.5 with a code of 2 means 3, never 4.
func TestCase16_ScalesAreNotRounded(t *testing.T) {
	a := everywhere(one, 1, 1, 1, 128).withFP32([]uint32{0x3F800000})
	b := everywhere(0x40, 1, 1, 1, 128).withFP32([]uint32{0x3FC00000})
	for _, r := range allRecipes() {
		if r.Scaling == ref.InMMA {
			if err := r.Check(a.operand(t, newRand()), b.operand(t, newRand())); !errors.Is(err, scale.ErrInexact) {
				t.Errorf("%v takes float32 scales: %v", r, err)
			}
			continue
		}
		if got := single11(t, a, b, r); got != 3 {
			t.Errorf("%v: %g, want 3", r, got)
		}
	}
	if _, err := b.operand(t, newRand()).Grid().ToE8M0(); !errors.Is(err, scale.ErrInexact) {
		t.Errorf("1.5 became a power of two: %v", err)
	}
}

// huggingface/kernels-community #1153: columns past N spilled into the next row,
// most of the time.
func TestCase17_OddColumns(t *testing.T) {
	a := plainOf(4, 64, 1, 128, func(r, _ int) byte { return one + byte(8*r) }, repeated(4, 0x7F)...)
	b := everywhere(one, 33, 64, 128, 128, []uint32{0x7F})
	for range rounds(20) {
		everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
			for n := range 33 {
				for m, want := range []uint32{0x42800000, 0x43000000, 0x43800000, 0x44000000} { // 64, 128, 256, 512
					expect(t, r, c, m, n, want)
				}
			}
		})
	}
}

// NVIDIA/cutlass #2154: 1088 rows in blocks of 128 have nine scales, not eight.
func TestCase17_RowsThatEndInsideABlock(t *testing.T) {
	scales := make([][]uint32, 9)
	for i := range scales {
		scales[i] = []uint32{0x7F + uint32(i)}
	}
	long, short := everywhere(one, 1088, 32, 128, 128, scales...), everywhere(one, 3, 32, 128, 128, []uint32{0x7F})
	everyWay(t, short, long, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		for n := range 1088 {
			expect(t, r, c, 2, n, floatBits(float32(int(32)<<(n/128))))
		}
	})
	everyWay(t, long, short, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		for m := range 1088 {
			expect(t, r, c, m, 2, floatBits(float32(int(32)<<(m/128))))
		}
	})
}

// vllm-project/vllm-omni #5263: scales that were never set were used, and their
// product overflowed.
func TestCase18_UnsetScales(t *testing.T) {
	x := everywhere(one, 1, 128, 1, 128, []uint32{0x7F}).operand(t, newRand())
	for _, r := range allRecipes() {
		c := ref.NewMatrix(1, 1)
		c.Data[0] = 5
		if err := ref.MatMul(c, x, ref.Operand{}, r); !errors.Is(err, scale.ErrUnsetScale) || c.Data[0] != 5 {
			t.Errorf("%v: B without scales: %v, C is %g", r, err, c.Data[0])
		}
		if _, err := ref.Element(ref.Operand{}, x, r, 0, 0); !errors.Is(err, scale.ErrUnsetScale) {
			t.Errorf("%v: A without scales: %v", r, err)
		}
	}
	if _, err := ref.NewOperand(make([]scale.E4M3, 128), 128, scale.Grid{}); !errors.Is(err, scale.ErrUnsetScale) {
		t.Errorf("an operand without a grid: %v", err)
	}
	if _, err := scale.NewFP32Grid(scale.RowMajor(1, 128, 1, 128), []float32{-math.MaxFloat32}); !errors.Is(err, scale.ErrUnsetScale) {
		t.Errorf("the framework's mark of an unset scale: %v", err)
	}
}

// The same report: As = Bs = 2^-75 and 128 ones are 2^-143, unless the scales are
// multiplied first in float32.
func TestCase18_OrderOfScales(t *testing.T) {
	a, b := everywhere(one, 1, 128, 1, 128, []uint32{0x34}), everywhere(one, 1, 128, 1, 128, []uint32{0x34})
	everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		want := uint32(0x00000040)
		if r.Scaling == ref.ProductFirst || r.Scaling == ref.ProductFirstUnfused {
			want = 0
		}
		expect(t, r, c, 0, 0, want)
	})
	// And 2^75 twice, 2^-75 in the codes' favour: the product overflows.
	a, b = everywhere(0x01, 1, 1, 1, 128, []uint32{127 + 64}), everywhere(0x01, 1, 1, 1, 128, []uint32{127 + 64})
	everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		want := uint32(127+110) << 23
		if r.Scaling == ref.ProductFirst || r.Scaling == ref.ProductFirstUnfused {
			want = 0x7F800000
		}
		expect(t, r, c, 0, 0, want)
	})
}

// huggingface/kernels-community #681: blocks of zeros made NaN. A row of zeros is
// exactly +0 for finite scales, and NaN for a NaN scale.
func TestCase19_RowsOfZeros(t *testing.T) {
	for _, zero := range []byte{0x00, 0x80} {
		for s := uint32(0); s < 256; s += uint32(stepOf(1, 15)) {
			a := everywhere(zero, 2, 128, 1, 128, []uint32{s}, []uint32{0x7F})
			b := everywhere(0xC5, 2, 128, 1, 128, []uint32{s}, []uint32{0x7F})
			everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
				// Multiplied first, two scales of 2^64 are infinite, and that times zero
				// is NaN: it is what such kernels do.
				first := r.Scaling == ref.ProductFirst || r.Scaling == ref.ProductFirstUnfused
				for i, nan := range []bool{s == 0xFF || first && s >= 127+64, s == 0xFF, s == 0xFF, false} {
					want := uint32(0)
					if nan {
						want = 0x7FC00000
					}
					expect(t, r, c, i/2, i%2, want)
				}
			})
		}
	}
	codes, g, err := scale.QuantizeActivations(make([]float32, 128), 1, 128, 128, 128, scale.StyleDeepSeek)
	if err != nil {
		t.Fatal(err)
	}
	x, err := ref.NewOperand(codes, 128, g)
	if err != nil {
		t.Fatal(err)
	}
	y := everywhere(0x7E, 1, 128, 1, 128, []uint32{0xFE}).operand(t, newRand())
	for _, r := range allRecipes() {
		if got := multiply(t, x, y, r).Data[0]; floatBits(got) != 0 {
			t.Errorf("%v: quantised zeros give %08x, want +0", r, floatBits(got))
		}
	}
}

// vllm-project/vllm #42240: the same call gave other bits. A hundred calls here
// are compared, with one row and with 64.
func TestCase20_EveryRunTheSameBits(t *testing.T) {
	rng := newRand()
	for _, r := range []ref.Recipe{ref.Exact(scale.BFloat16), ref.DeepGEMM(ref.SM90WGMMA, scale.BFloat16), ref.Triton(ref.SM120, 128, scale.BFloat16), ref.UE8M0MX(scale.BFloat16)} {
		s := shape{rows: 64, k: 300, br: 1, bk: 128, e8: true, tame: true}
		p := makeProblem(t, rng, s, s, r)
		row, err := p.x.SliceRows(37, 38)
		if err != nil {
			t.Fatal(err)
		}
		want := multiply(t, p.x, p.y, r)
		for range rounds(100) {
			sameMatrix(t, "again", p, multiply(t, p.x, p.y, r), want)
			sameMatrix(t, "one row", p, multiply(t, row, p.y, r), part(want, 37, 38, 0, 64))
		}
	}
}

// The same report: splits are opt-in and their order is fixed. 2^24, 1, 1, -2^24
// in four partials: one by one the ones are lost, in pairs they are not.
func TestCase20_SplitsChangeBitsAsTheySay(t *testing.T) {
	code := func(_, k int) byte {
		if k%32 > 0 {
			return 0
		}
		return one | byte(k/32/3)<<7
	}
	a := plainOf(1, 128, 1, 32, code, []uint32{127 + 24, 0x7F, 0x7F, 127 + 24})
	b := everywhere(one, 1, 128, 1, 32, repeated(1, 0x7F, 0x7F, 0x7F, 0x7F)...)
	r := ref.Recipe{Datapath: ref.SM120, KPerPartial: 32}
	for splits, want := range []float32{0: 0, 1: 0, 2: 1, 3: 1, 4: 0, 5: 0} {
		// 2: (2^24+1) + (1-2^24) = 2^24 + -(2^24-1). 3: pairs, as two per range.
		r.Splits = splits
		if got := single11(t, a, b, r); got != want {
			t.Errorf("%d splits: %g, want %g", splits, got, want)
		}
	}
}

// vllm-project/vllm #42173: offsets of elements past 2^31 wrapped around.
func TestCase21_ElementsPast2To31(t *testing.T) {
	const m, n = 524416, 4096 // m*n-1 is 2,148,007,935
	a := shapeOfRows(t, m, func(r int) byte { return byte(r % 127) })
	b := shapeOfRows(t, n, func(r int) byte { return one + byte(r%2)*8 })
	for _, r := range allRecipes() {
		for _, at := range [][2]int{{m - 1, n - 1}, {m - 1, 0}, {m - 2, n - 1}, {0, n - 1}} {
			got, err := ref.Element(a, b, r, at[0], at[1])
			want := codeFloat(at[0]%127) * float32(1+at[1]%2)
			if err != nil || got != want {
				t.Errorf("%v: C[%d,%d] is %g, want %g (%v)", r, at[0], at[1], got, want, err)
			}
		}
		for _, at := range [][2]int{{m, 0}, {0, n}, {-1, 0}, {0, -1}, {math.MaxInt, math.MaxInt}} {
			if _, err := ref.Element(a, b, r, at[0], at[1]); !errors.Is(err, scale.ErrShape) {
				t.Errorf("%v: C[%d,%d]: %v", r, at[0], at[1], err)
			}
		}
	}
	// No destination of that size is there: an error, not a wrapped offset.
	for _, stride := range []int{n, math.MaxInt32, math.MaxInt} {
		c := ref.Matrix{Rows: m, Cols: n, Stride: stride, Data: make([]float32, n+7)}
		if err := ref.MatMul(c, a, b, ref.Exact(scale.Float32)); !errors.Is(err, scale.ErrShape) {
			t.Errorf("stride %d over %d elements: %v", stride, len(c.Data), err)
		}
	}
}

// shapeOfRows is an operand of one column.
func shapeOfRows(t *testing.T, rows int, code func(r int) byte) ref.Operand {
	t.Helper()
	codes := make([]scale.E4M3, rows)
	for r := range codes {
		codes[r] = scale.E4M3(code(r))
	}
	g, err := scale.NewE8M0Grid(scale.RowMajor(rows, 1, 1<<30, 128), []scale.E8M0{0x7F})
	if err != nil {
		t.Fatal(err)
	}
	o, err := ref.NewOperand(codes, 1, g)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// vllm-project/vllm-xpu-kernels #609: no tokens, no crash, but the checks run.
// TestNothingToMultiply has the sizes.
func TestCase22_NoTokensAreStillChecked(t *testing.T) {
	none := everywhere(one, 0, 128, 1, 128).operand(t, newRand())
	y := everywhere(one, 3, 128, 1, 128, repeated(3, 0x7F)...).operand(t, newRand())
	other := everywhere(one, 3, 64, 1, 128, repeated(3, 0x7F)...).operand(t, newRand())
	r := ref.F32ScaleMMA(ref.SM120, 128, scale.Float32)
	if err := ref.MatMul(ref.NewMatrix(0, 3), none, y, r); err != nil {
		t.Errorf("no tokens: %v", err)
	}
	if err := ref.MatMul(ref.NewMatrix(0, 3), none, other, r); !errors.Is(err, scale.ErrShape) {
		t.Errorf("no tokens and another K: %v", err)
	}
	if err := ref.MatMul(ref.NewMatrix(0, 4), none, y, r); !errors.Is(err, scale.ErrShape) {
		t.Errorf("no tokens and another N: %v", err)
	}
	if err := ref.MatMul(ref.NewMatrix(0, 3), none, ref.Operand{}, r); !errors.Is(err, scale.ErrUnsetScale) {
		t.Errorf("no tokens and no scales: %v", err)
	}
}

// vllm-project/vllm #52997: shards smaller than a block share its scale.
func TestCase26_ShardsInsideBlocks(t *testing.T) {
	const k = 128
	a := everywhere(one, 1, k, 1, 128, []uint32{0x7F})
	whole := everywhere(one, 192, k, 128, 128, []uint32{0x7F}, []uint32{0x81})
	second := everywhere(one, 96, k, 128, 128, []uint32{0x7F}, []uint32{0x81})
	second.off = 96
	everyWay(t, a, second, func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		for n := range 96 {
			want := uint32(0x43000000) // 128
			if n >= 32 {
				want = 0x44000000 // 512
			}
			expect(t, r, c, 0, n, want)
		}
	})
	x, y := a.operand(t, newRand()), whole.operand(t, newRand())
	for _, r := range recipesFor(128) {
		all := multiply(t, x, y, r)
		for from := 0; from < 192; from += stepOf(1, 7) {
			shard, err := y.SliceRows(from, min(from+96, 192))
			if err != nil {
				t.Fatal(err)
			}
			c := multiply(t, x, shard, r)
			for n, v := range c.Data {
				want := float32(128)
				if from+n >= 128 {
					want = 512
				}
				if v != want || v != all.Data[from+n] {
					t.Fatalf("%v: row %d of the shard from %d: %g, want %g", r, n, from, v, want)
				}
			}
		}
	}
}
