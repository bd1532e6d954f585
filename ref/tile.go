package ref

import "blockfp8/ref/internal/avx2"

// tile is one worker's share of C and the memory it works in. State of the
// elements of a pair of strips lies together, in the order in which each visits them.
type tile struct {
	r    Recipe
	a, b Operand
	aNaN []bool // rows of A that hold a NaN, all of A

	m0, m1, n0, n1 int

	pack             packer
	step             step
	wide             wideStep
	aWidth, bWidth   int // rows of a strip
	aStrips, bStrips []strip
	aWide, bWide     []wideStrip // in their place for wideLanes
	aScales, bScales []float32

	c      []float64 // accumulators of the running partial, exact dots for wideLanes
	dots   []int64   // exact dots of the running segment, in units of 2^-18
	acc    []float32 // scaled sums
	splits []splitSum
	closes bool // the running partial is the last of its split
	pairs  []exactPair
	wides  []avx2.Pairs // pairs for wideLanes
	terms  int          // added to each pair
	narrow bool         // one of the operands has power-of-two scales
}

func newTile(r Recipe, a, b Operand, aNaN []bool, rows, cols int) *tile {
	t := &tile{r: r, a: a, b: b, aNaN: aNaN, pack: packer{d: r.Datapath}}
	t.pack.kind = r.vectorKind(r.longestSegment(a, b))
	t.aWidth, t.bWidth = t.pack.kind.strips()
	t.step = step{t: t, truncating: r.Datapath.truncation()}
	t.wide = wideStep{t: t, window: r.Datapath.wideWindow()}
	t.narrow = a.grid.IsE8M0() || b.grid.IsE8M0()
	if r.Datapath.Exact {
		t.pack.d = ExactSum // whatever its other fields say
	}
	aCount, bCount := (rows+t.aWidth-1)/t.aWidth, (cols+t.bWidth-1)/t.bWidth
	t.newStrips(aCount, bCount)
	t.newState(aCount, bCount)
	return t
}

func (t *tile) newStrips(aCount, bCount int) {
	t.aScales, t.bScales = make([]float32, aCount*t.aWidth), make([]float32, bCount*t.bWidth)
	if t.pack.kind == wideLanes {
		t.aWide, t.bWide = make([]wideStrip, aCount), make([]wideStrip, bCount)
		return
	}
	t.aStrips, t.bStrips = make([]strip, aCount), make([]strip, bCount)
	if t.pack.kind == truncatedLanes {
		for i := range t.aStrips {
			t.aStrips[i].cut = newCutStrip(aRows)
		}
		for i := range t.bStrips {
			t.bStrips[i].cut = newCutStrip(bRows)
		}
	}
}

func (t *tile) newState(aCount, bCount int) {
	n, wide := aCount*bCount*t.aWidth*t.bWidth, t.pack.kind == wideLanes
	if t.r.Datapath.Exact && !wide {
		t.dots = make([]int64, n)
	} else {
		t.c = make([]float64, n)
	}
	switch {
	case t.r.Scaling == Unrounded && wide:
		t.wides = make([]avx2.Pairs, aCount*bCount)
	case t.r.Scaling == Unrounded:
		t.pairs = make([]exactPair, n)
	case t.r.Scaling.hasPartials():
		t.acc, t.splits = make([]float32, n), make([]splitSum, n)
	}
}

func (t *tile) rows() int { return t.m1 - t.m0 }
func (t *tile) cols() int { return t.n1 - t.n0 }

// compute fills rows [m0,m1) and columns [n0,n1) of dst.
func (t *tile) compute(dst Matrix, m0, m1, n0, n1 int) {
	t.m0, t.m1, t.n0, t.n1 = m0, m1, n0, n1
	clear(t.c)
	clear(t.dots)
	clear(t.acc)
	clear(t.splits)
	clear(t.pairs)
	clear(t.wides)
	t.terms = 0
	if t.r.Scaling == InMMA {
		t.segment(segment{to: t.a.K()}, func(int, int, int) {})
	} else {
		t.segments()
	}
	t.store(dst)
}

func (t *tile) segments() {
	index, size := 0, 0
	if t.r.Scaling.hasPartials() {
		size = t.r.splitSize((t.a.K() + t.r.KPerPartial - 1) / t.r.KPerPartial)
	}
	for k := 0; k < t.a.K(); index++ {
		s := t.r.nextSegment(t.a, t.b, k)
		t.loadScales(s)
		if t.r.Scaling == Unrounded {
			t.terms++
			t.segment(s, t.addTerms)
		} else {
			t.closes = (index+1)%size == 0 || s.to == t.a.K()
			t.segment(s, t.scalePartials)
		}
		k = s.to
	}
}
