package scale_test

import (
	"math"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

func TestQuantizeWeightsLiterals(t *testing.T) {
	inf, negZero := float32(math.Inf(1)), float32(math.Copysign(0, -1))
	nan32, negNaN := f32(0x7FC00000), f32(0xFF800001)
	for _, c := range []struct {
		name  string
		kind  scale.WeightScale
		w     []float32
		scale uint32
		want  []scale.E4M3
	}{
		{"448", scale.WeightE8M0, []float32{448, -1}, 0x3F800000, []scale.E4M3{0x7E, 0xB8}},
		{"448", scale.WeightFP32, []float32{448, -1}, 0x3F800000, []scale.E4M3{0x7E, 0xB8}},
		{"above 448", scale.WeightE8M0, []float32{f32(0x43E00001)}, 0x40000000, []scale.E4M3{0x76}},
		{"672", scale.WeightE8M0, []float32{672, 3}, 0x40000000, []scale.E4M3{0x7A, 0x3C}},
		{"672", scale.WeightFP32, []float32{672, 3}, 0x3FC00000, []scale.E4M3{0x7E, 0x40}},
		{"zeros", scale.WeightE8M0, []float32{0, negZero}, 0x3F800000, []scale.E4M3{0x00, 0x80}},
		{"zeros", scale.WeightFP32, []float32{0, negZero}, 0x3F800000, []scale.E4M3{0x00, 0x80}},
		{"not finite", scale.WeightE8M0, []float32{nan32, 448, inf, -inf, negNaN}, 0x3F800000, []scale.E4M3{0x7F, 0x7E, 0x7F, 0xFF, 0xFF}},
		{"not finite", scale.WeightFP32, []float32{nan32, 448, inf, -inf, negNaN}, 0x3F800000, []scale.E4M3{0x7F, 0x7E, 0x7F, 0xFF, 0xFF}},
		{"nothing finite", scale.WeightE8M0, []float32{nan32, -inf}, 0x3F800000, []scale.E4M3{0x7F, 0xFF}},
		{"tiny", scale.WeightE8M0, []float32{0x1p-120, -0x1p-127}, 0x00400000, []scale.E4M3{0x70, 0xB8}},
		{"tiny", scale.WeightFP32, []float32{0x1.cp-120}, 0x00200000, []scale.E4M3{0x7E}},
		{"smallest", scale.WeightE8M0, []float32{0x1p-149}, 0x00400000, []scale.E4M3{0x00}},
		{"smallest", scale.WeightFP32, []float32{0x1p-149}, 0x00000001, []scale.E4M3{0x38}},
		{"449 of the smallest", scale.WeightFP32, []float32{449 * 0x1p-149}, 0x00000002, []scale.E4M3{0x76}}, // 224.5
		{"largest", scale.WeightE8M0, []float32{-math.MaxFloat32}, 0x7B800000, []scale.E4M3{0xF8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			codes, g, err := scale.QuantizeWeights(c.w, 1, len(c.w), len(c.w), 1, len(c.w), c.kind)
			if err != nil {
				t.Fatal(err)
			}
			wantCodes(t, c.name, codes, c.want)
			if g.IsE8M0() != (c.kind == scale.WeightE8M0) {
				t.Errorf("IsE8M0: got %v", g.IsE8M0())
			}
			wantBits32(t, "scale", g.At(0, 0), c.scale)
		})
	}
}

// A 3x5 weight in 2x2 blocks has tails on both sides; 2 floats lie between rows.
func TestQuantizeWeightsBlocksAndTails(t *testing.T) {
	bad := f32(0x7FC00000)
	w := []float32{
		448, 1, 896, 2, 1792, bad, bad,
		2, 4, 4, 8, 16, bad, bad,
		224, -224, 112, 1, -56,
	}
	codes, g, err := scale.QuantizeWeights(w, 3, 5, 7, 2, 2, scale.WeightE8M0)
	if err != nil {
		t.Fatal(err)
	}
	wantCodes(t, "scales", g.Codes(), []scale.E8M0{0x7F, 0x80, 0x81, 0x7E, 0x7D, 0x7C})
	wantCodes(t, "codes", codes, []scale.E4M3{
		0x7E, 0x38, 0x7E, 0x38, 0x7E,
		0x40, 0x48, 0x40, 0x48, 0x48,
		0x7E, 0xFE, 0x7E, 0x48, 0xFE,
	})
}

// The largest element of a block defines the scale of the whole of it,
// wherever it lies.
func TestQuantizeWeightsAmaxAnywhereInBlock(t *testing.T) {
	for at := range 12 {
		w := []float32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
		w[at] = -896
		_, g, err := scale.QuantizeWeights(w, 3, 4, 4, 3, 4, scale.WeightE8M0)
		if err != nil {
			t.Fatal(err)
		}
		wantCodes(t, "scale", g.Codes(), []scale.E8M0{0x80})
	}
}

// Each code is w/scale rounded once. In float32 each of these quotients is 17,
// the tie between 16 (0x58) and 18 (0x59), yet w is larger than 17 times the
// scale: in the first, w is 17 + 83*2^-19 and 17*s is 17 + 82.875*2^-19.
func TestQuantizeWeightsFP32RoundsOnce(t *testing.T) {
	for _, c := range []struct{ amax, scale, w uint32 }{
		{0x43E00089, 0x3F80004E, 0x41880053},
		{0x43E00112, 0x3F80009D, 0x418800A7},
		{0x43E0019B, 0x3F8000EB, 0x418800FA},
		{0x43E00224, 0x3F800139, 0x4188014D},
	} {
		s, w := f32(c.scale), f32(c.w)
		if quotient32(float64(w), float64(s)) != 17 || float64(w) <= 17*float64(s) {
			t.Fatalf("w %#08x: the example proves nothing", c.w)
		}
		codes, g, err := scale.QuantizeWeights([]float32{f32(c.amax), w, -w}, 1, 3, 3, 1, 3, scale.WeightFP32)
		if err != nil {
			t.Fatal(err)
		}
		wantBits32(t, "scale", g.At(0, 0), c.scale)
		wantCodes(t, "codes", codes, []scale.E4M3{0x7E, 0x59, 0xD9})
	}
}

// modelWeightScale is the documented scale of a block.
func modelWeightScale(amax float64, kind scale.WeightScale) float32 {
	if amax == 0 {
		return 1
	}
	if kind == scale.WeightE8M0 {
		e := -127
		for 448*math.Ldexp(1, e) < amax { // exact: 448 has 3 significant bits
			e++
		}
		return float32(math.Ldexp(1, e))
	}
	s := quotient32(amax, 448)
	if amax < 448*0x1p-126 && 448*float64(s) < amax {
		s = math.Nextafter32(s, 1)
	}
	return s
}

func TestQuantizeWeightsMatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(0, 6).Draw(t, "rows"), rapid.IntRange(0, 9).Draw(t, "cols")
		blockRows, blockCols := rapid.IntRange(1, 4).Draw(t, "blockRows"), rapid.IntRange(1, 4).Draw(t, "blockCols")
		w, stride := drawMatrix(t, rows, cols)
		kind := rapid.SampledFrom([]scale.WeightScale{scale.WeightE8M0, scale.WeightFP32}).Draw(t, "kind")
		codes, g, err := scale.QuantizeWeights(w, rows, cols, stride, blockRows, blockCols, kind)
		if err != nil {
			t.Fatal(err)
		}
		checkDense(t, "QuantizeWeights", g, scale.RowMajor(rows, cols, blockRows, blockCols))
		if len(codes) != rows*cols {
			t.Fatalf("%d codes for %dx%d", len(codes), rows, cols)
		}
		amax := map[[2]int]float64{}
		for row := range rows {
			for col := range cols {
				block := [2]int{blockOf(row, blockRows, 0), blockOf(col, blockCols, 0)}
				if v := math.Abs(float64(w[row*stride+col])); v <= math.MaxFloat32 {
					amax[block] = max(amax[block], v)
				}
			}
		}
		for row := range rows {
			for col := range cols {
				s := modelWeightScale(amax[[2]int{blockOf(row, blockRows, 0), blockOf(col, blockCols, 0)}], kind)
				wantBits32(t, "scale", slowAt(g, row, col), math.Float32bits(s))
				if got, want := codes[row*cols+col], modelE4M3Of(w[row*stride+col], s); got != want {
					t.Fatalf("w %b, scale %b: got %#02x, want %#02x", w[row*stride+col], s, uint8(got), uint8(want))
				}
			}
		}
	})
}

// With E8M0 scales no element saturates, and half of the scale would be too
// little for the largest.
func TestQuantizeWeightsE8M0ScaleIsMinimal(t *testing.T) {
	check := func(t tb, amax float32) {
		t.Helper()
		_, g, err := scale.QuantizeWeights([]float32{amax}, 1, 1, 1, 128, 128, scale.WeightE8M0)
		if err != nil {
			t.Fatalf("%v", err)
		}
		reach := 448 * g.Codes()[0].Float64()
		if magnitude := math.Abs(float64(amax)); magnitude > reach || g.Codes()[0] != 0 && magnitude <= reach/2 {
			t.Errorf("amax %b: scale %#02x reaches %g", amax, uint8(g.Codes()[0]), reach)
		}
	}
	for e := -149; e < 128; e++ {
		for _, fraction := range []float64{1, 1.75} {
			x := math.Ldexp(fraction, e)
			for _, v := range []float64{x, above32(x), below32(x)} {
				if v > 0 && v <= math.MaxFloat32 && float32(v) != 0 {
					check(t, float32(v))
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) { check(t, f32(rapid.Uint32Range(1, 0x7F7FFFFF).Draw(t, "amax"))) })
}

func TestQuantizeWeightsErrors(t *testing.T) {
	w := make([]float32, 12)
	const e8m0 = scale.WeightE8M0
	for _, c := range []struct {
		name                                     string
		rows, cols, stride, blockRows, blockCols int
		kind                                     scale.WeightScale
		want                                     error
	}{
		{"negative rows", -3, 4, 4, 2, 2, e8m0, scale.ErrShape},
		{"negative columns", 3, -4, 4, 2, 2, e8m0, scale.ErrShape},
		{"too many rows", 4, 4, 4, 2, 2, e8m0, scale.ErrShape},
		{"size overflows", 1 << 62, 4, 4, 2, 2, e8m0, scale.ErrShape},
		{"stride below columns", 3, 4, 3, 2, 2, e8m0, scale.ErrStride},
		{"zero block rows", 3, 4, 4, 0, 2, e8m0, scale.ErrBlock},
		{"zero block columns", 3, 4, 4, 2, 0, scale.WeightFP32, scale.ErrBlock},
		{"block checked without rows", 0, 4, 4, 2, -1, e8m0, scale.ErrBlock},
		{"no kind", 3, 4, 4, 2, 2, 0, scale.ErrOption},
		{"kind past the last", 3, 4, 4, 2, 2, 3, scale.ErrOption},
	} {
		t.Run(c.name, func(t *testing.T) {
			codes, g, err := scale.QuantizeWeights(w, c.rows, c.cols, c.stride, c.blockRows, c.blockCols, c.kind)
			wantMismatch(t, err, c.want)
			if codes != nil || g.IsSet() {
				t.Error("a failed quantiser returned something")
			}
		})
	}
}

func TestQuantizeWeightsHugeBlock(t *testing.T) {
	codes, g, err := scale.QuantizeWeights([]float32{448, 1, 2, 4}, 2, 2, 2, math.MaxInt, math.MaxInt, scale.WeightE8M0)
	if err != nil {
		t.Fatal(err)
	}
	wantCodes(t, "codes", codes, []scale.E4M3{0x7E, 0x38, 0x40, 0x48})
	wantCodes(t, "scales", g.Codes(), []scale.E8M0{0x7F})
}
