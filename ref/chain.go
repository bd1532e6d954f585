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
	unit  float64 // 2^unit, of the sums
	limit float64 // bound of |c|
	magic float64 // adding and subtracting it rounds c to a multiple of 2^(top-F)
	cut   uint64  // float64 bits below ResultBits
}

// set fills w for products of values in ranges a and b, whose sums are in units
// of 2^sumUnit.
func (w *window) set(d *Datapath, a, b *valueRange, sumUnit int) {
	unit, top := a.unit+b.unit, a.top+b.top
	w.zero = a.top == zeroExponent || b.top == zeroExponent
	if w.zero {
		w.open = d.hasWindow()
		return
	}
	w.open = top-d.FractionBits <= unit && d.hasWindow()
	w.unit = pow2(sumUnit)
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

// fuse returns the step's result, and whether the window holds for c.
func (w *window) fuse(c float64, sum int64) (float64, bool) {
	switch {
	case !w.open:
		return 0, false
	case w.zero:
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
// panel. c holds float32 values.
func (t *tile) chain(c *[aRows * bRows]float64, ai, bi int, p panel) {
	for k := p.from; k < p.to; k += stepK {
		s := step{t: t, ai: ai, bi: bi, at: k - p.from, k: k, to: min(k+stepK, p.to)}
		if t.r.Datapath.TakesScales {
			s.loadShifts()
		}
		if t.r.Datapath.AddsCLast {
			s.chainLast(c)
		} else {
			s.chain(c)
		}
	}
}

// step is one MMA of 4x2 elements.
type step struct {
	t      *tile
	ai, bi int // strips
	at     int // position in the panel
	k, to  int // columns
	shifts [aRows * bRows]int
	sums   groupSums
}

// chainLast is chain for a datapath that adds c at the end.
func (s *step) chainLast(c *[aRows * bRows]float64) {
	var partial [aRows * bRows]float64
	s.chain(&partial)
	for i := range c {
		c[i] = float64(float32(partial[i]) + float32(c[i]))
	}
}

// chain does the fused steps of all groups.
func (s *step) chain(c *[aRows * bRows]float64) {
	d := &s.t.r.Datapath
	size := d.Grouping.size()
	a, b := &s.t.aStrips[s.ai], &s.t.bStrips[s.bi]
	var w window
	for first := 0; first < stepK; first += size {
		at := s.at + first
		ga, gb := &a.groups[at/size], &b.groups[at/size]
		w.set(d, &ga.valueRange, &gb.valueRange, ga.unit+gb.unit)
		s.sums = groupSums{}
		if !w.zero {
			dotGroup(&s.sums, a, b, at, size, 0)
		}
		for i := range c {
			if next, ok := s.fuse(c[i], &w, i); ok {
				c[i] = next
			} else {
				c[i] = s.fuseElement(c[i], ga, gb, i, first)
			}
		}
	}
}

// fuse is one element's fused step, if the window holds for it. c is moved into
// the domain of unscaled products and the result back.
func (s *step) fuse(c float64, w *window, i int) (float64, bool) {
	shift := s.shifts[i]
	if shift == 0 {
		return w.fuse(c, s.sums[i])
	}
	if shift < -maxFastShift || shift > maxFastShift {
		return 0, false
	}
	next, ok := w.fuse(c*pow2(-shift), s.sums[i])
	return next * pow2(shift), ok
}

// fuseElement is the fused step of an element for which the window of the strips
// does not hold: its own rows may have a wider one, otherwise Datapath.fuse
// decides.
func (s *step) fuseElement(c float64, a, b *groupRange, i, first int) float64 {
	t := s.t
	d := &t.r.Datapath
	m, n := s.ai*aRows+i/bRows, s.bi*bRows+i%bRows
	if m >= t.rows() || n >= t.cols() {
		return 0 // padding of the last strips
	}
	var w window
	w.set(d, &a.rows[i/bRows], &b.rows[i%bRows], a.unit+b.unit)
	if next, ok := s.fuse(c, &w, i); ok {
		return next
	}
	if c != c || s.shifts[i] == nanShift {
		return math.NaN()
	}
	positions := d.Grouping.order()[first : first+d.Grouping.size()]
	x, y := t.a.Row(t.m0 + m)[s.k:s.to], t.b.Row(t.n0 + n)[s.k:s.to]
	return float64(d.fuse(x, y, positions, s.shifts[i], float32(c)))
}

// nanShift marks a pair of scales of which one is NaN.
const nanShift = 1 << 20

// loadShifts finds the exponent shifts of an MMA that takes scales.
func (s *step) loadShifts() {
	t := s.t
	ga, gb := t.a.grid, t.b.grid
	la, lb := ga.Layout(), gb.Layout()
	for i := range s.shifts {
		m, n := s.ai*aRows+i/bRows, s.bi*bRows+i%bRows
		if m >= t.rows() || n >= t.cols() {
			continue
		}
		sa := ga.Codes()[la.IndexOf(t.m0+m, s.k)]
		sb := gb.Codes()[lb.IndexOf(t.n0+n, s.k)]
		s.shifts[i] = scaleShift(sa, sb)
		if sa.IsNaN() || sb.IsNaN() {
			s.shifts[i] = nanShift
		}
	}
}
