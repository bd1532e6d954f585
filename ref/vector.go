package ref

import (
	"blockfp8/ref/internal/avx2"
	"blockfp8/scale"
)

// vectorKind says how a tile's groups of products are multiplied.
type vectorKind uint8

const (
	plainGo        vectorKind = iota // integers, two rows in a word
	fusedLanes                       // float64, eight elements at a time
	truncatedLanes                   // float32 with every term cut, eight elements at a time
)

// useVectors is off in tests of the plain path.
var useVectors = avx2.Available()

// vectorKind returns the fastest way that this machine has for a datapath. Scales
// inside the MMA differ from element to element, which the lanes do not know.
func (d *Datapath) vectorKind() vectorKind {
	switch {
	case !useVectors || !d.Exact && d.TakesScales:
		return plainGo
	case d.Exact || d.FractionBits > avx2.MaxFractionBits:
		return fusedLanes
	}
	return truncatedLanes
}

// The strips of A and B are as wide as the lanes want them.
var (
	_ [aRows - avx2.Rows]struct{}
	_ [bRows - avx2.Columns]struct{}
)

// spread is a strip for the lanes: column k of the panel in the order of products.
// Only the slice for the operand and the kind is in use.
type spread struct {
	wideA [][aRows]float64
	wideB [][bRows]float64
	cutA  []avx2.LaneA
	cutB  []avx2.LaneB
}

func newSpread(k vectorKind, rows int) (s spread) {
	switch {
	case k == fusedLanes && rows == aRows:
		s.wideA = make([][aRows]float64, panelK)
	case k == fusedLanes:
		s.wideB = make([][bRows]float64, panelK)
	case k == truncatedLanes && rows == aRows:
		s.cutA = make([]avx2.LaneA, panelK+1) // the kernel reads a column and the beginning of the next
	case k == truncatedLanes:
		s.cutB = make([]avx2.LaneB, panelK)
	}
	return s
}

// values are those of the codes, 0 for NaN.
var values, narrowValues = func() (v [256]float64, n [256]float32) {
	for i := range v {
		v[i] = float64(fixed[i]) * 0x1p-9
		n[i] = float32(v[i])
	}
	return v, n
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
func (s *spread) fill(k int, rows *[aRows]*[stepK]scale.E4M3, normalized bool) {
	table := &laneExponents
	if normalized {
		table = &normalizedLaneExponents
	}
	switch {
	case s.wideA != nil:
		for i := range s.wideA[k : k+stepK] {
			s.wideA[k+i] = [aRows]float64{values[rows[0][i]], values[rows[1][i]], values[rows[2][i]], values[rows[3][i]]}
		}
	case s.wideB != nil:
		for i := range s.wideB[k : k+stepK] {
			s.wideB[k+i] = [bRows]float64{values[rows[0][i]], values[rows[1][i]]}
		}
	case s.cutA != nil:
		for i := range s.cutA[k : k+stepK] {
			c0, c1, c2, c3 := rows[0][i], rows[1][i], rows[2][i], rows[3][i]
			s.cutA[k+i] = avx2.LaneA{
				Value:    [aRows]float32{narrowValues[c0], narrowValues[c1], narrowValues[c2], narrowValues[c3]},
				Exponent: [aRows]int32{table[c0], table[c1], table[c2], table[c3]},
			}
		}
	case s.cutB != nil:
		for i := range s.cutB[k : k+stepK] {
			c0, c1 := rows[0][i], rows[1][i]
			s.cutB[k+i] = avx2.LaneB{Value: [bRows]float32{narrowValues[c0], narrowValues[c1]}, Exponent: [bRows]int32{table[c0], table[c1]}}
		}
	}
}

// avxDatapath is what the truncating kernel needs to know.
func (d *Datapath) avxDatapath() avx2.Datapath {
	return avx2.Datapath{
		ZeroExponent: int32(d.ZeroExponent), FractionBits: int32(d.FractionBits),
		Keep: ^uint32(1<<(23-d.ResultBits) - 1),
	}
}

// avxWindow is w for the lanes.
func (w *window) avxWindow() avx2.Window {
	return avx2.Window{Limit: w.limit, Negative: -w.limit, Magic: w.magic, Keep: ^w.cut}
}

// dotLanes adds the products of a panel to dots, in units of 2^-18.
func dotLanes(dots *groupSums, a, b *strip, columns int) {
	var sums elements
	avx2.Dot((*[aRows * bRows]float64)(&sums), a.spread.wideA[:columns], b.spread.wideB[:columns])
	for i, sum := range sums {
		dots[i] += int64(sum * 0x1p18)
	}
}
