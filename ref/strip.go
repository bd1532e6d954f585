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
	aRows       = 4
	bRows       = 2
	panelK      = 128
	wordsPerRow = 2 * panelK // interleaved: two words per k
)

// groupRange describes the values of one strip in one group of products.
type groupRange struct {
	unit    int // values are multiples of 2^unit
	top     int // largest exponent, as the datapath sees it
	bits    int // bit length of the largest magnitude in units
	sumBits int // bit length of the largest row sum of magnitudes in units
}

// strip is one strip of A or B over one panel.
type strip struct {
	words  [wordsPerRow]int64
	groups [panelK / (stepK / 2)]groupRange
}

// packer fills strips for one datapath.
type packer struct {
	order     *[stepK]uint8
	groupSize int
	exponents *[256]int16
	values    [aRows][stepK]int32 // one step of a strip, in the order of products
}

func newPacker(d Datapath) *packer {
	p := &packer{order: d.Grouping.order(), groupSize: d.Grouping.size(), exponents: &exponents}
	if d.NormalizesSubnormals {
		p.exponents = &normalizedExponents
	}
	return p
}

// pack fills s with columns [from, to) of rows row..row+len-1 of o, up to rowEnd;
// missing rows and columns are zeros. NaN counts as zero.
func (p *packer) pack(s *strip, o Operand, row, rowEnd, rows int, from, to int) {
	for k := from; k < to; k += stepK {
		for i := range rows {
			if row+i < rowEnd {
				p.gather(i, o.Row(row + i)[k:min(k+stepK, to)])
			} else {
				p.values[i] = [stepK]int32{}
			}
		}
		step := k - from
		for first := 0; first < stepK; first += p.groupSize {
			g := p.measure(rows, first)
			s.groups[(step+first)/p.groupSize] = g
			shift := g.unit + 9
			words := s.words[2*(step+first) : 2*(step+first+p.groupSize)]
			if rows == aRows {
				p.packFour(words, first, shift)
			} else {
				p.packTwo(words, first, shift)
			}
		}
	}
}

// gather decodes one step of one row in the order of products.
func (p *packer) gather(i int, codes []scale.E4M3) {
	values := &p.values[i]
	if len(codes) == stepK {
		codes := (*[stepK]scale.E4M3)(codes)
		for j, k := range p.order {
			values[j] = fixed[codes[k&(stepK-1)]]
		}
		return
	}
	for j, k := range p.order {
		values[j] = 0
		if int(k) < len(codes) {
			values[j] = fixed[codes[k]]
		}
	}
}

// measure finds unit, exponent and sizes of a group over all rows.
func (p *packer) measure(rows, first int) groupRange {
	var all, largestSum uint32
	for i := range rows {
		var sum uint32 // 32 magnitudes below 2^18
		for _, v := range p.values[i][first : first+p.groupSize] {
			magnitude := uint32((v ^ v>>31) - v>>31)
			all |= magnitude
			sum += magnitude
		}
		largestSum = max(largestSum, sum)
	}
	if all == 0 {
		return groupRange{unit: -9, top: zeroExponent}
	}
	zeros := bits.TrailingZeros32(all)
	length := bits.Len32(all)
	top := length - 10
	if p.exponents == &exponents {
		top = max(top, -6)
	}
	return groupRange{unit: zeros - 9, top: top, bits: length - zeros, sumBits: bits.Len32(largestSum >> zeros)}
}

func (p *packer) packFour(words []int64, first, shift int) {
	shift &= 31
	for j := range p.groupSize {
		k := (first + j) & (stepK - 1)
		words[2*j] = int64(p.values[0][k]>>shift) + int64(p.values[1][k]>>shift)<<32
		words[2*j+1] = int64(p.values[2][k]>>shift) + int64(p.values[3][k]>>shift)<<32
	}
}

func (p *packer) packTwo(words []int64, first, shift int) {
	shift &= 31
	for j := range p.groupSize {
		k := (first + j) & (stepK - 1)
		words[2*j] = int64(p.values[0][k] >> shift)
		words[2*j+1] = int64(p.values[1][k] >> shift)
	}
}
