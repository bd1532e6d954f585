package scale_test

import (
	"math"
	"math/big"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

func TestFP16Float32AllCodes(t *testing.T) {
	for c := range 0x7C00 {
		want := fp16Model.value(c)
		if got := float64(scale.FP16(c).Float32()); got != want || math.Signbit(got) {
			t.Fatalf("%#04x: got %g, want %g", c, got, want)
		}
		if got := float64(scale.FP16(c | 0x8000).Float32()); got != -want || !math.Signbit(got) {
			t.Fatalf("%#04x: got %g, want -%g", c|0x8000, got, want)
		}
	}
	wantBits32(t, "+Inf", scale.FP16(0x7C00).Float32(), 0x7F800000)
	wantBits32(t, "-Inf", scale.FP16(0xFC00).Float32(), 0xFF800000)
	for c := 0x7C01; c <= 0x7FFF; c++ {
		if bits := math.Float32bits(scale.FP16(c).Float32()); !isNaN32(bits) {
			t.Fatalf("%#04x: %#08x is not NaN", c, bits)
		}
	}
}

func TestFP16FromFloat32Literals(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want uint16
	}{
		{0, 0x0000},
		{math.Copysign(0, -1), 0x8000},
		{1, 0x3C00},
		{-2, 0xC000},
		{1 + 0x1p-11, 0x3C00},
		{1 + 0x3p-11, 0x3C02},
		{above32(1 + 0x1p-11), 0x3C01},
		{0x1p-25, 0x0000},
		{above32(0x1p-25), 0x0001},
		{0x1p-24, 0x0001},
		{0x3p-25, 0x0002},
		{0x1p-14, 0x0400},
		{0x3FFp-24, 0x03FF},
		{0x7FFp-25, 0x0400},
		{65504, 0x7BFF},
		{below32(65520), 0x7BFF},
		{65520, 0x7C00},
		{-65520, 0xFC00},
		{math.MaxFloat32, 0x7C00},
		{math.Inf(1), 0x7C00},
		{math.Inf(-1), 0xFC00},
		{0x1p-149, 0x0000},
		{-0x1p-149, 0x8000},
	} {
		if got := scale.FP16FromFloat32(float32(c.x)).Bits(); got != c.want {
			t.Errorf("%b: got %#04x, want %#04x", c.x, got, c.want)
		}
	}
}

func TestFP16FromFloat32MatchesModel(t *testing.T) {
	forBothSigns(t, func(t *testing.T, _ string, sign uint32) {
		walkFloat32(fp16Model, func(bits uint32, code int) bool {
			got, want := scale.FP16FromFloat32(f32(bits|sign)).Bits(), uint16(code)|uint16(sign>>16)
			if isNaN32(bits) {
				if !isNaNFP16(got) || got&0x8000 != want&0x8000 {
					t.Errorf("%#08x: %#04x is not a NaN of the same sign", bits|sign, got)
				}
				return !t.Failed()
			}
			if got != want {
				t.Errorf("%#08x: got %#04x, want %#04x", bits|sign, got, want)
			}
			return got == want
		})
	})
}

// Rounding to float32 on the way would be wrong in each of these.
func TestFP16FromFloat64RoundsOnce(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want uint16
	}{
		{1 + 0x1p-11 + 0x1p-40, 0x3C01},
		{1 + 0x3p-11 - 0x1p-40, 0x3C01},
		{-1 - 0x1p-11 - 0x1p-40, 0xBC01},
		{0x1p-25 + 0x1p-60, 0x0001},
		{0x3p-25 - 0x1p-60, 0x0001},
		{65520 - 0x1p-20, 0x7BFF},
	} {
		if got := scale.FP16FromFloat64(c.x).Bits(); got != c.want {
			t.Errorf("%b: got %#04x, want %#04x", c.x, got, c.want)
		}
		if twice := scale.FP16FromFloat32(float32(c.x)).Bits(); twice == c.want {
			t.Errorf("%b: float32 does not reach the tie, the example proves nothing", c.x)
		}
	}
}

func TestFP16FromFloat64Literals(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want uint16
	}{
		{0, 0x0000},
		{math.Copysign(0, -1), 0x8000},
		{0x1p-1074, 0x0000},
		{-0x1p-1074, 0x8000},
		{1e300, 0x7C00},
		{-1e300, 0xFC00},
		{0x1p128, 0x7C00},
		{math.Inf(-1), 0xFC00},
		{65520, 0x7C00},
		{below64(65520), 0x7BFF},
	} {
		if got := scale.FP16FromFloat64(c.x).Bits(); got != c.want {
			t.Errorf("%b: got %#04x, want %#04x", c.x, got, c.want)
		}
	}
	if got := scale.FP16FromFloat64(math.NaN()).Bits(); !isNaNFP16(got) {
		t.Errorf("NaN: got %#04x", got)
	}
}

func TestFP16FromFloat64EveryMidpoint(t *testing.T) {
	for _, mid := range fp16Model.mids {
		for _, x := range []float64{mid, above64(mid), below64(mid), above32(mid), below32(mid)} {
			if got, want := scale.FP16FromFloat64(x).Bits(), uint16(fp16Model.nearest(x)); got != want {
				t.Fatalf("%b: got %#04x, want %#04x", x, got, want)
			}
		}
	}
}

func TestFP16FromFloat64MatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawFloat64(t, "x")
		if rapid.Bool().Draw(t, "in range") {
			x = drawNormal(t, -30, 17)
		}
		got := scale.FP16FromFloat64(x).Bits()
		if x != x {
			if !isNaNFP16(got) {
				t.Errorf("NaN: got %#04x", got)
			}
			return
		}
		want := uint16(fp16Model.nearest(math.Abs(x)))
		if math.Signbit(x) {
			want |= 0x8000
		}
		if got != want {
			t.Errorf("%b: got %#04x, want %#04x", x, got, want)
		}
	})
}

// In the normal range math/big rounds to 11 bits just as well.
func TestFP16FromFloat64MatchesBigFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawNormal(t, -14, 14)
		want, _ := new(big.Float).SetPrec(11).SetMode(big.ToNearestEven).SetFloat64(x).Float64()
		if got := float64(scale.FP16FromFloat64(x).Float32()); got != want {
			t.Errorf("%b: got %g, want %g", x, got, want)
		}
	})
}
