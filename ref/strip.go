package ref

import (
	"math/bits"

	"blockfp8/scale"
)

// The fast MatMul works on strips: a few rows of an operand over panelK columns,
// decoded to integers. A strip of A has four rows, two packed in one int64: w =
// lo + hi<<32. A strip of B has two rows, one int64 each. Multiplying a packed
// word by a B value gives both products at once, and as long as every sum stays
// inside 31 bits the two never disturb each other: this halves the
// multiplications, and is why plain Go keeps up with SSE2.
//
// To keep the integers small, every group of products (see Grouping) has its own
// unit: the largest power of two that divides all values of the strip there.
const (
	aRows  = 4
	bRows  = 2
	panelK = 128
)

// stripRows is how many rows any strip has at most.
const stripRows = 8

// words holds the two words of each of eight columns: words[2*k] and words[2*k+1].
type words [16]int64

// valueRange describes the values of one row, or of all rows of a strip, in one
// group of products.
type valueRange struct {
	unit int // values are multiples of 2^unit
	top  int // largest exponent, as the datapath sees it; zeroExponent if all are zero
}

// groupRange is the range of a strip in one group of products.
type groupRange struct {
	valueRange
	energy float64           // largest row sum of squares, in squared units
	rows   [aRows]valueRange // of each row
}

// strip is one strip of A or B over one panel.
type strip struct {
	steps  [panelK / stepK][stepK / 8]words
	groups [panelK / (stepK / 2)]groupRange
	cut    cutStrip // in the place of steps, where vectors cut every term
}

// packer fills strips for one datapath.
type packer struct {
	d       Datapath
	kind    vectorKind
	rows    [stripRows]*[stepK]scale.E4M3 // one step of a strip, in the order of products
	scratch [stripRows][stepK]scale.E4M3
}

// pack fills s with columns [from, to) of the given number of rows of o, from row
// on; rows from rowEnd and columns past to are zeros. NaN counts as zero.
func (p *packer) pack(s *strip, o *Operand, row, rowEnd, rows, from, to int) {
	size, group := p.d.Grouping.size(), 0
	for k := from; k < to; k += stepK {
		p.loadStep(o, row, rowEnd, rows, k, to)
		if p.kind == truncatedLanes {
			s.cut.fill(k-from, &p.rows, p.d.NormalizesSubnormals)
		}
		for first := 0; first < stepK; first += size {
			g := &s.groups[group]
			p.measure(g, rows, first, first+size)
			group++
			if p.kind == truncatedLanes {
				continue
			}
			dst := s.steps[(k-from)/stepK%len(s.steps)][first/8 : (first+size)/8]
			if rows == aRows {
				p.packFour(dst, first, g.unit+9)
			} else {
				p.packTwo(dst, first, g.unit+9)
			}
		}
	}
}

// loadStep brings the columns of one step of rows from row on in the order of
// products.
func (p *packer) loadStep(o *Operand, row, rowEnd, rows, k, to int) {
	for i := range rows {
		p.rows[i] = &p.scratch[i]
		if row+i < rowEnd {
			p.load(i, o.Row(row + i)[k:min(k+stepK, to)])
		} else {
			clear(p.scratch[i][:])
		}
	}
}

// load brings one step of row i in the order of products.
func (p *packer) load(i int, codes []scale.E4M3) {
	codes = p.d.Grouping.arrange(&p.scratch[i], codes)
	if len(codes) == stepK {
		p.rows[i] = (*[stepK]scale.E4M3)(codes)
		return
	}
	clear(p.scratch[i][copy(p.scratch[i][:], codes):])
}

// magnitudes holds |value| in units of 2^-9, 0 for NaN.
var magnitudes = func() (m [256]uint32) {
	for i, v := range fixed {
		m[i] = uint32(max(v, -v))
	}
	return m
}()

// measure finds the ranges of positions [first, last) of all rows.
func (p *packer) measure(g *groupRange, rows, first, last int) {
	var all uint32
	var largest uint64
	for i := range rows {
		union, energy := unionAndEnergy(p.rows[i][first:last])
		g.rows[i] = p.rangeOf(union)
		all |= union
		largest = max(largest, energy)
	}
	g.valueRange = p.rangeOf(all)
	g.energy = float64(largest) * pow2(-2*(g.unit+9))
}

// unionAndEnergy returns all bits of all magnitudes, and the sum of their squares:
// 32 of them stay below 2^41. The number of codes is a multiple of 4.
func unionAndEnergy(codes []scale.E4M3) (union uint32, energy uint64) {
	for ; len(codes) >= 4; codes = codes[4:] {
		a, b, c, d := magnitudes[codes[0]], magnitudes[codes[1]], magnitudes[codes[2]], magnitudes[codes[3]]
		union |= a | b | c | d
		energy += uint64(a)*uint64(a) + uint64(b)*uint64(b) + uint64(c)*uint64(c) + uint64(d)*uint64(d)
	}
	return union, energy
}

// rangeOf reads the range from the union of the bits of all magnitudes.
func (p *packer) rangeOf(union uint32) valueRange {
	if union == 0 {
		return valueRange{unit: -9, top: zeroExponent}
	}
	top := bits.Len32(union) - 10
	if !p.d.NormalizesSubnormals {
		top = max(top, -6)
	}
	return valueRange{unit: bits.TrailingZeros32(union) - 9, top: top}
}

// packFour writes a group of a strip of A in units of 2^(shift-9).
func (p *packer) packFour(dst []words, first, shift int) {
	for i := range dst {
		at := (first + 8*i) & (stepK - 8)
		r0, r1 := (*[8]scale.E4M3)(p.rows[0][at:]), (*[8]scale.E4M3)(p.rows[1][at:])
		r2, r3 := (*[8]scale.E4M3)(p.rows[2][at:]), (*[8]scale.E4M3)(p.rows[3][at:])
		for k := range r0 {
			dst[i][2*k] = unitsOf(r0[k], shift) + unitsOf(r1[k], shift)<<32
			dst[i][2*k+1] = unitsOf(r2[k], shift) + unitsOf(r3[k], shift)<<32
		}
	}
}

// packTwo is packFour for a strip of B.
func (p *packer) packTwo(dst []words, first, shift int) {
	for i := range dst {
		at := (first + 8*i) & (stepK - 8)
		r0, r1 := (*[8]scale.E4M3)(p.rows[0][at:]), (*[8]scale.E4M3)(p.rows[1][at:])
		for k := range r0 {
			dst[i][2*k] = unitsOf(r0[k], shift)
			dst[i][2*k+1] = unitsOf(r1[k], shift)
		}
	}
}

// unitsOf is the value of a code in units of 2^(shift-9).
func unitsOf(code scale.E4M3, shift int) int64 { return int64(fixed[code] >> (shift & 31)) }
