package ref

import "blockfp8/ref/internal/avx2"

// panel is a range of columns that strips hold.
type panel struct{ from, to int }

// segment sums the products of one segment, panel by panel, into c or dots, and
// calls finish for every pair of strips whose sums are complete.
func (t *tile) segment(s segment, finish func(ai, bi, at int)) {
	for from := s.from; from < s.to; from += panelK {
		p := panel{from: from, to: min(from+panelK, s.to)}
		t.packPanel(p)
		t.each(func(ai, bi, at int) {
			t.multiply(ai, bi, at, p)
			if p.to == s.to {
				finish(ai, bi, at)
			}
		})
	}
}

func (t *tile) packPanel(p panel) {
	for i := range t.aWide {
		t.pack.packWide(&t.aWide[i], &t.a, t.m0+i*t.aWidth, t.m1, p.from, p.to)
	}
	for i := range t.bWide {
		t.pack.packWide(&t.bWide[i], &t.b, t.n0+i*t.bWidth, t.n1, p.from, p.to)
	}
	for i := range t.aStrips {
		t.pack.pack(&t.aStrips[i], &t.a, t.m0+i*t.aWidth, t.m1, t.aWidth, p.from, p.to)
	}
	for i := range t.bStrips {
		t.pack.pack(&t.bStrips[i], &t.b, t.n0+i*t.bWidth, t.n1, t.bWidth, p.from, p.to)
	}
}

// multiply adds the products of a panel to the sums of a pair of strips.
func (t *tile) multiply(ai, bi, at int, p panel) {
	steps := (p.to - p.from + stepK - 1) / stepK
	switch {
	case t.pack.kind == wideLanes:
		t.wide.start(ai, bi)
		c := (*avx2.Elements)(t.c[at:])
		if t.r.Datapath.Exact {
			t.wide.dot(c, steps*stepK)
		} else {
			t.wide.chain(c, p)
		}
	case t.r.Datapath.Exact:
		sumExact((*groupSums)(t.dots[at:]), &t.aStrips[ai], &t.bStrips[bi], steps)
	default:
		t.step.chain((*elements)(t.c[at:]), ai, bi, p)
	}
}

// each visits all pairs of strips and the place of their state.
func (t *tile) each(visit func(ai, bi, at int)) {
	at := 0
	for bi := range (t.cols() + t.bWidth - 1) / t.bWidth {
		for ai := range (t.rows() + t.aWidth - 1) / t.aWidth {
			visit(ai, bi, at)
			at += t.aWidth * t.bWidth
		}
	}
}

// sumExact adds the products of the first steps of two strips to dots.
func sumExact(dots *groupSums, a, b *strip, steps int) {
	for i := range min(steps, len(a.steps)) {
		ga, gb := &a.groups[i], &b.groups[i]
		dotGroup(dots, a.steps[i][:], b.steps[i][:], ga, gb, uint(ga.unit+gb.unit+productUnit))
	}
}
