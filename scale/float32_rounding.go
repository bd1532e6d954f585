package scale

import "math"

// roundToOdd narrows x to float32 so that a later rounding to a format with at
// most 22 significant bits gives the same result as rounding x directly: the
// value is truncated toward zero, and if that lost anything the last bit is
// set. A sticky last bit can never look like a tie (Boldo and Melquiond, 2008).
func roundToOdd(x float64) float32 {
	y := float32(x)
	back := float64(y)
	if back == x || x != x {
		return y
	}
	bits := math.Float32bits(y)
	if math.Abs(back) > math.Abs(x) {
		bits-- // y was rounded away from zero (also from a finite x to infinity)
	}
	return math.Float32frombits(bits | 1)
}

// roundUpToFloat32 returns the smallest float32 not below a positive x.
func roundUpToFloat32(x float64) float32 {
	y := float32(x)
	if float64(y) < x {
		y = math.Nextafter32(y, math.MaxFloat32)
	}
	return y
}
