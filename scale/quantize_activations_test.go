package scale_test

import (
	"math"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

const (
	vllm     = scale.StyleVLLM
	deepSeek = scale.StyleDeepSeek
)

func TestQuantizeActivationsLiterals(t *testing.T) {
	inf, negZero := float32(math.Inf(1)), float32(math.Copysign(0, -1))
	nan32, negNaN := f32(0x7FC00000), f32(0xFF800001)
	const vllmFloor, deepSeekFloor = 0x2A7B5123, 0x34800000 // RN(RN(1e-10)/448), 2^-22
	for _, c := range []struct {
		name  string
		style scale.ActivationStyle
		x     []float32
		scale uint32
		want  []scale.E4M3
	}{
		{"448 sets scale 1", vllm, []float32{448, -448, 1, 17, 19}, 0x3F800000, []scale.E4M3{0x7E, 0xFE, 0x38, 0x58, 0x5A}},
		{"448 sets scale 1", deepSeek, []float32{448, -448, 1, 17, 19}, 0x3F800000, []scale.E4M3{0x7E, 0xFE, 0x38, 0x58, 0x5A}},
		{"the float32 above 448", vllm, []float32{f32(0x43E00001)}, 0x3F800001, []scale.E4M3{0x7E}},
		{"the float32 above 448", deepSeek, []float32{f32(0x43E00001)}, 0x40000000, []scale.E4M3{0x76}},
		{"672", vllm, []float32{672, 3}, 0x3FC00000, []scale.E4M3{0x7E, 0x40}},
		{"672", deepSeek, []float32{672, 3}, 0x40000000, []scale.E4M3{0x7A, 0x3C}}, // 336 ties to 320
		{"zeros", vllm, []float32{0, negZero, 0}, vllmFloor, []scale.E4M3{0x00, 0x80, 0x00}},
		{"zeros", deepSeek, []float32{0, negZero, 0}, deepSeekFloor, []scale.E4M3{0x00, 0x80, 0x00}},
		{"subnormals", vllm, []float32{0x1p-149, -0x1p-130}, vllmFloor, []scale.E4M3{0x00, 0x80}},
		{"subnormals", deepSeek, []float32{0x1p-149, -0x1p-130}, deepSeekFloor, []scale.E4M3{0x00, 0x80}},
		{"half of the floor", deepSeek, []float32{0x1p-22, 0x1p-31, 0x1p-32}, deepSeekFloor, []scale.E4M3{0x38, 0x01, 0x00}},
		{"not finite", vllm, []float32{nan32, 448, inf, -inf, negNaN, -1}, 0x3F800000, []scale.E4M3{0x7F, 0x7E, 0x7F, 0xFF, 0xFF, 0xB8}},
		{"not finite", deepSeek, []float32{nan32, 448, inf, -inf, negNaN, -1}, 0x3F800000, []scale.E4M3{0x7F, 0x7E, 0x7F, 0xFF, 0xFF, 0xB8}},
		{"nothing finite", vllm, []float32{nan32, -inf}, vllmFloor, []scale.E4M3{0x7F, 0xFF}},
		{"nothing finite", deepSeek, []float32{nan32, -inf}, deepSeekFloor, []scale.E4M3{0x7F, 0xFF}},
		{"largest", deepSeek, []float32{math.MaxFloat32}, 0x7B800000, []scale.E4M3{0x78}}, // 2^128 / 2^120 = 256
	} {
		t.Run(c.name+" "+c.style.String(), func(t *testing.T) {
			codes, g, err := scale.QuantizeActivations(c.x, 1, len(c.x), len(c.x), len(c.x), c.style)
			if err != nil {
				t.Fatal(err)
			}
			wantCodes(t, c.name, codes, c.want)
			if g.IsE8M0() != (c.style == deepSeek) {
				t.Errorf("IsE8M0: got %v", g.IsE8M0())
			}
			wantBits32(t, "scale", g.At(0, 0), c.scale)
		})
	}
}

// modelActivation is the published rule for one group, in exact rationals
// rounded to float32 where the rule says float32.
func modelActivation(x []float32, style scale.ActivationStyle) (s float32, codes []scale.E4M3) {
	amax := float64(float32(1e-10))
	if style == deepSeek {
		amax = float64(float32(1e-4))
	}
	for _, v := range x {
		if v == v && !math.IsInf(float64(v), 0) {
			amax = math.Max(amax, math.Abs(float64(v)))
		}
	}
	s = quotient32(amax, 448)
	if style == deepSeek {
		s = float32(math.Ldexp(1, int(modelE8M0(float64(s), up, sat))-127))
	}
	for _, v := range x {
		switch {
		case v != v || math.IsInf(float64(v), 0):
			codes = append(codes, 0x7F|scale.E4M3(math.Float32bits(v)>>31<<7))
		case v == 0:
			codes = append(codes, scale.E4M3(math.Float32bits(v)>>31<<7))
		default:
			q := math.Copysign(float64(quotient32(float64(v), float64(s))), float64(v))
			codes = append(codes, modelE4M3(q, sat))
		}
	}
	return s, codes
}

// Any bits, any shape, strides with poison between the rows.
func TestQuantizeActivationsMatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(0, 4).Draw(t, "rows"), rapid.IntRange(0, 13).Draw(t, "cols")
		group := rapid.IntRange(1, 6).Draw(t, "group")
		x, stride := drawMatrix(t, rows, cols)
		style := rapid.SampledFrom([]scale.ActivationStyle{vllm, deepSeek}).Draw(t, "style")
		codes, g, err := scale.QuantizeActivations(x, rows, cols, stride, group, style)
		if err != nil {
			t.Fatal(err)
		}
		checkDense(t, "QuantizeActivations", g, scale.RowMajor(rows, cols, 1, group))
		if len(codes) != rows*cols {
			t.Fatalf("%d codes for %dx%d", len(codes), rows, cols)
		}
		for row := range rows {
			for from := 0; from < cols; from += group {
				to := min(cols, from+group)
				s, want := modelActivation(x[row*stride+from:row*stride+to], style)
				wantCodes(t, "group", codes[row*cols+from:row*cols+to], want)
				wantBits32(t, "scale", slowAt(g, row, from), math.Float32bits(s))
			}
		}
	})
}

// drawMatrix draws rows of cols floats in a stride, one magnitude to a row so
// that not all is zero next to the largest; the gaps are NaN, and the last row
// ends the slice.
func drawMatrix(t *rapid.T, rows, cols int) (x []float32, stride int) {
	stride = cols + rapid.IntRange(0, 3).Draw(t, "padding")
	x = make([]float32, max(0, (rows-1)*stride+cols))
	for i := range x {
		x[i] = f32(0x7FC00BAD)
	}
	for row := range rows {
		exponent := rapid.Uint32Range(0, 0xFE-16).Draw(t, "exponent")
		wild := rapid.Bool().Draw(t, "wild")
		for col := range cols {
			bits := rapid.Uint32().Draw(t, "x")
			if wild {
				x[row*stride+col] = drawFloat32(t, "x")
				continue
			}
			x[row*stride+col] = f32(bits&0x807FFFFF | (exponent+bits>>24&15)<<23)
		}
	}
	return x, stride
}

// A group's codes depend on that group alone.
func TestQuantizeActivationsGroupsAreIndependent(t *testing.T) {
	x := []float32{1, 2, 1e30, 1e-30, f32(0x7FC00000), 3}
	codes, g, err := scale.QuantizeActivations(x, 1, 6, 6, 2, deepSeek)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		alone, one, err := scale.QuantizeActivations(x[2*i:2*i+2], 1, 2, 2, 2, deepSeek)
		if err != nil {
			t.Fatal(err)
		}
		wantCodes(t, "alone", codes[2*i:2*i+2], alone)
		if got, want := g.At(0, i), one.At(0, 0); got != want {
			t.Errorf("group %d: scale %g, alone %g", i, got, want)
		}
	}
}

func TestQuantizeActivationsErrors(t *testing.T) {
	x := make([]float32, 12)
	for _, c := range []struct {
		name                      string
		rows, cols, stride, group int
		style                     scale.ActivationStyle
		kind                      error
	}{
		{"negative rows", -1, 4, 4, 4, vllm, scale.ErrShape},
		{"negative columns", 3, -4, 4, 4, vllm, scale.ErrShape},
		{"too many rows", 4, 4, 4, 4, vllm, scale.ErrShape},
		{"too long a stride", 3, 4, 5, 4, vllm, scale.ErrShape},
		{"size overflows", math.MaxInt, 4, 4, 4, vllm, scale.ErrShape},
		{"size wraps to 0", 1 << 62, 4, 4, 4, vllm, scale.ErrShape},
		{"stride below columns", 3, 4, 3, 4, vllm, scale.ErrStride},
		{"negative stride", 3, 4, -4, 4, vllm, scale.ErrStride},
		{"stride checked without rows", 0, 4, 3, 4, vllm, scale.ErrStride},
		{"zero group", 3, 4, 4, 0, vllm, scale.ErrBlock},
		{"negative group", 3, 4, 4, -128, deepSeek, scale.ErrBlock},
		{"group checked without rows", 0, 4, 4, 0, deepSeek, scale.ErrBlock},
		{"no style", 3, 4, 4, 4, 0, scale.ErrOption},
		{"style past the last", 3, 4, 4, 4, 3, scale.ErrOption},
		{"style checked without rows", 0, 4, 4, 4, 0, scale.ErrOption},
	} {
		t.Run(c.name, func(t *testing.T) {
			codes, g, err := scale.QuantizeActivations(x, c.rows, c.cols, c.stride, c.group, c.style)
			wantMismatch(t, err, c.kind)
			if codes != nil || g.IsSet() {
				t.Error("a failed quantiser returned something")
			}
		})
	}
}

// The largest group there is means one group per row.
func TestQuantizeActivationsHugeGroup(t *testing.T) {
	codes, g, err := scale.QuantizeActivations([]float32{448, 1, -448, 2}, 2, 2, 2, math.MaxInt, vllm)
	if err != nil {
		t.Fatal(err)
	}
	wantCodes(t, "codes", codes, []scale.E4M3{0x7E, 0x38, 0xFE, 0x40})
	if len(g.Values()) != 2 || g.At(1, 0) != 1 {
		t.Errorf("scales: %v", g.Values())
	}
}

func TestActivationStyleString(t *testing.T) {
	for style, want := range map[scale.ActivationStyle]string{vllm: "vllm", deepSeek: "deepseek", 0: "ActivationStyle(0)", 3: "ActivationStyle(3)"} {
		if got := style.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
