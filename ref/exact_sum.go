package ref

import (
	"math"
	"math/big"
)

// unrounded is the infinitely precise sum of dot*a_s*b_s, rounded once.
func (e element) unrounded() float32 {
	if anyNaN(e.aCodes) || anyNaN(e.bCodes) {
		return canonicalNaN()
	}
	var sum exactSum
	for k := 0; k < e.a.K(); {
		s := e.r.nextSegment(e.a, e.b, k)
		dot := fixedDot(e.aCodes[s.from:s.to], e.bCodes[s.from:s.to])
		sum.add(dot, e.a.scaleAt(e.m, s.aBlock), e.b.scaleAt(e.n, s.bBlock))
		k = s.to
	}
	return e.r.Output.Round(sum.toOdd())
}

// exactSum adds products dot*a_s*b_s without any rounding. Its unit is
// 2^exactUnit, below the last bit of every such product.
type exactSum struct {
	sum     big.Int
	special float64 // sum of the terms that are infinite or NaN, 0 if there are none
}

const exactUnit = -productUnit - 149 - 149

// add adds dot*2^-18*a*b. An infinite scale on a zero dot is NaN, as in IEEE
// arithmetic.
func (s *exactSum) add(dot int64, a, b float32) {
	if !isFinite(a) || !isFinite(b) {
		s.special += float64(float64(dot) * float64(a) * float64(b))
		return
	}
	aSignificand, aExponent := splitFloat32(a)
	bSignificand, bExponent := splitFloat32(b)
	term := big.NewInt(dot)
	term.Mul(term, big.NewInt(aSignificand*bSignificand))
	term.Lsh(term, uint(aExponent-23+149+bExponent-23+149))
	s.sum.Add(&s.sum, term)
}

func isFinite(v float32) bool { return !math.IsInf(float64(v), 0) && v == v }

// toOdd returns the sum rounded to odd in float64, ready to be rounded once more.
func (s *exactSum) toOdd() float64 {
	if s.special != 0 {
		return s.special
	}
	truncated := new(big.Float).SetMode(big.ToZero).SetPrec(53).SetInt(&s.sum)
	value, _ := new(big.Float).SetMantExp(truncated, exactUnit).Float64()
	if truncated.Acc() == big.Exact {
		return value
	}
	return math.Float64frombits(math.Float64bits(value) | 1)
}
