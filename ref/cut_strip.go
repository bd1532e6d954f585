package ref

import (
	"blockfp8/ref/internal/avx2"
	"blockfp8/scale"
)

// The strips of A and B are as wide as the lanes want them.
var (
	_ [aRows - avx2.CutRows]struct{}
	_ [bRows - avx2.CutColumns]struct{}
)

// cutStrip is a strip for the lanes that cut every term: column k of the panel in
// the order of products. Only the slice for the operand is in use.
type cutStrip struct {
	a []avx2.LaneA
	b []avx2.LaneB
}

func newCutStrip(rows int) (s cutStrip) {
	if rows == aRows {
		s.a = make([]avx2.LaneA, panelK+1) // the kernel reads a column and the beginning of the next
	} else {
		s.b = make([]avx2.LaneB, panelK)
	}
	return s
}

// values are those of the codes, 0 for NaN.
var values = func() (v [256]float32) {
	for i := range v {
		v[i] = float32(fixed[i]) * 0x1p-9
	}
	return v
}()

// farBelow is the exponent of a zero in the lanes, below that of every sum.
const farBelow = -1 << 20

// laneExponents are the exponents of the tables for the lanes.
var laneExponents, normalizedLaneExponents = forLanes(&exponents), forLanes(&normalizedExponents)

func forLanes(table *[256]int16) (e [256]int32) {
	for i, v := range table {
		e[i] = int32(v)
		if v == zeroExponent {
			e[i] = farBelow
		}
	}
	return e
}

// fill writes one step of the strip, of rows that lie in the order of products,
// from column k on.
func (s *cutStrip) fill(k int, rows *[stripRows]*[stepK]scale.E4M3, normalized bool) {
	table := &laneExponents
	if normalized {
		table = &normalizedLaneExponents
	}
	if s.a != nil {
		for i := range s.a[k : k+stepK] {
			c0, c1, c2, c3 := rows[0][i], rows[1][i], rows[2][i], rows[3][i]
			s.a[k+i] = avx2.LaneA{
				Value:    [aRows]float32{values[c0], values[c1], values[c2], values[c3]},
				Exponent: [aRows]int32{table[c0], table[c1], table[c2], table[c3]},
			}
		}
		return
	}
	for i := range s.b[k : k+stepK] {
		c0, c1 := rows[0][i], rows[1][i]
		s.b[k+i] = avx2.LaneB{Value: [bRows]float32{values[c0], values[c1]}, Exponent: [bRows]int32{table[c0], table[c1]}}
	}
}

// truncation is what the truncating kernel needs to know.
func (d *Datapath) truncation() avx2.Datapath {
	return avx2.Datapath{
		ZeroExponent: int32(d.ZeroExponent), FractionBits: int32(d.FractionBits),
		Keep: ^uint32(1<<(23-d.ResultBits) - 1),
	}
}
