package scale_test

import (
	"math"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

func TestFormatNames(t *testing.T) {
	for _, c := range []struct {
		format scale.Format
		name   string
		width  int
	}{
		{scale.Float32, "float32", 32},
		{scale.BFloat16, "bf16", 16},
		{scale.Float16, "fp16", 16},
	} {
		if got := c.format.String(); got != c.name {
			t.Errorf("String: got %q, want %q", got, c.name)
		}
		if got, err := scale.ParseFormat(c.name); err != nil || got != c.format {
			t.Errorf("ParseFormat(%q): got %v, %v", c.name, got, err)
		}
		if got := c.format.Width(); got != c.width {
			t.Errorf("%s.Width: got %d, want %d", c.name, got, c.width)
		}
		if !c.format.Valid() {
			t.Errorf("%s is not Valid", c.name)
		}
	}
	var zero scale.Format
	if zero != scale.Float32 {
		t.Errorf("the zero Format is %v, want float32", zero)
	}
	for _, f := range []scale.Format{3, 255} {
		if f.Valid() {
			t.Errorf("Format(%d) is Valid", uint8(f))
		}
	}
	if got := scale.Format(3).String(); got != "Format(3)" {
		t.Errorf("got %q, want Format(3)", got)
	}
}

func TestParseFormatErrors(t *testing.T) {
	for _, name := range []string{"", "FP16", "float16", "bfloat16", "fp32", " fp16", "Format(3)"} {
		t.Run(name, func(t *testing.T) {
			_, err := scale.ParseFormat(name)
			wantMismatch(t, err, scale.ErrOption)
		})
	}
}

func TestFormatRoundAndBits(t *testing.T) {
	for _, c := range []struct {
		x                float64
		fp32, bf16, fp16 uint32 // stored bits
	}{
		{0, 0x00000000, 0x0000, 0x0000},
		{math.Copysign(0, -1), 0x80000000, 0x8000, 0x8000},
		{1, 0x3F800000, 0x3F80, 0x3C00},
		{-288, 0xC3900000, 0xC390, 0xDC80},
		{1.0 / 3, 0x3EAAAAAB, 0x3EAB, 0x3555},
		{1 + 0x1p-8 + 0x1p-40, 0x3F808000, 0x3F81, 0x3C04},
		{1 + 0x1p-11 + 0x1p-40, 0x3F801000, 0x3F80, 0x3C01},
		{1 + 0x1p-24 + 0x1p-50, 0x3F800001, 0x3F80, 0x3C00},
		{65520, 0x477FF000, 0x4780, 0x7C00},
		{1e300, 0x7F800000, 0x7F80, 0x7C00},
		{-1e300, 0xFF800000, 0xFF80, 0xFC00},
		{0x1p-149, 0x00000001, 0x0000, 0x0000},
		{0x1p-127, 0x00400000, 0x0040, 0x0000},
		{math.Inf(-1), 0xFF800000, 0xFF80, 0xFC00},
	} {
		for _, f := range []struct {
			format scale.Format
			want   uint32
		}{{scale.Float32, c.fp32}, {scale.BFloat16, c.bf16}, {scale.Float16, c.fp16}} {
			if got := f.format.Bits(f.format.Round(c.x)); got != f.want {
				t.Errorf("%v of %b: got %#x, want %#x", f.format, c.x, got, f.want)
			}
		}
	}
}

func TestFormatNaN(t *testing.T) {
	x := math.NaN()
	if bits := scale.Float32.Bits(scale.Float32.Round(x)); !isNaN32(bits) {
		t.Errorf("float32: %#x", bits)
	}
	if bits := scale.BFloat16.Bits(scale.BFloat16.Round(x)); bits > 0xFFFF || !isNaNBF16(scale.BF16(bits)) {
		t.Errorf("bf16: %#x", bits)
	}
	if bits := scale.Float16.Bits(scale.Float16.Round(x)); bits > 0xFFFF || !isNaNFP16(uint16(bits)) {
		t.Errorf("fp16: %#x", bits)
	}
}

// Bits rounds what is not a value of the format.
func TestFormatBitsRounds(t *testing.T) {
	if got := scale.BFloat16.Bits(f32(0x3F818000)); got != 0x3F82 {
		t.Errorf("bf16: got %#x, want 0x3f82", got)
	}
	if got := scale.Float16.Bits(65520); got != 0x7C00 {
		t.Errorf("fp16: got %#x, want 0x7c00", got)
	}
}

// Round gives a value of the format: rounding it again changes nothing, and the
// value is the model's.
func TestFormatRoundMatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawFloat64(t, "x")
		if x != x {
			t.Skip("NaN has its own test")
		}
		for format, model := range map[scale.Format]floatModel{scale.BFloat16: bf16Model, scale.Float16: fp16Model} {
			want := uint32(model.nearest(math.Abs(x)))
			if math.Signbit(x) {
				want |= 0x8000
			}
			v := format.Round(x)
			if got := format.Bits(v); got != want {
				t.Errorf("%v of %b: got %#x, want %#x", format, x, got, want)
			}
			if again := format.Round(float64(v)); again != v {
				t.Errorf("%v of %b: %g is no value of the format, it rounds to %g", format, x, v, again)
			}
		}
	})
}
