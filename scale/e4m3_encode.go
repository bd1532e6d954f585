package scale

import "math"

// EncodeE4M3 rounds x to the nearest E4M3 in one step, ties to even.
//
// Values up to and including 464 in magnitude round to at most 448: 464 is the
// tie between 448 (0x7E) and the 480 that E4M3 does not have, and 0x7E is the
// even one. Anything larger, and infinity, is overflow: Saturate gives +-448,
// OverflowNaN gives NaN. The sign is always kept, also that of -0 and of NaN.
// An undefined Overflow gives NaN.
func EncodeE4M3(x float64, o Overflow) E4M3 {
	sign := E4M3(math.Float64bits(x)>>56) & signE4M3
	magnitude := math.Abs(x)
	switch {
	case math.IsNaN(x) || !o.valid():
		return sign | NaNE4M3
	case magnitude > 464 && o == Saturate:
		return sign | 0x7E
	case magnitude > 464:
		return sign | NaNE4M3
	}
	return sign | roundE4M3(magnitude)
}

// EncodeE4M3FromFloat32 is EncodeE4M3 for a float32, whose conversion to
// float64 is exact: it too rounds once.
func EncodeE4M3FromFloat32(x float32, o Overflow) E4M3 { return EncodeE4M3(float64(x), o) }

// roundE4M3 rounds a magnitude of at most 464.
func roundE4M3(magnitude float64) E4M3 {
	exponent := int(math.Float64bits(magnitude)>>52) - 1023
	if exponent < -6 {
		exponent = -6 // below 2^-6 the step stays 2^-9
	}
	steps := math.RoundToEven(magnitude * pow2(3-exponent)) // exact product: a power of two
	// 8 steps of one binade are the first code of the next, so a carry out of
	// the fraction lands on the right code by itself.
	return E4M3((exponent+6)<<3) + E4M3(steps)
}

// pow2 returns 2^e for e in the normal range of float64.
func pow2(e int) float64 { return math.Float64frombits(uint64(e+1023) << 52) }
