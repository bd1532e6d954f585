package interp

import (
	"math"
	"math/bits"
)

// term is a number as a matrix unit sees it: significand * 2^exponent, where the
// significand has a fixed number of fraction bits by format. A subnormal has the
// least exponent of its format and a small significand.
type term struct {
	significand int64
	exponent    int // of the significand's unit
	top         int // of the format: what a normal significand's first bit is worth
	special     float64
}

// The floor of the largest exponent, and the bits that are kept below it.
const (
	fuseZero     = -133
	fuseFraction = 25
)

// term takes a number apart.
func (t number) term(v uint64) term {
	x := t.value(v, false)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return term{special: x}
	}
	f := t.format()
	e := f.least
	if x != 0 {
		_, n := math.Frexp(x)
		e = max(n-1, f.least)
	}
	unit := e - (f.precision - 1)
	return term{significand: int64(math.Ldexp(x, -unit)), exponent: unit, top: e}
}

// fuse is one truncated fused dot-product-add, that of HMMA with float32
// accumulators: every product and c are cut, toward zero, to multiples of
// 2^(E-25), where E is the largest exponent of products that are not renormalised
// and of c; the exact sum of those is cut to float32. Nothing is flushed.
func fuse(a, b *[halfK]term, c uint64) uint64 {
	t := f32.term(c)
	if s := specialSum(a, b, t); s != 0 {
		return f32.encode(s)
	}
	largest := fuseZero
	if t.significand != 0 {
		largest = max(largest, t.top)
	}
	for k := range a {
		if a[k].significand*b[k].significand != 0 {
			largest = max(largest, a[k].top+b[k].top)
		}
	}
	unit := largest - fuseFraction
	sum := cutTo(t.significand, t.exponent-unit)
	for k := range a {
		sum += cutTo(a[k].significand*b[k].significand, a[k].exponent+b[k].exponent-unit)
	}
	return cutToFloat(sum, unit)
}

// specialSum returns the infinity or NaN that a sum is, or 0 if it is finite.
func specialSum(a, b *[halfK]term, c term) float64 {
	sum := c.special
	for k := range a {
		x, y := a[k], b[k]
		if x.special == 0 && y.special == 0 {
			continue
		}
		sum += x.number() * y.number()
	}
	return sum
}

// number is 0, a number of the same sign, or the infinity or NaN.
func (t term) number() float64 {
	if t.special != 0 {
		return t.special
	}
	return float64(t.significand)
}

// cutTo returns v*2^n, cut toward zero.
func cutTo(v int64, n int) int64 {
	switch {
	case n >= 0:
		return v << n
	case v < 0:
		return -(-v >> min(-n, 63))
	}
	return v >> min(-n, 63)
}

// cutToFloat returns sum*2^unit as a float32, cut toward zero.
func cutToFloat(sum int64, unit int) uint64 {
	if sum == 0 {
		return 0
	}
	magnitude := sum
	if sum < 0 {
		magnitude = -sum
	}
	// The 24 bits that float32 keeps are cut here, so that what is left is exact.
	e := unit + bits.Len64(uint64(magnitude)) - 1
	last := max(e, -126) - 23
	kept := math.Ldexp(float64(cutTo(magnitude, unit-last)), last)
	if e > 127 {
		kept = math.Inf(1)
	}
	return f32Bits(float32(math.Copysign(kept, float64(sum))))
}
