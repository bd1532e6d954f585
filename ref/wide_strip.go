package ref

import "blockfp8/ref/internal/avx2"

// wideStrip is eight rows of an operand over one panel, decoded to float64 for vectors.
// Products of values are multiples of 2^-18 below 2^18, so a sum of up to longestWide of
// them is exact in any order.
type wideStrip struct {
	columns [panelK]avx2.Column
	groups  [panelK / (stepK / 2)]wideGroup
}

// wideGroup is a wide strip in one group of products.
type wideGroup struct {
	avx2.Range
	rows   avx2.Rows // the codes, followed by zeros; in the operand or in copies
	copies [avx2.Width]avx2.Codes
}

// packWide is pack for a wide strip.
func (p *packer) packWide(s *wideStrip, o *Operand, row, rowEnd, from, to int) {
	size, group := p.d.Grouping.size(), 0
	for k := from; k < to; k += stepK {
		p.loadStep(o, row, rowEnd, avx2.Width, k, to)
		for first := 0; first < stepK; first += size {
			g, at := &s.groups[group], k-from+first
			for i := range g.rows {
				g.rows[i] = p.lasting(i, first, size, &g.copies[i])
			}
			avx2.Decode(s.columns[at:at+size], &g.rows, p.d.floor(), &g.Range)
			group++
		}
	}
}

// lasting returns codes of row i that stay when the next step is loaded.
func (p *packer) lasting(i, first, size int, to *avx2.Codes) *avx2.Codes {
	if size == stepK && p.rows[i] != &p.scratch[i] {
		return (*avx2.Codes)(p.rows[i])
	}
	copy(to[:size], p.rows[i][first:])
	return to
}

// floor is the power of two that stands for the exponent of subnormal codes.
func (d *Datapath) floor() float32 {
	if d.NormalizesSubnormals {
		return 0
	}
	return 0x1p-6
}
