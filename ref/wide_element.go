package ref

import (
	"math"

	"blockfp8/ref/internal/avx2"
)

// fuseElement is Datapath.fuse for an element for which the window does not hold. c is
// zero or at least 2^-18, the unit of products, so it is a normal float32; it and the
// sum, in units of 2^(E-F), have room in an int64, and the result in a float64.
func (s *wideStep) fuseElement(c float64, i, group int) float64 {
	a, b := s.a.groups[group].rows[i/avx2.Width], s.b.groups[group].rows[i%avx2.Width]
	d := &s.t.r.Datapath
	const powerOfTwo = 0x7F800000 // bits of a float32
	least := max(leastWide, math.Float32frombits(math.Float32bits(float32(c))&powerOfTwo))
	sum, e := avx2.CutDot(a, b, d.floor(), least, d.FractionBits)
	sum += int64(c * pow2(d.FractionBits-e))
	return math.Float64frombits(math.Float64bits(float64(sum)*pow2(e-d.FractionBits)) & s.window.Keep)
}

// leastWide is a power of two below every product.
const leastWide = 0x1p-100
