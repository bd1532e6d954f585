package ref

import "math"

// twoSum returns s = RN(x+y) and the exact error of that rounding (Knuth). There
// is no multiplication in it that a compiler could fuse.
func twoSum(x, y float64) (s, err float64) {
	s = x + y
	yRounded := s - x
	return s, (x - (s - yRounded)) + (y - yRounded)
}

// toOdd returns s+err, s being RN(s+err), rounded to odd: truncated toward zero,
// and the last bit set if anything was lost. A later rounding to a format with at
// most 51 bits then gives what rounding the exact sum would.
func toOdd(s, err float64) float64 {
	if err == 0 || s-s != 0 {
		return s // exact, or infinite or NaN
	}
	b := math.Float64bits(s)
	if (err < 0) != (s < 0) {
		b-- // s was rounded away from zero
	}
	return math.Float64frombits(b | 1)
}

// addToOdd returns x+y rounded to odd.
func addToOdd(x, y float64) float64 { return toOdd(twoSum(x, y)) }

// narrow rounds to float32 and makes every NaN the GPU's.
func narrow(x float64) float32 {
	if x != x {
		return canonicalNaN()
	}
	return float32(x)
}

// fma32 returns x*y+z with a single rounding to float32, ties to even. The
// product of two float32 values is exact in float64.
func fma32(x, y, z float32) float32 {
	product := float64(float64(x) * float64(y))
	return narrow(addToOdd(product, float64(z)))
}
