package ref

import (
	"math"
	"math/bits"

	"blockfp8/scale"
)

// nanBits is the NaN that NVIDIA's MMA instructions return: payload and sign of
// the NaN that went in are gone.
const nanBits = 0x7FFFFFFF

func canonicalNaN() float32 { return math.Float32frombits(nanBits) }

// MMA returns one element of D = A*B + C: the dot product of 32 codes of a row
// of A with 32 codes of a column of B, and c, in the datapath's arithmetic. A
// datapath that takes scales is given 1 (0x7F) for both; one whose numbers
// Recipe.Check would refuse gives NaN.
func (d Datapath) MMA(a, b *[stepK]scale.E4M3, c float32) float32 {
	return d.MMAScaled(a, b, 0x7F, 0x7F, c)
}

// MMAScaled is MMA for a datapath that takes E8M0 scales: sa and sb are those of
// the 32 codes of a and of b. A NaN scale gives NaN, also where all products are
// zero. Datapaths that take no scales ignore them.
func (d Datapath) MMAScaled(a, b *[stepK]scale.E4M3, sa, sb scale.E8M0, c float32) float32 {
	switch {
	case !d.Exact && !d.wellFormed():
		return canonicalNaN()
	case !d.takesScales():
		return d.mma(a[:], b[:], 0, c)
	case sa.IsNaN() || sb.IsNaN():
		return canonicalNaN()
	}
	return d.mma(a[:], b[:], scaleShift(sa, sb), c)
}

// scaleShift is what two scales add to every product exponent.
func scaleShift(sa, sb scale.E8M0) int { return int(sa) - 127 + int(sb) - 127 }

// mma multiplies up to 32 codes; missing ones are zeros. The slices have equal
// length.
func (d Datapath) mma(a, b []scale.E4M3, shift int, c float32) float32 {
	if c != c || anyNaN(a) || anyNaN(b) {
		return canonicalNaN()
	}
	if d.Exact {
		return exactMMA(a, b, c)
	}
	partial := c
	if d.AddsCLast {
		partial = 0
	}
	var aScratch, bScratch [stepK]scale.E4M3
	a, b = d.Grouping.arrange(&aScratch, a), d.Grouping.arrange(&bScratch, b)
	for i := range d.Grouping.count() {
		partial = d.fuse(d.Grouping.group(a, i), d.Grouping.group(b, i), shift, partial)
	}
	if d.AddsCLast {
		return addFloat32(partial, c)
	}
	return partial
}

// exactMMA rounds dot+c once. The dot is a multiple of 2^-18 below 2^23, c may
// have any exponent: float64 holds each, and a rounding to odd of their sum
// rounds to float32 as the exact sum does.
func exactMMA(a, b []scale.E4M3, c float32) float32 {
	var dot int64
	for i, code := range a {
		dot += int64(fixed[code]) * int64(fixed[b[i]])
	}
	return narrow(addToOdd(float64(float64(dot)*0x1p-18), float64(c)))
}

// addFloat32 is one float32 addition with the GPU's NaN.
func addFloat32(x, y float32) float32 {
	sum := x + y
	if sum != sum {
		return canonicalNaN()
	}
	return sum
}

// fuse is one truncated fused dot-product-add over one group of products; nothing
// in it is NaN.
//
// Products are integers in units of 2^(shift-18), because every E4M3 value is a
// multiple of 2^-9. The unit of the sum is 2^q, q = E-F. Where q is above the
// products' own unit, their low bits are cut off, toward zero, one by one: that
// is the truncation of the hardware.
func (d *Datapath) fuse(a, b []scale.E4M3, shift int, c float32) float32 {
	if math.IsInf(float64(c), 0) {
		return c
	}
	top := d.topExponent(a, b)
	cSignificand, cExponent := splitFloat32(c)
	e := d.ZeroExponent
	if top > noProduct {
		e = max(e, top+shift)
	}
	if cSignificand != 0 {
		e = max(e, cExponent)
	}
	q := e - d.FractionBits
	sum := sumTruncated(a, b, q-(shift-productUnit))
	sum += shiftToZero(cSignificand, cExponent-23-q)
	return d.round(sum, q)
}

// productUnit says that products are multiples of 2^-18.
const productUnit = 18

// noProduct is below every exponent sum of two non-zero codes.
const noProduct = -100

// topExponent returns the largest exponent of the non-zero products, and
// noProduct or less if all are zero.
func (d *Datapath) topExponent(a, b []scale.E4M3) int {
	exponents := &exponents
	if d.NormalizesSubnormals {
		exponents = &normalizedExponents
	}
	b = b[:len(a)]
	top := 2 * zeroExponent
	for k, code := range a {
		top = max(top, int(exponents[code])+int(exponents[b[k]]))
	}
	return top
}

// sumTruncated returns the sum of the products, each truncated to a multiple of
// 2^drop units of 2^-18, in units of 2^drop. drop may be negative.
func sumTruncated(a, b []scale.E4M3, drop int) int64 {
	if drop <= 0 {
		return fixedDot(a, b) << -drop
	}
	drop = min(drop, 40) // a product is below 2^36 units
	cut := int64(1)<<drop - 1
	b = b[:len(a)]
	var sum int64
	for k, code := range a {
		p := int64(fixed[code]) * int64(fixed[b[k]])
		sum += (p + p>>63&cut) &^ cut // truncate toward zero, also below zero
	}
	return sum >> drop
}

// splitFloat32 returns the signed 24-bit significand and the exponent of a finite
// v: v = significand * 2^(exponent-23).
func splitFloat32(v float32) (significand int64, exponent int) {
	b := math.Float32bits(v)
	significand = int64(b & 0x7FFFFF)
	exponent = int(b>>23&0xFF) - 127
	if exponent == -127 {
		exponent = -126 // subnormal
	} else {
		significand |= 1 << 23
	}
	if b>>31 != 0 {
		significand = -significand
	}
	return significand, exponent
}

// shiftToZero returns v*2^n truncated toward zero.
func shiftToZero(v int64, n int) int64 {
	if n >= 0 {
		return v << n
	}
	n = min(-n, 62)
	if v < 0 {
		return -(-v >> n)
	}
	return v >> n
}

// round returns sum*2^q truncated toward zero to ResultBits fraction bits.
func (d *Datapath) round(sum int64, q int) float32 {
	if sum == 0 {
		return 0
	}
	magnitude, sign := uint64(sum), uint32(0)
	if sum < 0 {
		magnitude, sign = uint64(-sum), 1<<31
	}
	e := q + bits.Len64(magnitude) - 1
	if e > 127 {
		return math.Float32frombits(sign | 0x7F800000)
	}
	last := max(e, -126) - d.ResultBits // weight of the last bit that is kept
	kept := uint64(shiftToZero(int64(magnitude), q-last)) << (23 - d.ResultBits)
	if e < -126 {
		return math.Float32frombits(sign | uint32(kept)) // subnormal
	}
	return math.Float32frombits(sign | uint32(e+127)<<23 | uint32(kept)&0x7FFFFF)
}
