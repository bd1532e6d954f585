package ref_test

import (
	"math/big"

	"blockfp8/ref"
)

// chip is a row of the table of datapaths, written down a second time.
type chip struct {
	groups     [][]int
	f          int      // bits kept below the largest exponent
	result     floating // what the sum of a group is truncated to
	zero       int      // the exponent of zero terms
	late       bool     // c is added last, in float32
	normalised bool     // subnormal codes get the exponent of their value
	scaled     bool     // E8M0 scales enter the exponents
	exact      bool     // one sum, rounded once
}

func ks(pick func(k int) bool) (ks []int) {
	for k := range 32 {
		if pick(k) {
			ks = append(ks, k)
		}
	}
	return ks
}

var (
	all32    = [][]int{ks(func(int) bool { return true })}
	halves   = [][]int{ks(func(k int) bool { return k <= 15 }), ks(func(k int) bool { return k >= 16 })}
	everyTwo = [][]int{ks(func(k int) bool { return k%4 < 2 }), ks(func(k int) bool { return k%4 > 1 })}
)

var chips = map[string]chip{
	"exact":     {groups: all32, exact: true},
	"sm89":      {groups: halves, f: 13, result: e8m13, zero: -132},
	"sm90mma":   {groups: everyTwo, f: 25, result: single, zero: -133, late: true, normalised: true},
	"sm90wgmma": {groups: all32, f: 13, result: e8m13, zero: -133},
	"sm100mma":  {groups: everyTwo, f: 25, result: single, zero: -133, late: true, normalised: true},
	"sm100":     {groups: all32, f: 25, result: single, zero: -133},
	"sm120":     {groups: all32, f: 25, result: single, zero: -133},
	"sm120mx":   {groups: all32, f: 25, result: single, zero: -133, scaled: true},
}

// chipOf is the row of the table, or for a datapath that is no chip's what its
// fields say.
func chipOf(d ref.Datapath) chip {
	if h, ok := chips[d.Name]; ok {
		return h
	}
	return chip{
		groups: [][][]int{all32, halves, everyTwo}[d.Grouping],
		f:      d.FractionBits, result: floating{d.ResultBits, -126, 127}, zero: d.ZeroExponent,
		late: d.AddsCLast, normalised: d.NormalizesSubnormals, scaled: d.TakesScales, exact: d.Exact,
	}
}

// term is a non-zero addend of a fused sum and the exponent it is aligned by.
type term struct {
	value *big.Rat
	exp   int
}

// mma is one element of D = A*B + C: what the hardware's arithmetic makes of 32
// codes of each side, two scales and c, all of them bits.
func (h chip) mma(a, b []byte, sa, sb byte, c uint32) uint32 {
	acc := fromBits(c)
	bad := acc.nan || h.scaled && (sa == 0xFF || sb == 0xFF)
	for k := range 32 {
		bad = bad || e4m3Numbers[a[k]].nan || e4m3Numbers[b[k]].nan
	}
	if bad {
		return 0x7FFFFFFF
	}
	if h.exact {
		total := acc
		for k := range 32 {
			total = sum(total, product(e4m3Numbers[a[k]], e4m3Numbers[b[k]]))
		}
		return plusZero(single.nearest(total)).bits()
	}
	if acc.inf {
		return acc.bits()
	}
	given := acc
	if h.late {
		acc = fromRat(ratZero)
	}
	for _, group := range h.groups {
		var terms []term
		if !acc.isZero() {
			terms = append(terms, term{acc.signed(), max(ilog2(acc.mag), -126)})
		}
		for _, k := range group {
			x, y := e4m3Numbers[a[k]], e4m3Numbers[b[k]]
			p := product(x, y)
			if p.isZero() {
				continue
			}
			t := term{p.signed(), e4m3Exponent(a[k], h.normalised) + e4m3Exponent(b[k], h.normalised)}
			if h.scaled {
				shift := int(sa) - 127 + int(sb) - 127
				t.value = new(big.Rat).Mul(t.value, pow2(shift))
				t.exp += shift
			}
			terms = append(terms, t)
		}
		if acc = h.fuse(terms); acc.inf {
			return acc.bits()
		}
	}
	if h.late {
		acc = add32(acc, given)
	}
	return acc.bits()
}

// fuse aligns, truncates, adds and truncates again.
func (h chip) fuse(terms []term) number {
	top := h.zero
	for _, t := range terms {
		top = max(top, t.exp)
	}
	unit := top - h.f
	units := new(big.Int)
	for _, t := range terms {
		whole, _ := quotient(new(big.Rat).Abs(t.value), unit)
		if t.value.Sign() < 0 {
			whole.Neg(whole)
		}
		units.Add(units, whole)
	}
	v := new(big.Rat).SetInt(units)
	return h.result.truncated(fromRat(v.Mul(v, pow2(unit))))
}

// plusZero drops the sign of zero.
func plusZero(x number) number {
	x.neg = x.neg && !x.isZero()
	return x
}
