package ref

import "math"

// window says when one fused step loses nothing but the final truncation, so
// that it is a plain sum in float64. With all products multiples of 2^unit and no
// exponent above top, that holds if
//
//   - 2^(top-F) <= 2^unit: alignment to a product cuts no product;
//   - |c| < 2^(unit+F+1): alignment to c cuts no product;
//   - c is a multiple of 2^(top-F): alignment to a product does not cut c.
//
// c and the sum then span at most 53 bits.
type window struct {
	open  bool    // the first condition
	zero  bool    // all products are zero
	limit float64 // bound of |c|
	magic float64 // adding and subtracting it rounds c to a multiple of 2^(top-F)
	cut   uint64  // float64 bits below ResultBits
}

// set fills w for products of values in ranges a and b.
func (w *window) set(d *Datapath, a, b *valueRange) {
	unit, top := a.unit+b.unit, a.top+b.top
	w.zero = a.top == zeroExponent || b.top == zeroExponent
	if w.zero {
		w.open = d.hasWindow()
		return
	}
	w.open = top-d.FractionBits <= unit && d.hasWindow()
	w.limit = pow2(unit + d.FractionBits + 1)
	w.magic = 1.5 * pow2(52+top-d.FractionBits)
	w.cut = 1<<((52-d.ResultBits)&63) - 1
}

// hasWindow: alignment to c itself must keep all of c, and with more than 25 bits
// magic would have no room for |c| up to limit.
func (d *Datapath) hasWindow() bool {
	return d.ResultBits <= d.FractionBits && d.FractionBits <= 25
}

// pow2 returns 2^e for e in the normal range of float64.
func pow2(e int) float64 { return math.Float64frombits(uint64(e+1023) << 52) }

// fuse is the step of one element, whose products sum up to sum, and reports whether
// the window holds for c.
func (w *window) fuse(c, sum float64) (result float64, ok bool) {
	if !(c < w.limit && c > -w.limit) || c+w.magic-w.magic != c {
		return c, false
	}
	return math.Float64frombits(math.Float64bits(c+sum) &^ w.cut), true
}

// elements is the state of 4x2 elements of C, index row*2+column.
type elements [aRows * bRows]float64

// missedAll has a bit for each of the elements.
const missedAll = 1<<(aRows*bRows) - 1

// fuseAll does the step for all elements; the bits of missed are those for which
// the window does not hold, left as they were.
func (w *window) fuseAll(c *elements, sums *[aRows * bRows]float64) (missed uint) {
	switch {
	case !w.open:
		return missedAll
	case w.zero:
		for i := range c {
			c[i] += 0 // makes +0 of -0
		}
		return 0
	}
	for i := range c {
		next, ok := w.fuse(c[i], sums[i])
		c[i] = next
		if !ok {
			missed |= 1 << i
		}
	}
	return missed
}
