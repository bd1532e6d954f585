package ref

import (
	"fmt"

	"blockfp8/scale"
)

// Element returns C[m,n] of A * B^T for a recipe without computing the rest of
// C, so that entries of products with more than 2^31 elements can be checked. It
// follows the recipe literally, one MMA after another, and is what the fast MatMul
// is tested against. Errors: those of Recipe.Check, and scale.ErrShape for m or n
// outside C.
func Element(a, b Operand, r Recipe, m, n int) (float32, error) {
	e, err := checkedElement(a, b, r, m, n)
	if err != nil {
		return 0, err
	}
	return e.value(), nil
}

// element is one entry of C.
type element struct {
	a, b           Operand
	r              Recipe
	m, n           int
	aCodes, bCodes []scale.E4M3
}

func newElement(a, b Operand, r Recipe, m, n int) element {
	return element{a: a, b: b, r: r, m: m, n: n, aCodes: a.Row(m), bCodes: b.Row(n)}
}

// checkedElement is newElement for arguments of a caller.
func checkedElement(a, b Operand, r Recipe, m, n int) (element, error) {
	if err := r.Check(a, b); err != nil {
		return element{}, err
	}
	if m < 0 || m >= a.Rows() || n < 0 || n >= b.Rows() {
		return element{}, &scale.Mismatch{
			Kind: scale.ErrShape, What: "element of C",
			Want: fmt.Sprintf("indices within [%d,%d]", a.Rows(), b.Rows()), Got: fmt.Sprintf("[%d,%d]", m, n),
		}
	}
	return newElement(a, b, r, m, n), nil
}

func (e element) value() float32 {
	switch e.r.Scaling {
	case Unrounded:
		return e.unrounded()
	case InMMA:
		return e.r.Output.Round(float64(e.chained()))
	}
	return e.r.Output.Round(float64(e.scaled()))
}

// scaled adds up scaled partial sums.
func (e element) scaled() float32 {
	partials := (e.a.K() + e.r.KPerPartial - 1) / e.r.KPerPartial
	size := e.r.splitSize(partials)
	var total splitSum
	var acc float32
	for i := range partials {
		s := e.r.nextSegment(e.a, e.b, i*e.r.KPerPartial)
		dot := e.dot(s)
		acc = e.r.Scaling.accumulate(acc, dot, e.a.scaleAt(e.m, s.aBlock), e.b.scaleAt(e.n, s.bBlock))
		if (i+1)%size == 0 || i == partials-1 {
			total.add(acc)
			acc = 0
		}
	}
	return total.value
}

// dot is the partial sum of a segment: MMAs chained from zero.
func (e element) dot(s segment) float32 {
	if e.r.Datapath.Exact {
		return e.exactDot(s)
	}
	var c float32
	for k := s.from; k < s.to; k += stepK {
		to := min(k+stepK, s.to)
		c = e.r.Datapath.mma(e.aCodes[k:to], e.bCodes[k:to], 0, c)
	}
	return c
}

func (e element) exactDot(s segment) float32 {
	a, b := e.aCodes[s.from:s.to], e.bCodes[s.from:s.to]
	if anyNaN(a) || anyNaN(b) {
		return canonicalNaN()
	}
	return float32(fixedDot(a, b)) * 0x1p-18
}

// fixedDot is the exact dot product in units of 2^-18. NaN codes count as 0.
func fixedDot(a, b []scale.E4M3) int64 {
	b = b[:len(a)]
	var dot int64
	for k, code := range a {
		dot += int64(fixed[code]) * int64(fixed[b[k]])
	}
	return dot
}

// chained passes c through the MMAs of all of K, scales inside.
func (e element) chained() float32 {
	var c float32
	for k := 0; k < e.a.K(); k += stepK {
		to := min(k+stepK, e.a.K())
		sa, sb := e.a.codeAt(e.m, k), e.b.codeAt(e.n, k)
		if sa.IsNaN() || sb.IsNaN() {
			return canonicalNaN()
		}
		c = e.r.Datapath.mma(e.aCodes[k:to], e.bCodes[k:to], scaleShift(sa, sb), c)
	}
	return c
}
