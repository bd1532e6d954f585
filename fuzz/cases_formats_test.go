package fuzz_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"blockfp8/scale"
)

// Thirty public bug reports about FP8, block scales and the kernels that multiply by
// them, one test or more for each: TestCase01 to TestCase30. Each test holds the
// report's input with its right answer, as literals, and then its whole kind. This
// file has those about number formats and grids.

// Case 1, NVIDIA/TransformerEngine #3262: the code placed in the exponent field
// makes 0x00 zero and 0xFF infinite.
func TestCase01_Code0AndCode255(t *testing.T) {
	for code, want := range map[scale.E8M0]uint32{
		0x00: 0x00400000, 0x01: 0x00800000, 0x7F: 0x3F800000, 0xFE: 0x7F000000, 0xFF: 0x7FC00000,
	} {
		wantBits32(t, fmt.Sprintf("%#02x", uint8(code)), code.Float32(), want)
	}
	if got := 128 * scale.E8M0(0x00).Float32() * scale.E8M0(0x7F).Float32(); math.Float32bits(got) != 0x03800000 {
		t.Errorf("128 ones with scales 0x00 and 0x7f: got %g, want 2^-120", got)
	}
	for c := range 0xFF {
		if got := scale.E8M0(c).Float32(); float64(got) != math.Ldexp(1, c-127) {
			t.Errorf("%#02x: got %g, want 2^%d", c, got, c-127)
		}
	}
}

// Case 2, triton-lang/triton #11624: several decoders, of which some shift. All
// roads from a code to a number agree.
func TestCase02_OneDecoder(t *testing.T) {
	zero := scale.E8M0(0x00)
	if zero.BF16() != 0x0040 || zero.FP16().Bits() != 0x0000 {
		t.Errorf("0x00: bf16 %#04x, fp16 %#04x, want 0x0040 and 0x0000", uint16(zero.BF16()), zero.FP16().Bits())
	}
	if got := float64(zero.Float32()) * 0x1p112 * 256 * 128; got != 1 {
		t.Errorf("128 products of 2^112 and 256 with scale 0x00: got %g, want 1", got)
	}
	g := must(scale.NewE8M0Grid(scale.RowMajor(256, 1, 1, 1), allE8M0))
	upcast := make([]float32, 256)
	if err := scale.Upcast(upcast, allE8M0, scale.OCP); err != nil {
		t.Fatal(err)
	}
	fp32 := must(g.ToFP32(scale.OCP))
	for c, s := range allE8M0 {
		want := s.Float32()
		for road, got := range map[string]float32{
			"Upcast": upcast[c], "At": g.At(c, 0), "ToFP32": fp32.At(c, 0), "Float64": float32(s.Float64()), "BF16": s.BF16().Float32(),
		} {
			if !sameScale(got, want) {
				t.Errorf("%#02x by %s: got %g, want %g", c, road, got, want)
			}
		}
	}
}

// Case 3, llvm/llvm-project #214919: the NaN became the bits of an infinity.
func TestCase03_NaNByBits(t *testing.T) {
	s := scale.E8M0(0xFF)
	if bits := math.Float64bits(s.Float64()); !isNaN64(bits) {
		t.Errorf("float64: %#x", bits)
	}
	if bits := math.Float32bits(s.Float32()); !isNaN32(bits) {
		t.Errorf("float32: %#x", bits)
	}
	if bits := s.BF16(); !isNaNBF16(bits) {
		t.Errorf("bf16: %#x", uint16(bits))
	}
	if bits := s.FP16().Bits(); !isNaNFP16(bits) {
		t.Errorf("fp16: %#x", bits)
	}
	for c := range 0xFF {
		if v := scale.E8M0(c); isNaN32(math.Float32bits(v.Float32())) || isNaN64(math.Float64bits(v.Float64())) || isNaNBF16(v.BF16()) || isNaNFP16(v.FP16().Bits()) {
			t.Errorf("%#02x is NaN somewhere", c)
		}
	}
}

// Case 4, jax-ml/ml_dtypes #298 and #398: nobody says which rounding.
func TestCase04_NamedRoundings(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		x    float64
		r    scale.Rounding
		o    scale.Overflow
		want scale.E8M0
	}{
		{3, up, sat, 0x81},
		{3, away, sat, 0x81},
		{3, even, sat, 0x80},
		{3, down, sat, 0x80},
		{0.75, up, sat, 0x7F},
		{0.75, away, sat, 0x7F},
		{0.75, even, sat, 0x7E},
		{0.75, down, sat, 0x7E},
		{0x1.8p127, up, sat, 0xFE},
		{0x1.8p127, up, nan, 0xFF},
		{0x1.8p127, down, sat, 0xFE},
		{0x1.8p127, down, nan, 0xFE},
		{0x1.8p127, away, nan, 0xFF},
		{0x1.8p127, away, sat, 0xFE},
		{inf, up, sat, 0xFE},
		{inf, up, nan, 0xFF},
		{inf, even, sat, 0xFE},
		{inf, even, nan, 0xFF},
		{0, up, sat, 0x00},
		{0, even, nan, 0xFF},
		{0, away, nan, 0xFF},
	} {
		if got := scale.EncodeE8M0(c.x, c.r, c.o); got != c.want {
			t.Errorf("EncodeE8M0(%g, rounding %d, overflow %d): got %#02x, want %#02x", c.x, c.r, c.o, uint8(got), uint8(c.want))
		}
	}
	// All 254 midpoints: away takes the upper code, even takes the even one.
	differ := 0
	for c := range scale.E8M0(0xFE) {
		mid := 1.5 * c.Float64()
		toEven, toAway := scale.EncodeE8M0(mid, even, nan), scale.EncodeE8M0(mid, away, nan)
		if toAway != c+1 || toEven != c+c%2 {
			t.Errorf("between %#02x and %#02x: even %#02x, away %#02x", uint8(c), uint8(c+1), uint8(toEven), uint8(toAway))
		}
		if toEven != toAway {
			differ++
		}
	}
	if differ != 127 {
		t.Errorf("the two nearest roundings differ on %d of 254 midpoints, want 127", differ)
	}
}

// Case 5, onnx/onnx #7784: a mask left mantissa bits out of "has a fraction".
func TestCase05_EveryMantissaBitRoundsUp(t *testing.T) {
	for _, c := range []struct {
		bits uint32
		want scale.E8M0
	}{
		{0x3F900000, 0x80}, // 1.125
		{0x3FA00000, 0x80}, // 1.25
		{0x40A00000, 0x82}, // 5
		{0x7F000001, 0xFE},
	} {
		if got := scale.EncodeE8M0(float64(f32(c.bits)), up, sat); got != c.want {
			t.Errorf("%#08x: got %#02x, want %#02x", c.bits, uint8(got), uint8(c.want))
		}
	}
	for bit := range 23 {
		t.Run(fmt.Sprintf("bit %d", bit), func(t *testing.T) {
			for exponent := uint32(1); exponent <= 0xFD; exponent++ {
				got := scale.EncodeE8M0(float64(f32(exponent<<23|1<<bit)), up, nan)
				if want := scale.E8M0(exponent + 1); got != want {
					t.Fatalf("exponent %#02x: got %#02x, want %#02x", exponent, uint8(got), uint8(want))
				}
			}
		})
	}
}

// Case 6, flashinfer #2440 and #4023: the scale of a tiny block underflowed and
// the inverse of the largest scale was zero.
func TestCase06_TinyInputsAndInverses(t *testing.T) {
	codes, g, err := scale.QuantizeWeights([]float32{0x1p-120}, 1, 1, 1, 128, 128, scale.WeightE8M0)
	if err != nil || g.Codes()[0] != 0x00 || codes[0] != 0x70 {
		t.Errorf("2^-120: got codes %#x, scale %#x, %v, want 0x70 and 0x00", codes, g.Codes(), err)
	} else if got := codes[0].Float64() * float64(g.At(0, 0)); got != 0x1p-120 {
		t.Errorf("2^-120 came back as %g", got)
	}
	for code, want := range map[scale.E8M0]uint32{0xFE: 0x00400000, 0x00: 0x7F000000, 0xFF: 0x7FC00000} {
		wantBits32(t, fmt.Sprintf("inverse of %#02x", uint8(code)), code.Inverse().Float32(), want)
	}
	// No magnitude of float32 makes NaN, in any quantiser.
	for e := -149; e < 128; e++ {
		x := []float32{float32(math.Ldexp(1, e)), float32(-math.Ldexp(1.75, e))}
		for name, quantize := range quantizers {
			codes, g, err := quantize(x)
			if err != nil || codes[0].IsNaN() || codes[1].IsNaN() || !(g.At(0, 0) > 0) || !(g.At(0, 0) <= math.MaxFloat32) {
				t.Errorf("%s of 2^%d: codes %#x, scale %g, %v", name, e, codes, g.At(0, 0), err)
			}
		}
	}
}

var quantizers = map[string]func(x []float32) ([]scale.E4M3, scale.Grid, error){
	"vllm": func(x []float32) ([]scale.E4M3, scale.Grid, error) {
		return scale.QuantizeActivations(x, 1, len(x), len(x), 128, scale.StyleVLLM)
	},
	"deepseek": func(x []float32) ([]scale.E4M3, scale.Grid, error) {
		return scale.QuantizeActivations(x, 1, len(x), len(x), 128, scale.StyleDeepSeek)
	},
	"weights E8M0": func(x []float32) ([]scale.E4M3, scale.Grid, error) {
		return scale.QuantizeWeights(x, 1, len(x), len(x), 128, 128, scale.WeightE8M0)
	},
	"weights float32": func(x []float32) ([]scale.E4M3, scale.Grid, error) {
		return scale.QuantizeWeights(x, 1, len(x), len(x), 128, 128, scale.WeightFP32)
	},
}

// Case 7, jax-ml/ml_dtypes #400: overflow is NaN in some stacks, 448 in others.
func TestCase07_OverflowIsNamed(t *testing.T) {
	for _, c := range []struct {
		x        float64
		sat, nan scale.E4M3
	}{
		{448, 0x7E, 0x7E},
		{464, 0x7E, 0x7E},
		{float64(math.Nextafter32(464, 465)), 0x7E, 0x7F},
		{math.Nextafter(464, 465), 0x7E, 0x7F},
		{math.Inf(1), 0x7E, 0x7F},
		{-1000, 0xFE, 0xFF},
		{math.Inf(-1), 0xFE, 0xFF},
		{math.NaN(), 0x7F, 0x7F},
	} {
		if s, n := scale.EncodeE4M3(c.x, sat), scale.EncodeE4M3(c.x, nan); s != c.sat || n != c.nan {
			t.Errorf("%g: got %#02x and %#02x, want %#02x and %#02x", c.x, uint8(s), uint8(n), uint8(c.sat), uint8(c.nan))
		}
	}
	for e := 9; e < 1024; e++ { // all that overflows
		x := math.Ldexp(1, e)
		if s, n := scale.EncodeE4M3(x, sat), scale.EncodeE4M3(-x, nan); s != 0x7E || n != 0xFF {
			t.Errorf("2^%d: got %#02x and %#02x", e, uint8(s), uint8(n))
		}
	}
}

// Case 8, sgl-project/sglang #40581: the top binade saturated, ties rounded up.
func TestCase08_TopBinadeAndTies(t *testing.T) {
	for _, c := range []struct {
		x    float32
		want scale.E4M3
	}{
		{256, 0x78},
		{288, 0x79},
		{320, 0x7A},
		{352, 0x7B},
		{384, 0x7C},
		{416, 0x7D},
		{448, 0x7E},
		{17, 0x58},
		{19, 0x5A},
		{0x1p-10, 0x00},
		{math.Nextafter32(0x1p-10, 1), 0x01},
	} {
		for _, o := range overflows {
			if got := scale.EncodeE4M3FromFloat32(c.x, o); got != c.want {
				t.Errorf("%g: got %#02x, want %#02x", c.x, uint8(got), uint8(c.want))
			}
		}
	}
	for c := range scale.E4M3(0x7E) { // all ties
		mid := (c.Float64() + (c + 1).Float64()) / 2
		if got, want := scale.EncodeE4M3(mid, sat), c+c%2; got != want {
			t.Errorf("between %#02x and %#02x: got %#02x, want %#02x", uint8(c), uint8(c+1), uint8(got), uint8(want))
		}
	}
}

// Case 9, 1bit-MONSTER #300: all seven subnormals were wrong.
func TestCase09_Subnormals(t *testing.T) {
	for code, want := range map[scale.E4M3]float32{
		0x01: 0.001953125, 0x02: 0.00390625, 0x03: 0.005859375, 0x04: 0.0078125,
		0x05: 0.009765625, 0x06: 0.01171875, 0x07: 0.013671875, 0x08: 0.015625,
	} {
		if got := code.Float32(); got != want {
			t.Errorf("%#02x: got %g, want %g", uint8(code), got, want)
		}
		if got := (code | 0x80).Float32(); got != -want {
			t.Errorf("%#02x: got %g, want %g", uint8(code|0x80), got, -want)
		}
	}
}

// Case 10, golang/go #27193 and #36399: NaN bits and -0 change in transit.
func TestCase10_QuietNaNAndNegativeZero(t *testing.T) {
	for name, v := range map[string]float32{
		"E8M0 0xff": scale.E8M0(0xFF).Float32(), "E4M3 0x7f": scale.E4M3(0x7F).Float32(), "E4M3 0xff": scale.E4M3(0xFF).Float32(),
	} {
		wantBits32(t, name, v, 0x7FC00000)
		wantBits32(t, name+" through float64", float32(float64(v)), 0x7FC00000)
	}
	negZero := scale.E4M3(0x80)
	wantBits32(t, "0x80", negZero.Float32(), 0x80000000)
	if got := scale.EncodeE4M3FromFloat32(negZero.Float32(), sat); got != 0x80 {
		t.Errorf("-0 came back as %#02x", uint8(got))
	}
	for _, x := range []float64{-0x1p-1074, -0x1p-149, -0x1p-10} { // all that rounds to -0
		if got := scale.EncodeE4M3(x, sat); got != 0x80 {
			t.Errorf("%g: got %#02x, want 0x80", x, uint8(got))
		}
	}
}

// Case 14, pytorch/pytorch #166752: the padding of a scale layout was implied.
func TestCase14_AnyDeclaredStride(t *testing.T) {
	const poison = 1e30
	for _, l := range []scale.Layout{
		scale.RowMajor(1, 640, 1, 128),
		scale.ColMajor(1, 640, 1, 128, 1),
		scale.ColMajor(1, 640, 1, 128, 4),
		{Rows: 1, Cols: 640, BlockRows: 1, BlockCols: 128, RowStride: 8, ColStride: 1},
		{Rows: 1, Cols: 640, BlockRows: 1, BlockCols: 128, RowStride: 1, ColStride: 17},
	} {
		values := make([]float32, l.Len())
		for i := range values {
			values[i] = poison
		}
		for block := range 5 {
			values[block*l.ColStride] = float32(math.Ldexp(1, block))
		}
		g := must(scale.NewFP32Grid(l, values))
		sum := float32(0)
		for k := range 640 {
			sum += g.Values()[g.Layout().IndexOf(0, k)]
		}
		if sum != 3968 {
			t.Errorf("%v: got %g, want 3968", l, sum)
		}
		_, err := scale.NewFP32Grid(l, values[:len(values)-1])
		wantMismatch(t, err, scale.ErrShape)
	}
}

// Case 15, pytorch/pytorch #195751: a square grid was taken for its transpose.
func TestCase15_OrientationIsGiven(t *testing.T) {
	product := func(n int, b scale.Grid) (sum float32) {
		as := [2]float32{1, 16}
		for k := range 256 {
			sum += as[k/128] * b.Values()[b.Layout().IndexOf(n, k)]
		}
		return sum
	}
	rowMajor, colMajor := scale.RowMajor(256, 256, 128, 128), scale.ColMajor(256, 256, 128, 128, 1)
	for _, c := range []struct {
		name    string
		layout  scale.Layout
		storage []float32
		want    [2]float32 // C[0,0] and C[0,128]
	}{
		{"rows in memory, row-major", rowMajor, []float32{1, 2, 4, 8}, [2]float32{4224, 16896}},
		{"columns in memory, column-major", colMajor, []float32{1, 4, 2, 8}, [2]float32{4224, 16896}},
		{"rows in memory, read as columns", colMajor, []float32{1, 2, 4, 8}, [2]float32{8320, 16640}},
	} {
		g := must(scale.NewFP32Grid(c.layout, c.storage))
		if got := [2]float32{product(0, g), product(128, g)}; got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// Case 16, huggingface/transformers #47030: scales were rounded to powers of
// two and the codes left as they were.
func TestCase16_NoSilentRounding(t *testing.T) {
	g := oneScale(1.5)
	_, err := g.ToE8M0()
	wantMismatch(t, err, scale.ErrInexact)
	for _, r := range roundings { // 2.0 with scale 1.5 means 3 in every rounding
		codes, to, err := scale.RequantizeE8M0([]scale.E4M3{0x40}, 1, g, r)
		if err != nil {
			t.Fatal(err)
		}
		if got := codes[0].Float32() * to.At(0, 0); got != 3 {
			t.Errorf("rounding %d: 1.5 * 2 became %g", r, got)
		}
	}
	// Every mantissa bit alone is inexact.
	for bit := range 23 {
		_, err := oneScale(f32(0x3F800000 | 1<<bit)).ToE8M0()
		wantMismatch(t, err, scale.ErrInexact)
	}
}

// Case 19, kernels-community #681: a block of zeros gave 0/0.
func TestCase19_ZeroBlocks(t *testing.T) {
	zeros := make([]float32, 128)
	for name, want := range map[string]uint32{
		"vllm":            0x2A7B5123, // 1e-10/448
		"deepseek":        0x34800000, // 2^-22
		"weights E8M0":    0x3F800000,
		"weights float32": 0x3F800000,
	} {
		codes, g, err := quantizers[name](zeros)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(codes, make([]scale.E4M3, 128)) {
			t.Errorf("%s: codes %#x of zeros", name, codes)
		}
		wantBits32(t, name, g.At(0, 0), want)
	}
	if g := must(scale.NewE8M0Grid(scale.RowMajor(1, 1, 1, 1), []scale.E8M0{0x69})); g.At(0, 0) != 0x1p-22 {
		t.Errorf("0x69 is %g", g.At(0, 0))
	}
}

// Case 22, vllm-xpu-kernels #609: no tokens crashed, or skipped the checks.
func TestCase22_NoTokens(t *testing.T) {
	for _, c := range []struct{ rows, cols int }{{0, 7168}, {0, 0}, {5, 0}} {
		codes, g, err := scale.QuantizeActivations(nil, c.rows, c.cols, c.cols, 128, scale.StyleVLLM)
		if err != nil || len(codes) != 0 || !g.IsSet() || g.Layout().Rows != c.rows || g.Layout().Cols != c.cols {
			t.Errorf("activations %dx%d: %d codes, %v", c.rows, c.cols, len(codes), err)
		}
		codes, g, err = scale.QuantizeWeights(nil, c.rows, c.cols, c.cols, 128, 128, scale.WeightE8M0)
		if err != nil || len(codes) != 0 || !g.IsE8M0() || g.Layout().Rows != c.rows || g.Layout().Cols != c.cols {
			t.Errorf("weights %dx%d: %d codes, %v", c.rows, c.cols, len(codes), err)
		}
	}
	_, _, err := scale.QuantizeActivations(nil, 0, 7168, 7167, 128, scale.StyleVLLM)
	wantMismatch(t, err, scale.ErrStride)
	_, _, err = scale.QuantizeActivations(nil, 0, 7168, 7168, 0, scale.StyleVLLM)
	wantMismatch(t, err, scale.ErrBlock)
	_, _, err = scale.QuantizeActivations(nil, 0, 7168, 7168, 128, 0)
	wantMismatch(t, err, scale.ErrOption)
}

// Case 26, vllm-project/vllm #52997: shards that start inside a block.
func TestCase26_ShardsInsideABlock(t *testing.T) {
	whole := must(scale.NewFP32Grid(scale.RowMajor(192, 128, 128, 128), []float32{1, 4}))
	first, second := must(whole.SliceRows(0, 96)), must(whole.SliceRows(96, 192))
	for row := range 96 {
		if got := first.Values()[first.Layout().IndexOf(row, 0)]; got != 1 {
			t.Errorf("rank 0, row %d: got %g, want 1", row, got)
		}
		want := float32(1)
		if row >= 32 {
			want = 4
		}
		if got := second.Values()[second.Layout().IndexOf(row, 127)]; got != want {
			t.Errorf("rank 1, row %d: got %g, want %g", row, got, want)
		}
	}
	// Every split of a grid in two is the grid.
	g := must(scale.NewE8M0Grid(scale.ColMajor(9, 5, 4, 2, 4), []scale.E8M0{0x70, 0x71, 0x72, 0xFF, 0x73, 0x74, 0x75, 0xFF, 0x76, 0x77, 0x78}))
	for cut := range 10 {
		top, bottom := must(g.SliceRows(0, cut)), must(g.SliceRows(cut, 9))
		for row := range 9 {
			for col := range 5 {
				part, at := top, row
				if row >= cut {
					part, at = bottom, row-cut
				}
				if got, want := part.Codes()[part.Layout().IndexOf(at, col)], scale.E8M0(0x70+row/4+3*(col/2)); got != want {
					t.Errorf("cut at %d, element (%d, %d): got %#02x, want %#02x", cut, row, col, uint8(got), uint8(want))
				}
			}
		}
	}
}
