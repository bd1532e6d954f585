package scale_test

import (
	"math"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

const (
	up   = scale.RoundUp
	down = scale.RoundFloor
	even = scale.RoundNearestEven
	away = scale.RoundNearestAway
	sat  = scale.Saturate
	nan  = scale.OverflowNaN
)

var (
	roundings = []scale.Rounding{up, down, even, away}
	overflows = []scale.Overflow{sat, nan}
)

// checkE8M0 compares all defined options with the model.
func checkE8M0(t tb, x float64) {
	t.Helper()
	for _, r := range roundings {
		for _, o := range overflows {
			if got, want := scale.EncodeE8M0(x, r, o), modelE8M0(x, r, o); got != want {
				t.Errorf("EncodeE8M0(%b = %g, rounding %d, overflow %d): got %#02x, want %#02x", x, x, r, o, uint8(got), uint8(want))
			}
		}
	}
}

func TestEncodeE8M0Literals(t *testing.T) {
	inf := math.Inf(1)
	type codes [8]scale.E8M0 // up, floor, even, away when saturating; then the same for NaN
	for _, c := range []struct {
		x    float64
		want codes
	}{
		{1, codes{0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F}},
		{3, codes{0x81, 0x80, 0x80, 0x81, 0x81, 0x80, 0x80, 0x81}},
		{0.75, codes{0x7F, 0x7E, 0x7E, 0x7F, 0x7F, 0x7E, 0x7E, 0x7F}},
		{1.5, codes{0x80, 0x7F, 0x80, 0x80, 0x80, 0x7F, 0x80, 0x80}},
		{1.25, codes{0x80, 0x7F, 0x7F, 0x7F, 0x80, 0x7F, 0x7F, 0x7F}},
		{1.75, codes{0x80, 0x7F, 0x80, 0x80, 0x80, 0x7F, 0x80, 0x80}},
		// The top: 2^127, the float above, 1.5*2^127, and beyond float32.
		{0x1p127, codes{0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE}},
		{0x1.000002p127, codes{0xFE, 0xFE, 0xFE, 0xFE, 0xFF, 0xFE, 0xFE, 0xFE}},
		{0x1.8p127, codes{0xFE, 0xFE, 0xFE, 0xFE, 0xFF, 0xFE, 0xFE, 0xFF}},
		{0x1.800002p127, codes{0xFE, 0xFE, 0xFE, 0xFE, 0xFF, 0xFE, 0xFF, 0xFF}},
		{0x1p128, codes{0xFE, 0xFE, 0xFE, 0xFE, 0xFF, 0xFE, 0xFF, 0xFF}},
		{math.MaxFloat64, codes{0xFE, 0xFE, 0xFE, 0xFE, 0xFF, 0xFE, 0xFF, 0xFF}},
		{inf, codes{0xFE, 0xFE, 0xFE, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF}},
		// The bottom: 2^-127, and 1.5*2^-128 with its two float64 neighbours.
		{0x1p-127, codes{0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}},
		{0x1.8p-127, codes{0x01, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01}},
		{0x1.8p-128, codes{0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0x00, 0x00}},
		{0x1.7ffffffffffffp-128, codes{0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF}},
		{0x1.8000000000001p-128, codes{0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0x00, 0x00}},
		{0x1p-128, codes{0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF}},
		{0x1p-149, codes{0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF}},
		{0x1p-1074, codes{0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF}},
		{0, codes{0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF}},
		{math.Copysign(0, -1), codes{0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF}},
		// No power of two stands for these.
		{-0x1p-1074, codes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
		{-1, codes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
		{-math.MaxFloat32, codes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
		{-inf, codes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
		{math.NaN(), codes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
		{math.Copysign(math.NaN(), -1), codes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
	} {
		for i, want := range c.want {
			r, o := roundings[i%4], overflows[i/4]
			if got := scale.EncodeE8M0(c.x, r, o); got != want {
				t.Errorf("EncodeE8M0(%b = %g, rounding %d, overflow %d): got %#02x, want %#02x", c.x, c.x, r, o, uint8(got), uint8(want))
			}
		}
		checkE8M0(t, c.x) // and the model agrees with the literals
	}
}

// A fraction too small for float32 still counts: x is rounded once.
func TestEncodeE8M0RoundsOnce(t *testing.T) {
	for _, c := range []struct {
		x    float64
		r    scale.Rounding
		want scale.E8M0
	}{
		{1 + 0x1p-40, up, 0x80},
		{4 - 0x1p-40, down, 0x80},
		{3 + 0x1p-40, even, 0x81}, // 3 itself is a tie, to 0x80
		{3 - 0x1p-40, away, 0x80}, // 3 itself is a tie, to 0x81
		{1.5 - 0x1p-40, even, 0x7F},
	} {
		for _, o := range overflows {
			if got := scale.EncodeE8M0(c.x, c.r, o); got != c.want {
				t.Errorf("EncodeE8M0(%b, rounding %d): got %#02x, want %#02x", c.x, c.r, uint8(got), uint8(c.want))
			}
		}
	}
}

// Every power of two, every midpoint, the neighbours of both in float32 and in
// float64, and every mantissa bit of float32 and float64 alone.
func TestEncodeE8M0AroundEveryPower(t *testing.T) {
	for e := -160; e <= 140; e++ {
		power := math.Ldexp(1, e)
		for _, x := range []float64{power, 1.5 * power} {
			for _, near := range []float64{x, above64(x), below64(x), above32(x), below32(x)} {
				checkE8M0(t, near)
			}
		}
		for bit := 1; bit <= 52; bit++ {
			checkE8M0(t, math.Ldexp(1+math.Ldexp(1, -bit), e))
		}
	}
	for e := -1074; e < 1024; e += 7 {
		checkE8M0(t, math.Ldexp(1.25, e))
	}
}

// Every value that a code has encodes to that code, whatever the options.
func TestEncodeE8M0RoundTripsAllCodes(t *testing.T) {
	for _, s := range allE8M0 {
		for _, r := range roundings {
			for _, o := range overflows {
				if got := scale.EncodeE8M0(s.Float64(), r, o); got != s {
					t.Errorf("%#02x came back as %#02x (rounding %d, overflow %d)", uint8(s), uint8(got), r, o)
				}
			}
		}
	}
}

func TestEncodeE8M0UndefinedOptions(t *testing.T) {
	for _, x := range []float64{0, 1, 1.5, math.Inf(1), -1} {
		for _, r := range []scale.Rounding{0, 5, 255} {
			for _, o := range []scale.Overflow{0, sat, nan, 3, 255} {
				if got := scale.EncodeE8M0(x, r, o); got != 0xFF {
					t.Errorf("EncodeE8M0(%g, rounding %d, overflow %d): got %#02x, want 0xff", x, r, o, uint8(got))
				}
			}
		}
		for _, r := range roundings {
			for _, o := range []scale.Overflow{0, 3, 255} {
				if got := scale.EncodeE8M0(x, r, o); got != 0xFF {
					t.Errorf("EncodeE8M0(%g, rounding %d, overflow %d): got %#02x, want 0xff", x, r, o, uint8(got))
				}
			}
		}
	}
}

func TestEncodeE8M0Float32Strided(t *testing.T) {
	for bits := uint64(0); bits < 1<<32; bits += 65537 {
		checkE8M0(t, float64(f32(uint32(bits))))
	}
}

func TestEncodeE8M0MatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkE8M0(t, drawFloat64(t, "x")) })
}
