package ref

// segment is a range of K whose products are summed before scales are applied,
// with the block columns that hold its scales.
type segment struct {
	from, to       int
	aBlock, bBlock int
}

// exactSegment bounds a segment of Unrounded, so that a dot stays below 2^62
// units.
const exactSegment = 1 << 26

// nextSegment returns the segment of K that starts at from, for every scaling but
// InMMA, which has no segments.
func (r Recipe) nextSegment(a, b Operand, from int) segment {
	s := segment{from: from, to: a.K()}
	aCols, bCols := a.grid.Layout().BlockCols, b.grid.Layout().BlockCols
	s.aBlock, s.bBlock = from/aCols, from/bCols
	if r.Scaling == Unrounded {
		s.to = min(s.to, (s.aBlock+1)*aCols, (s.bBlock+1)*bCols, from+exactSegment)
	} else {
		s.to = min(s.to, from+r.KPerPartial)
	}
	return s
}

// longestSegment bounds the products of a segment.
func (r Recipe) longestSegment(a, b Operand) int {
	if r.Scaling.hasPartials() {
		return min(r.KPerPartial, a.K())
	}
	return min(a.grid.Layout().BlockCols, b.grid.Layout().BlockCols, a.K())
}
