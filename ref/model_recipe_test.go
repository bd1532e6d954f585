package ref_test

import (
	"blockfp8/ref"
	"blockfp8/scale"
)

// plain is an operand without a memory layout: codes by row and k, scales by
// block. The models read it; plain.operand lays it out for the package.
type plain struct {
	rows, k int
	br, bk  int
	off     int // rows of the first block before row 0
	e8      bool
	codes   [][]byte
	scales  [][]uint32 // E8M0 codes, or the bits of float32 values
}

func (p plain) scaleBits(row, k int) uint32 { return p.scales[(p.off+row)/p.br][k/p.bk] }

func (p plain) scale(row, k int) number {
	if s := p.scaleBits(row, k); !p.e8 {
		return fromBits(s)
	} else {
		return scaleNumber(byte(s))
	}
}

// step is 32 codes of a row from k on, zeros past the end.
func (p plain) step(row, k, end int) []byte {
	s := make([]byte, 32)
	copy(s, p.codes[row][k:min(k+32, end)])
	return s
}

var outputs = map[scale.Format]floating{scale.Float32: single, scale.BFloat16: brain, scale.Float16: half}

// element is C[m,n] by the rules of a recipe.
func element(a, b plain, r ref.Recipe, m, n int) number {
	h := chipOf(r.Datapath)
	var v number
	switch r.Scaling {
	case ref.Unrounded:
		v = exactElement(a, b, m, n)
	case ref.InMMA:
		v = inMMA(h, a, b, m, n)
	default:
		v = chain(h, a, b, r, m, n)
	}
	return outputs[r.Output].nearest(v)
}

// inMMA chains every MMA of K through c and gives each its scales.
func inMMA(h chip, a, b plain, m, n int) number {
	c := uint32(0)
	for k := 0; k < a.k; k += 32 {
		c = h.mma(a.step(m, k, a.k), b.step(n, k, b.k), byte(a.scaleBits(m, k)), byte(b.scaleBits(n, k)), c)
	}
	return fromBits(c)
}

// dot is a partial sum: the MMAs of [from, to) chained from zero, or the exact
// sum rounded once.
func dot(h chip, a, b plain, m, n, from, to int) number {
	if h.exact {
		total := fromRat(ratZero)
		for k := from; k < to; k++ {
			total = sum(total, product(e4m3Numbers[a.codes[m][k]], e4m3Numbers[b.codes[n][k]]))
		}
		return single.nearest(plusZero(total))
	}
	c := uint32(0)
	for k := from; k < to; k += 32 {
		c = h.mma(a.step(m, k, to), b.step(n, k, to), 0x7F, 0x7F, c)
	}
	return fromBits(c)
}

// chain scales the partial sums and adds them.
func chain(h chip, a, b plain, r ref.Recipe, m, n int) number {
	partials := (a.k + r.KPerPartial - 1) / r.KPerPartial
	splits := max(r.Splits, 1)
	each := (partials + splits - 1) / splits
	total, first := fromRat(ratZero), true
	for lo := 0; lo < partials; lo += each {
		acc := fromRat(ratZero)
		for p := lo; p < min(lo+each, partials); p++ {
			k := p * r.KPerPartial
			d := dot(h, a, b, m, n, k, min(k+r.KPerPartial, a.k))
			acc = scaled(r.Scaling, acc, d, a.scale(m, k), b.scale(n, k))
		}
		if first {
			total, first = acc, false
			continue
		}
		total = add32(total, acc)
	}
	return total
}

func scaled(s ref.Scaling, acc, d, as, bs number) number {
	switch s {
	case ref.ActThenWeight:
		return fma32(mul32(d, as), bs, acc)
	case ref.ActThenWeightUnfused:
		return add32(acc, mul32(mul32(d, as), bs))
	case ref.ProductFirst:
		return fma32(d, mul32(as, bs), acc)
	case ref.ProductFirstUnfused:
		return add32(acc, mul32(d, mul32(as, bs)))
	}
	panic("no such order of scales")
}

// exactElement is the infinitely precise sum of dot*a_s*b_s over all blocks, a
// dot being over products that share both scales.
func exactElement(a, b plain, m, n int) number {
	total := fromRat(ratZero)
	for k := 0; k < a.k; {
		block := fromRat(ratZero)
		from := k
		for ; k < a.k && k/a.bk == from/a.bk && k/b.bk == from/b.bk; k++ {
			block = sum(block, product(e4m3Numbers[a.codes[m][k]], e4m3Numbers[b.codes[n][k]]))
		}
		total = sum(total, product(product(block, a.scale(m, from)), b.scale(n, from)))
	}
	return plusZero(total)
}
