package scale_test

import (
	"math"
	"math/big"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

func TestBF16Float32AllCodes(t *testing.T) {
	for c := range 0x7F80 {
		v, want := scale.BF16(c), bf16Model.value(c)
		if got := float64(v.Float32()); got != want || math.Signbit(got) {
			t.Fatalf("%#04x: got %g, want %g", c, got, want)
		}
		if got := float64((v | 0x8000).Float32()); got != -want || !math.Signbit(got) {
			t.Fatalf("%#04x: got %g, want -%g", c|0x8000, got, want)
		}
	}
	wantBits32(t, "+Inf", scale.BF16(0x7F80).Float32(), 0x7F800000)
	wantBits32(t, "-Inf", scale.BF16(0xFF80).Float32(), 0xFF800000)
	for c := 0x7F81; c <= 0x7FFF; c++ {
		for _, sign := range []int{0, 0x8000} {
			if bits := math.Float32bits(scale.BF16(c | sign).Float32()); !isNaN32(bits) || int(bits>>16&0x8000) != sign {
				t.Fatalf("%#04x: %#08x is not a NaN of the same sign", c|sign, bits)
			}
		}
	}
}

func TestBF16FromFloat32Literals(t *testing.T) {
	for _, c := range []struct {
		bits uint32
		want scale.BF16
	}{
		{0x00000000, 0x0000},
		{0x80000000, 0x8000},
		{0x3F800000, 0x3F80},
		{0xC0490FDB, 0xC049}, // -pi
		{0x3F808000, 0x3F80},
		{0x3F818000, 0x3F82}, // ties
		{0x3F808001, 0x3F81},
		{0x3F817FFF, 0x3F81},
		{0x00008000, 0x0000},
		{0x00008001, 0x0001},
		{0x00018000, 0x0002}, // subnormal
		{0x007F8000, 0x0080}, // the largest subnormal carries into the first normal
		{0x7F7F7FFF, 0x7F7F},
		{0x7F7F8000, 0x7F80},
		{0xFF7FFFFF, 0xFF80},
		{0x7F800000, 0x7F80},
		{0xFF800000, 0xFF80},
		{0x7F800001, 0x7FC0},
		{0xFF800001, 0xFFC0},
		{0x7FFFFFFF, 0x7FC0},
		{0xFFFFFFFF, 0xFFC0},
	} {
		if got := scale.BF16FromFloat32(f32(c.bits)); got != c.want {
			t.Errorf("%#08x: got %#04x, want %#04x", c.bits, uint16(got), uint16(c.want))
		}
	}
}

func TestBF16FromFloat32MatchesModel(t *testing.T) {
	forBothSigns(t, func(t *testing.T, _ string, sign uint32) {
		walkFloat32(bf16Model, func(bits uint32, code int) bool {
			want := scale.BF16(code) | scale.BF16(sign>>16)
			if isNaN32(bits) {
				want = 0x7FC0 | scale.BF16(sign>>16)
			}
			got := scale.BF16FromFloat32(f32(bits | sign))
			if got != want {
				t.Errorf("%#08x: got %#04x, want %#04x", bits|sign, uint16(got), uint16(want))
			}
			return got == want
		})
	})
}

// Rounding to float32 on the way would be wrong in each of these.
func TestBF16FromFloat64RoundsOnce(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want scale.BF16
	}{
		{1 + 0x1p-8 + 0x1p-40, 0x3F81},
		{1 + 0x3p-8 - 0x1p-40, 0x3F81},
		{-1 - 0x1p-8 - 0x1p-40, 0xBF81},
		{0x1p-134 + 0x1p-180, 0x0001}, // just above half of the smallest subnormal
		{-0x1p-134 - 0x1p-180, 0x8001},
		{0x1.ffp127 - 0x1p80, 0x7F7F}, // just below the tie between the largest and infinity
	} {
		if got := scale.BF16FromFloat64(c.x); got != c.want {
			t.Errorf("%b: got %#04x, want %#04x", c.x, uint16(got), uint16(c.want))
		}
		if twice := scale.BF16FromFloat32(float32(c.x)); twice == c.want {
			t.Errorf("%b: float32 does not reach the tie, the example proves nothing", c.x)
		}
	}
}

func TestBF16FromFloat64Literals(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want scale.BF16
	}{
		{0, 0x0000},
		{math.Copysign(0, -1), 0x8000},
		{1, 0x3F80},
		{-2, 0xC000},
		{0x1p-134, 0x0000},
		{0x1p-133, 0x0001},
		{0x1p-126, 0x0080},
		{0x1p-1074, 0x0000},
		{-0x1p-1074, 0x8000},
		{1e-300, 0x0000},
		{0x1.fep127, 0x7F7F},
		{0x1.ffp127, 0x7F80},
		{below64(0x1.ffp127), 0x7F7F},
		{0x1p128, 0x7F80},
		{1e300, 0x7F80},
		{-1e300, 0xFF80},
		{math.MaxFloat64, 0x7F80},
		{math.Inf(1), 0x7F80},
		{math.Inf(-1), 0xFF80},
	} {
		if got := scale.BF16FromFloat64(c.x); got != c.want {
			t.Errorf("%b: got %#04x, want %#04x", c.x, uint16(got), uint16(c.want))
		}
	}
	if got := scale.BF16FromFloat64(math.NaN()); !isNaNBF16(got) {
		t.Errorf("NaN: got %#04x", uint16(got))
	}
}

func TestBF16FromFloat64EveryMidpoint(t *testing.T) {
	for _, mid := range bf16Model.mids {
		for _, x := range []float64{mid, above64(mid), below64(mid), above32(mid), below32(mid)} {
			if got, want := scale.BF16FromFloat64(x), scale.BF16(bf16Model.nearest(x)); got != want {
				t.Fatalf("%b: got %#04x, want %#04x", x, uint16(got), uint16(want))
			}
		}
	}
}

func TestBF16FromFloat64MatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawFloat64(t, "x")
		got := scale.BF16FromFloat64(x)
		if x != x {
			if !isNaNBF16(got) {
				t.Errorf("NaN: got %#04x", uint16(got))
			}
			return
		}
		want := scale.BF16(bf16Model.nearest(math.Abs(x)))
		if math.Signbit(x) {
			want |= 0x8000
		}
		if got != want {
			t.Errorf("%b: got %#04x, want %#04x", x, uint16(got), uint16(want))
		}
	})
}

// In the normal range math/big rounds to 8 bits just as well.
func TestBF16FromFloat64MatchesBigFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawNormal(t, -126, 126)
		want, _ := new(big.Float).SetPrec(8).SetMode(big.ToNearestEven).SetFloat64(x).Float64()
		if got := float64(scale.BF16FromFloat64(x).Float32()); got != want {
			t.Errorf("%b: got %g, want %g", x, got, want)
		}
	})
}

// drawNormal draws a float64 of an exponent in range, often close to a tie of a
// short format.
func drawNormal(t *rapid.T, from, to int) float64 {
	fraction := rapid.Uint64Range(0, 1<<52-1).Draw(t, "fraction")
	if rapid.Bool().Draw(t, "short") {
		nudge := rapid.SampledFrom([]uint64{0, 1, 1<<52 - 1}).Draw(t, "nudge")
		fraction = (fraction>>40<<40 + nudge) % (1 << 52) // 12 bits, and a step up or down
	}
	exponent := rapid.IntRange(from, to).Draw(t, "exponent")
	sign := rapid.Uint64Range(0, 1).Draw(t, "sign")
	return math.Float64frombits(sign<<63 | uint64(exponent+1023)<<52 | fraction)
}
