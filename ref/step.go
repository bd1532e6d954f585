package ref

import (
	"math"
	"math/bits"

	"blockfp8/ref/internal/avx2"
	"blockfp8/scale"
)

// maxFastShift bounds the exponent shift of MMA scales for which a step in the
// unscaled domain can meet neither float32's subnormals nor its overflow.
const maxFastShift = 60

// step is one MMA of 4x2 elements.
type step struct {
	t      *tile
	ai, bi int                    // strips
	index  int                    // of the step in the panel
	k, to  int                    // columns
	shifts [aRows * bRows]int     // exponent shifts of the scales of an MMA that takes them
	sums   [aRows * bRows]float64 // of the products of a group

	truncating avx2.Datapath
}

// chain passes the accumulators c of 4x2 elements of C through the steps of a
// panel. c holds float32 values.
func (s *step) chain(c *elements, ai, bi int, p panel) {
	s.ai, s.bi = ai, bi
	for k := p.from; k < p.to; k += stepK {
		s.index, s.k, s.to = (k-p.from)/stepK, k, min(k+stepK, p.to)
		if s.t.r.Datapath.TakesScales {
			s.loadShifts()
		}
		if s.t.r.Datapath.AddsCLast {
			var partial elements
			s.fuseGroups(&partial)
			for i := range c {
				c[i] = float64(float32(partial[i]) + float32(c[i]))
			}
		} else {
			s.fuseGroups(c)
		}
	}
}

// fuseGroups does the fused steps of all groups of an MMA.
func (s *step) fuseGroups(c *elements) {
	d := &s.t.r.Datapath
	a, b := &s.t.aStrips[s.ai], &s.t.bStrips[s.bi]
	var w window
	count := d.Grouping.count()
	for i := range count {
		ga, gb := &a.groups[s.index*count+i], &b.groups[s.index*count+i]
		var missed uint
		if s.t.pack.kind == plainGo {
			w.set(d, &ga.valueRange, &gb.valueRange)
			s.sum(ga, gb, i, &w)
			missed = s.fuse(c, &w)
		} else {
			missed = s.fuseLanes(c, i)
		}
		for ; missed != 0; missed &= missed - 1 {
			e := bits.TrailingZeros(missed) % len(c)
			c[e] = s.fuseElement(c[e], ga, gb, e, i)
		}
	}
}

// sum multiplies group i of the strips in plain Go.
func (s *step) sum(ga, gb *groupRange, i int, w *window) {
	if w.zero {
		return
	}
	size := s.t.r.Datapath.Grouping.size()
	from, to := i*size/8, (i+1)*size/8
	x, y := &s.t.aStrips[s.ai].steps[s.index], &s.t.bStrips[s.bi].steps[s.index]
	var sums groupSums
	dotGroup(&sums, x[from:to], y[from:to], ga, gb, 0)
	unit := pow2(ga.unit + gb.unit)
	for e, v := range sums {
		s.sums[e] = float64(float64(v) * unit)
	}
}

// fuseLanes does the fused step of group i for all elements at once.
func (s *step) fuseLanes(c *elements, i int) (missed uint) {
	size := s.t.r.Datapath.Grouping.size()
	a, b := s.t.aStrips[s.ai].cut.a, s.t.bStrips[s.bi].cut.b
	from := s.index*stepK + i*size
	return uint(avx2.Truncate((*[aRows * bRows]float64)(c), a[from:from+size], b[from:from+size], &s.truncating))
}

// fuse is fuseAll; with scales inside the MMA, c is moved into the domain of
// unscaled products and the results back.
func (s *step) fuse(c *elements, w *window) (missed uint) {
	if !s.t.r.Datapath.TakesScales {
		return w.fuseAll(c, &s.sums)
	}
	if w.zero && w.open {
		return s.passScaled(c)
	}
	unscaled := *c
	for i, shift := range s.shifts {
		if shift < -maxFastShift || shift > maxFastShift {
			unscaled[i] = math.Inf(1) // outside every window
		} else {
			unscaled[i] = float64(unscaled[i] * pow2(-shift))
		}
	}
	missed = w.fuseAll(&unscaled, &s.sums)
	for i, shift := range s.shifts {
		if missed>>i&1 == 0 {
			c[i] = float64(unscaled[i] * pow2(shift))
		}
	}
	return missed
}

// passScaled is fuse where all products are zero: c passes, whatever the scales
// are, unless one is NaN.
func (s *step) passScaled(c *elements) (missed uint) {
	for i, shift := range s.shifts {
		if shift == nanShift {
			missed |= 1 << i
		} else {
			c[i] += 0
		}
	}
	return missed
}

// fuseElement is the fused step of an element for which the window of the strips
// does not hold: its own rows may have a wider one, otherwise Datapath.fuse
// decides.
func (s *step) fuseElement(c float64, a, b *groupRange, i, group int) float64 {
	t := s.t
	d := &t.r.Datapath
	m, n := s.ai*aRows+i/bRows, s.bi*bRows+i%bRows
	if m >= t.rows() || n >= t.cols() {
		return 0 // padding of the last strips
	}
	if c != c || s.shifts[i] == nanShift {
		return math.NaN()
	}
	if s.shifts[i] == 0 && s.t.pack.kind != truncatedLanes {
		var w window
		w.set(d, &a.rows[i/bRows], &b.rows[i%bRows])
		if w.open && !w.zero {
			if next, ok := w.fuse(c, s.sums[i]); ok {
				return next
			}
		}
	}
	var aScratch, bScratch [stepK]scale.E4M3
	x := d.Grouping.arrange(&aScratch, t.a.Row(t.m0 + m)[s.k:s.to])
	y := d.Grouping.arrange(&bScratch, t.b.Row(t.n0 + n)[s.k:s.to])
	return float64(d.fuse(d.Grouping.group(x, group), d.Grouping.group(y, group), s.shifts[i], float32(c)))
}

// nanShift marks a pair of scales of which one is NaN.
const nanShift = 1 << 20

// loadShifts finds the exponent shifts of an MMA that takes scales.
func (s *step) loadShifts() {
	t := s.t
	for i := range s.shifts {
		m, n := s.ai*aRows+i/bRows, s.bi*bRows+i%bRows
		if m >= t.rows() || n >= t.cols() {
			continue
		}
		sa, sb := t.a.codeAt(t.m0+m, s.k), t.b.codeAt(t.n0+n, s.k)
		s.shifts[i] = scaleShift(sa, sb)
		if sa.IsNaN() || sb.IsNaN() {
			s.shifts[i] = nanShift
		}
	}
}
