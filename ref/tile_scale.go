package ref

import "blockfp8/ref/internal/avx2"

func (t *tile) loadScales(s segment) {
	t.a.scales(t.aScales[:t.rows()], t.m0, s.aBlock)
	t.b.scales(t.bScales[:t.cols()], t.n0, s.bBlock)
}

// addTerms adds the scaled dots of a segment to the exact sums.
func (t *tile) addTerms(ai, bi, at int) {
	if t.pack.kind == wideLanes {
		a, b := t.wideScales(ai, bi)
		avx2.AddTerms(&t.wides[at/len(avx2.Elements{})], (*avx2.Elements)(t.c[at:]), a, b)
		return
	}
	dots, pairs := (*groupSums)(t.dots[at:]), (*[aRows * bRows]exactPair)(t.pairs[at:])
	aScales, bScales := (*[aRows]float32)(t.aScales[ai*aRows:]), (*[bRows]float32)(t.bScales[bi*bRows:])
	for i := range uint(aRows * bRows) {
		unit := float64(float64(aScales[i/bRows])*float64(bScales[i%bRows])) * 0x1p-18
		pairs[i].add(dots[i], unit, t.narrow)
		dots[i] = 0
	}
}

// wideScales returns the scales of a pair of wide strips.
func (t *tile) wideScales(ai, bi int) (a, b *avx2.Scales) {
	return (*avx2.Scales)(t.aScales[ai*avx2.Width:]), (*avx2.Scales)(t.bScales[bi*avx2.Width:])
}

// scalePartials adds the scaled partial sums to acc, and closes a split if it was
// the last of one.
func (t *tile) scalePartials(ai, bi, at int) {
	n := t.aWidth * t.bWidth
	acc := t.acc[at : at+n]
	if t.pack.kind == wideLanes {
		a, b := t.wideScales(ai, bi)
		t.r.Scaling.accumulateWide((*avx2.Sums)(acc), (*avx2.Elements)(t.c[at:]), a, b)
	} else {
		for i := range acc {
			a, b := t.aScales[ai*aRows+i/bRows], t.bScales[bi*bRows+i%bRows]
			acc[i] = t.r.Scaling.accumulate(acc[i], t.takeDot(at+i), a, b)
		}
	}
	if t.closes {
		for i, sum := range acc {
			t.splits[at+i].add(sum)
		}
		clear(acc)
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
