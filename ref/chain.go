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
	unit  float64 // 2^unit
	limit float64 // bound of |c|
	magic float64 // adding and subtracting it rounds c to a multiple of 2^(top-F)
	cut   uint64  // float64 bits below ResultBits
}

func (d Datapath) window(a, b *groupRange) window {
	if a.bits == 0 || b.bits == 0 {
		return window{zero: true, open: d.FractionBits >= d.ResultBits}
	}
	unit, top := a.unit+b.unit, a.top+b.top
	return window{
		open:  top-d.FractionBits <= unit,
		unit:  pow2(unit),
		limit: pow2(unit + d.FractionBits + 1),
		magic: 1.5 * pow2(52+top-d.FractionBits),
		cut:   1<<(52-d.ResultBits) - 1,
	}
}

// pow2 returns 2^e for e in the normal range of float64.
func pow2(e int) float64 { return math.Float64frombits(uint64(e+1023) << 52) }

// fuse returns the step's result, and whether the window holds for c.
func (w *window) fuse(c float64, sum int64) (float64, bool) {
	if w.zero {
		return c + 0, true // +0 also for c = -0
	}
	if !(c < w.limit && c > -w.limit) || c+w.magic-w.magic != c {
		return 0, false
	}
	d := c + float64(float64(sum)*w.unit)
	return math.Float64frombits(math.Float64bits(d) &^ w.cut), true
}

// maxFastShift bounds the exponent shift of MMA scales for which a step in the
// unscaled domain can meet neither float32's subnormals nor its overflow.
const maxFastShift = 60

// chain passes the accumulators c of 4x2 elements of C through the steps of a
// panel. c holds float32 values, all steps of a partial in turn.
func (t *tile) chain(c *[aRows * bRows]float64, ai, bi int, p panel) {
	d := &t.r.Datapath
	a, b := &t.aStrips[ai], &t.bStrips[bi]
	size := d.Grouping.size()
	var sums groupSums
	var shifts [aRows * bRows]int
	for k := p.from; k < p.to; k += stepK {
		if d.TakesScales {
			t.scaleShifts(&shifts, ai, bi, k)
		}
		partial := *c
		if d.AddsCLast {
			partial = [aRows * bRows]float64{}
		}
		for first := 0; first < stepK; first += size {
			at := k - p.from + first
			ga, gb := &a.groups[at/size], &b.groups[at/size]
			w := d.window(ga, gb)
			if w.open && !w.zero {
				dotGroup(&sums, a.words[2*at:2*(at+size)], b.words[2*at:2*(at+size)], fitsPacked(ga, gb))
			}
			t.fuseAll(&partial, &w, &sums, &shifts, fuseAt{ai: ai, bi: bi, k: k, to: min(k+stepK, p.to), first: first})
		}
		if d.AddsCLast {
			for i := range c {
				partial[i] = float64(float32(partial[i]) + float32(c[i]))
			}
		}
		*c = partial
	}
}

// fuseAt is the place of a group of products.
type fuseAt struct {
	ai, bi int // strips
	k, to  int // columns of the step
	first  int // first position of the group in the step
}

// fuseAll does one fused step for all elements, the fast way where the window
// holds and by Datapath.fuse where it does not.
func (t *tile) fuseAll(partial *[aRows * bRows]float64, w *window, sums *groupSums, shifts *[aRows * bRows]int, at fuseAt) {
	scaled := t.r.Datapath.TakesScales
	for i := range partial {
		c := partial[i]
		if !scaled {
			if w.open {
				if d, ok := w.fuse(c, sums[i]); ok {
					partial[i] = d
					continue
				}
			}
		} else if shift := shifts[i]; w.open && shift >= -maxFastShift && shift <= maxFastShift {
			if d, ok := w.fuse(c*pow2(-shift), sums[i]); ok {
				partial[i] = d * pow2(shift)
				continue
			}
		}
		partial[i] = t.fuseSlow(i, c, shifts[i], at)
	}
}

func (t *tile) fuseSlow(i int, c float64, shift int, at fuseAt) float64 {
	m, n := at.ai*aRows+i/bRows, at.bi*bRows+i%bRows
	if m >= t.rows() || n >= t.cols() {
		return 0 // padding of the last strips
	}
	if c != c || shift == nanShift {
		return math.NaN()
	}
	d := &t.r.Datapath
	a, b := t.a.Row(t.m0 + m)[at.k:at.to], t.b.Row(t.n0 + n)[at.k:at.to]
	positions := d.Grouping.order()[at.first : at.first+d.Grouping.size()]
	return float64(d.fuse(a, b, positions, shift, float32(c)))
}

// nanShift marks a pair of scales of which one is NaN.
const nanShift = 1 << 20

// scaleShifts finds the exponent shifts of step k for an MMA that takes scales.
func (t *tile) scaleShifts(shifts *[aRows * bRows]int, ai, bi, k int) {
	ga, gb := t.a.grid, t.b.grid
	la, lb := ga.Layout(), gb.Layout()
	for i := range shifts {
		m, n := ai*aRows+i/bRows, bi*bRows+i%bRows
		if m >= t.rows() || n >= t.cols() {
			shifts[i] = 0
			continue
		}
		sa := ga.Codes()[la.IndexOf(t.m0+m, k)]
		sb := gb.Codes()[lb.IndexOf(t.n0+n, k)]
		shifts[i] = scaleShift(sa, sb)
		if sa.IsNaN() || sb.IsNaN() {
			shifts[i] = nanShift
		}
	}
}
