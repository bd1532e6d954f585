package ref

// tile is one worker's share of C and the memory it works in. State of 4x2
// elements lies together, in the order in which each visits them.
type tile struct {
	r    Recipe
	a, b Operand
	aNaN []bool // rows of A that hold a NaN, all of A

	m0, m1, n0, n1 int

	pack             packer
	step             step
	aStrips, bStrips []strip
	aScales, bScales []float32

	c      []float64 // accumulators of the running partial
	dots   []int64   // exact dots of the running segment, in units of 2^-18
	acc    []float32 // scaled sums
	splits []splitSum
	closes bool // the running partial is the last of its split
	pairs  []exactPair
	terms  int  // added to each pair
	narrow bool // one of the operands has power-of-two scales
}

// panel is a range of columns that strips hold.
type panel struct{ from, to int }

func newTile(r Recipe, a, b Operand, aNaN []bool, rows, cols int) *tile {
	t := &tile{r: r, a: a, b: b, aNaN: aNaN, pack: packer{d: r.Datapath}}
	t.step.t = t
	t.pack.kind = r.Datapath.vectorKind()
	t.step.truncating = r.Datapath.avxDatapath()
	t.narrow = a.grid.IsE8M0() || b.grid.IsE8M0()
	if r.Datapath.Exact {
		t.pack.d = ExactSum // whatever its other fields say
	}
	aCount, bCount := (rows+aRows-1)/aRows, (cols+bRows-1)/bRows
	t.aStrips, t.bStrips = t.newStrips(aCount, aRows), t.newStrips(bCount, bRows)
	t.aScales, t.bScales = make([]float32, aCount*aRows), make([]float32, bCount*bRows)
	n := aCount * bCount * aRows * bRows
	if r.Datapath.Exact {
		t.dots = make([]int64, n)
	} else {
		t.c = make([]float64, n)
	}
	if r.Scaling == Unrounded {
		t.pairs = make([]exactPair, n)
	}
	if r.Scaling.hasPartials() {
		t.acc, t.splits = make([]float32, n), make([]splitSum, n)
	}
	return t
}

func (t *tile) newStrips(n, rows int) []strip {
	strips := make([]strip, n)
	for i := range strips {
		strips[i].spread = newSpread(t.pack.kind, rows)
	}
	return strips
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

// segment sums the products of one segment, panel by panel, into c or dots, and
// calls finish for every pair of strips whose sums are complete.
func (t *tile) segment(s segment, finish func(ai, bi, at int)) {
	for from := s.from; from < s.to; from += panelK {
		p := panel{from: from, to: min(from+panelK, s.to)}
		for i := range (t.rows() + aRows - 1) / aRows {
			t.pack.pack(&t.aStrips[i], t.a, t.m0+i*aRows, t.m1, aRows, p.from, p.to)
		}
		for i := range (t.cols() + bRows - 1) / bRows {
			t.pack.pack(&t.bStrips[i], t.b, t.n0+i*bRows, t.n1, bRows, p.from, p.to)
		}
		t.each(func(ai, bi, at int) {
			if t.r.Datapath.Exact && t.pack.kind != plainGo {
				dotLanes((*groupSums)(t.dots[at:]), &t.aStrips[ai], &t.bStrips[bi], roundUp(p.to-p.from, stepK))
			} else if t.r.Datapath.Exact {
				sumExact((*groupSums)(t.dots[at:]), &t.aStrips[ai], &t.bStrips[bi], (p.to-p.from+stepK-1)/stepK)
			} else {
				t.step.chain((*elements)(t.c[at:]), ai, bi, p)
			}
			if p.to == s.to {
				finish(ai, bi, at)
			}
		})
	}
}

// each visits all pairs of strips and the place of their state.
func (t *tile) each(visit func(ai, bi, at int)) {
	at := 0
	for bi := range (t.cols() + bRows - 1) / bRows {
		for ai := range (t.rows() + aRows - 1) / aRows {
			visit(ai, bi, at)
			at += aRows * bRows
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

func (t *tile) loadScales(s segment) {
	for i := range t.rows() {
		t.aScales[i] = t.a.scaleAt(t.m0+i, s.aBlock)
	}
	for i := range t.cols() {
		t.bScales[i] = t.b.scaleAt(t.n0+i, s.bBlock)
	}
}

// addTerms adds the scaled dots of a segment to the exact sums.
func (t *tile) addTerms(ai, bi, at int) {
	dots, pairs := (*groupSums)(t.dots[at:]), (*[aRows * bRows]exactPair)(t.pairs[at:])
	aScales, bScales := (*[aRows]float32)(t.aScales[ai*aRows:]), (*[bRows]float32)(t.bScales[bi*bRows:])
	for i := range uint(aRows * bRows) {
		unit := float64(float64(aScales[i/bRows])*float64(bScales[i%bRows])) * 0x1p-18
		pairs[i].add(dots[i], unit, t.narrow)
		dots[i] = 0
	}
}

// scalePartials adds the scaled partial sums to acc, and closes a split if it was
// the last of one.
func (t *tile) scalePartials(ai, bi, at int) {
	for i := range aRows * bRows {
		a, b := t.aScales[ai*aRows+i/bRows], t.bScales[bi*bRows+i%bRows]
		t.acc[at+i] = t.r.Scaling.accumulate(t.acc[at+i], t.takeDot(at+i), a, b)
		if t.closes {
			t.splits[at+i].add(t.acc[at+i])
			t.acc[at+i] = 0
		}
	}
}

// takeDot returns a partial sum and resets it for the next partial.
func (t *tile) takeDot(i int) float32 {
	if t.r.Datapath.Exact {
		dot := float32(t.dots[i]) * 0x1p-18
		t.dots[i] = 0
		return dot
	}
	dot := float32(t.c[i])
	t.c[i] = 0
	return dot
}

// store rounds the results into dst.
func (t *tile) store(dst Matrix) {
	bNaN := nanRows(t.b, t.n0, t.n1)
	t.each(func(ai, bi, at int) {
		for i := range aRows * bRows {
			m, n := t.m0+ai*aRows+i/bRows, t.n0+bi*bRows+i%bRows
			if m >= t.m1 || n >= t.n1 {
				continue
			}
			v := canonicalNaN()
			if !t.aNaN[m] && !bNaN[n-t.n0] {
				v = t.result(at+i, m, n)
			}
			dst.Data[m*dst.Stride+n] = v
		}
	})
}

func (t *tile) result(i, m, n int) float32 {
	switch {
	case t.r.Scaling == InMMA:
		return t.r.Output.Round(t.c[i])
	case t.r.Scaling != Unrounded:
		return t.r.Output.Round(float64(t.splits[i].value))
	}
	if sum, ok := t.pairs[i].toOdd(t.terms, t.r.Output.Round); ok {
		return t.r.Output.Round(sum)
	}
	return newElement(t.a, t.b, t.r, m, n).unrounded()
}
