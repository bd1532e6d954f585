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

// quad holds the two words of each of four columns: words[2*k] and words[2*k+1].
type quad [8]int64

// valueRange describes the values of one row, or of all rows of a strip, in one
// group of products.
type valueRange struct {
	unit int // values are multiples of 2^unit
	top  int // largest exponent, as the datapath sees it; zeroExponent if all are zero
}

// groupRange is the range of a strip in one group of products.
type groupRange struct {
	valueRange
	bits    int               // bit length of the largest magnitude in units
	sumBits int               // bit length of the largest row sum of magnitudes in units
	rows    [aRows]valueRange // of each row
}

// strip is one strip of A or B over one panel.
type strip struct {
	quads  [panelK / 4]quad
	groups [panelK / (stepK / 2)]groupRange
}

// packer fills strips for one datapath.
type packer struct {
	d       Datapath
	rows    [aRows]*[stepK]scale.E4M3 // one step of a strip, in the order of products
	scratch [aRows][stepK]scale.E4M3
}

// pack fills s with columns [from, to) of the given number of rows of o, from row
// on; rows from rowEnd and columns past to are zeros. NaN counts as zero.
func (p *packer) pack(s *strip, o Operand, row, rowEnd, rows, from, to int) {
	size := p.d.Grouping.size()
	for k := from; k < to; k += stepK {
		for i := range rows {
			p.rows[i] = &p.scratch[i]
			if row+i < rowEnd {
				p.load(i, o.Row(row + i)[k:min(k+stepK, to)])
			} else {
				clear(p.scratch[i][:])
			}
		}
		for first := 0; first < stepK; first += size {
			at := k - from + first
			g := &s.groups[at/size]
			p.measure(g, rows, first, first+size)
			quads := s.quads[at/4 : (at+size)/4]
			if rows == aRows {
				p.packFour(quads, first, g.unit+9)
			} else {
				p.packTwo(quads, first, g.unit+9)
			}
		}
	}
}

// load brings one step of row i in the order of products.
func (p *packer) load(i int, codes []scale.E4M3) {
	switch {
	case p.d.Grouping == Interleaved:
		for j, k := range interleavedOrder {
			p.scratch[i][j] = 0
			if int(k) < len(codes) {
				p.scratch[i][j] = codes[k]
			}
		}
	case len(codes) == stepK:
		p.rows[i] = (*[stepK]scale.E4M3)(codes)
	default:
		clear(p.scratch[i][copy(p.scratch[i][:], codes):])
	}
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
	var all, largestSum uint32
	for i := range rows {
		var row, sum uint32 // a sum of 32 magnitudes is below 2^23
		for _, code := range p.rows[i][first:last] {
			magnitude := magnitudes[code]
			row |= magnitude
			sum += magnitude
		}
		g.rows[i] = p.rangeOf(row)
		all |= row
		largestSum = max(largestSum, sum)
	}
	g.valueRange = p.rangeOf(all)
	g.bits = bits.Len32(all >> (g.unit + 9))
	g.sumBits = bits.Len32(largestSum >> (g.unit + 9))
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
func (p *packer) packFour(quads []quad, first, shift int) {
	r0, r1, r2, r3 := p.rows[0], p.rows[1], p.rows[2], p.rows[3]
	for i := range quads {
		for j := range 4 {
			k := (first + 4*i + j) & (stepK - 1)
			quads[i][2*j] = int64(fixed[r0[k]]>>(shift&31)) + int64(fixed[r1[k]]>>(shift&31))<<32
			quads[i][2*j+1] = int64(fixed[r2[k]]>>(shift&31)) + int64(fixed[r3[k]]>>(shift&31))<<32
		}
	}
}

// packTwo is packFour for a strip of B.
func (p *packer) packTwo(quads []quad, first, shift int) {
	r0, r1 := p.rows[0], p.rows[1]
	for i := range quads {
		for j := range 4 {
			k := (first + 4*i + j) & (stepK - 1)
			quads[i][2*j] = int64(fixed[r0[k]] >> (shift & 31))
			quads[i][2*j+1] = int64(fixed[r1[k]] >> (shift & 31))
		}
	}
}
