package scale_test

import (
	"math"
	"testing"

	"blockfp8/scale"
)

func TestE4M3Literals(t *testing.T) {
	for _, c := range []struct {
		code scale.E4M3
		want float64
	}{
		{0x00, 0},
		{0x01, 0.001953125},
		{0x02, 0.00390625},
		{0x03, 0.005859375},
		{0x04, 0.0078125},
		{0x05, 0.009765625},
		{0x06, 0.01171875},
		{0x07, 0.013671875}, // subnormals: m * 2^-9
		{0x08, 0.015625},
		{0x09, 0.017578125},
		{0x0F, 0.029296875},
		{0x10, 0.03125},
		{0x30, 0.5},
		{0x37, 0.9375},
		{0x38, 1},
		{0x39, 1.125},
		{0x3C, 1.5},
		{0x40, 2},
		{0x58, 16},
		{0x59, 18},
		{0x5A, 20},
		{0x70, 128},
		{0x77, 240},
		{0x78, 256},
		{0x79, 288},
		{0x7D, 416},
		{0x7E, 448},
	} {
		if got := c.code.Float64(); got != c.want || math.Signbit(got) {
			t.Errorf("%#02x: got %g, want %g", uint8(c.code), got, c.want)
		}
		if got := (c.code | 0x80).Float64(); got != -c.want || !math.Signbit(got) {
			t.Errorf("%#02x: got %g, want -%g", uint8(c.code|0x80), got, c.want)
		}
	}
}

func TestE4M3AllCodesByDefinition(t *testing.T) {
	for c := range 0x7F {
		magnitude := ratPow2(-9) // a code of exponent 0 counts steps of 2^-9
		if exponent := c >> 3; exponent > 0 {
			magnitude = ratPow2(exponent - 1 - 9)
			magnitude.Mul(magnitude, rat(float64(8+c&7)))
		} else {
			magnitude.Mul(magnitude, rat(float64(c)))
		}
		want, exact := magnitude.Float32()
		if !exact {
			t.Fatalf("%#02x: float32 does not hold %v", c, magnitude)
		}
		wantBits32(t, "positive", scale.E4M3(c).Float32(), math.Float32bits(want))
		wantBits32(t, "negative", scale.E4M3(c|0x80).Float32(), math.Float32bits(want)|1<<31)
		if got := scale.E4M3(c).Float64(); rat(got).Cmp(magnitude) != 0 {
			t.Errorf("%#02x.Float64: got %g, want %g", c, got, want)
		}
	}
}

func TestE4M3NaN(t *testing.T) {
	for c := range 256 {
		v, want := scale.E4M3(c), c == 0x7F || c == 0xFF
		if v.IsNaN() != want || isNaN32(math.Float32bits(v.Float32())) != want || isNaN64(math.Float64bits(v.Float64())) != want {
			t.Errorf("%#02x: NaN by IsNaN %v, Float32 %g, Float64 %g; want %v", c, v.IsNaN(), v.Float32(), v.Float64(), want)
		}
	}
	wantBits32(t, "0x7f", scale.E4M3(0x7F).Float32(), 0x7FC00000)
	wantBits32(t, "0xff", scale.E4M3(0xFF).Float32(), 0x7FC00000)
	if scale.NaNE4M3 != 0x7F || scale.MaxE4M3 != 448 {
		t.Errorf("NaNE4M3 %#02x, MaxE4M3 %g", uint8(scale.NaNE4M3), scale.MaxE4M3)
	}
}

// Every code comes back from its value; both NaN codes come back as NaN.
func TestE4M3RoundTripsAllCodes(t *testing.T) {
	for c := range 256 {
		v := scale.E4M3(c)
		for _, o := range overflows {
			from64, from32 := scale.EncodeE4M3(v.Float64(), o), scale.EncodeE4M3FromFloat32(v.Float32(), o)
			if v.IsNaN() && from64.IsNaN() && from32.IsNaN() {
				continue
			}
			if from64 != v || from32 != v {
				t.Errorf("%#02x: back from float64 %#02x, from float32 %#02x", c, uint8(from64), uint8(from32))
			}
		}
	}
}

func TestE4M3sSharesMemory(t *testing.T) {
	bytes := []byte{0x38, 0x80, 0xFF}
	codes := scale.E4M3s(bytes)
	wantCodes(t, "E4M3s", codes, []scale.E4M3{0x38, 0x80, 0xFF})
	codes[0] = 0x40
	if bytes[0] != 0x40 {
		t.Error("E4M3s copied its bytes")
	}
	if got := scale.E4M3s(nil); got != nil {
		t.Errorf("E4M3s(nil) is %v, want nil", got)
	}
	if got := scale.E4M3s([]byte{}); got == nil || len(got) != 0 {
		t.Errorf("E4M3s of no bytes: got %v (nil %v)", got, got == nil)
	}
}
