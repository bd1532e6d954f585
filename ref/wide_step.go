package ref

import (
	"math/bits"

	"blockfp8/ref/internal/avx2"
)

// wideStep is one MMA of a pair of wide strips.
type wideStep struct {
	t      *tile
	a, b   *wideStrip
	rows   int // of a that there are
	index  int // of the step in the panel
	window avx2.Window
}

// start makes s the first step of a panel of strips ai and bi.
func (s *wideStep) start(ai, bi int) {
	t := s.t
	s.a, s.b = &t.aWide[ai], &t.bWide[bi]
	s.rows = min(avx2.Width, t.rows()-ai*avx2.Width)
}

// dot adds the products of a panel to the sums of elements.
func (s *wideStep) dot(sums *avx2.Elements, columns int) {
	avx2.Dot(sums, s.a.columns[:columns], s.b.columns[:columns], s.rows)
}

// chain passes the accumulators c through the steps of a panel. c holds float32
// values.
func (s *wideStep) chain(c *avx2.Elements, p panel) {
	for k := p.from; k < p.to; k += stepK {
		s.index = (k - p.from) / stepK
		if s.t.r.Datapath.AddsCLast {
			var partial avx2.Elements
			s.fuseGroups(&partial)
			avx2.AddRounded(c, &partial)
		} else {
			s.fuseGroups(c)
		}
	}
}

// fuseGroups does the fused steps of all groups of an MMA.
func (s *wideStep) fuseGroups(c *avx2.Elements) {
	g := s.t.r.Datapath.Grouping
	for i := range g.count() {
		from := s.index*stepK + i*g.size()
		to, group := from+g.size(), s.index*g.count()+i
		a, b := &s.a.groups[group].Range, &s.b.groups[group].Range
		missed := avx2.Fuse(c, s.a.columns[from:to], s.b.columns[from:to], a, b, &s.window, s.rows)
		for ; missed != 0; missed &= missed - 1 {
			e := bits.TrailingZeros64(missed)
			c[e] = s.fuseElement(c[e], e, group)
		}
	}
}
