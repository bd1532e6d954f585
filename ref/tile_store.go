package ref

import "blockfp8/ref/internal/avx2"

// store rounds the results into dst.
func (t *tile) store(dst Matrix) {
	bNaN := nanRows(t.b, t.n0, t.n1)
	t.each(func(ai, bi, at int) {
		for i := range t.aWidth * t.bWidth {
			m, n := t.m0+ai*t.aWidth+i/t.bWidth, t.n0+bi*t.bWidth+i%t.bWidth
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
	pair := t.pair(i)
	if sum, ok := pair.toOdd(t.terms, t.r.Output.Round); ok {
		return t.r.Output.Round(sum)
	}
	return newElement(t.a, t.b, t.r, m, n).unrounded()
}

// pair returns the exact sum of an element.
func (t *tile) pair(i int) exactPair {
	if t.pack.kind != wideLanes {
		return t.pairs[i]
	}
	p, e := &t.wides[i/len(avx2.Elements{})], i%len(avx2.Elements{})
	return exactPair{hi: p.Hi[e], lo: p.Lo[e], lows: p.Lows[e]}
}
