package fuzz

import (
	"math/rand/v2"

	"pgregory.net/rapid"
)

// Problems generates problems within limits, for property tests of your own:
//
//	rapid.Check(t, func(t *rapid.T) {
//		p := fuzz.Problems(fuzz.Limits{MaxK: 256}).Draw(t, "problem")
//		...
//	})
//
// Weird codes and scales, cancelling sums, zeros, sums at the edge of what an MMA
// keeps, and scales that tell blocks apart are drawn far more often than chance
// would have it.
func Problems(l Limits) *rapid.Generator[Problem] {
	l = l.filled()
	return rapid.Custom(func(t *rapid.T) Problem { return drawer{t, l}.problem() })
}

// drawer draws the shape of a problem with rapid and fills it from a seed that
// rapid draws: drawing each of 10^5 codes by itself would take most of the time.
type drawer struct {
	t      *rapid.T
	limits Limits
}

func (d drawer) problem() Problem {
	b := rapid.SampledFrom(d.limits.Blocks).Draw(d.t, "block")
	m, n, k := d.extents(b.Cols)
	p := Problem{
		A: Side{Rows: m, K: k, BlockRows: 1, BlockCols: b.Cols},
		B: Side{Rows: n, K: k, BlockRows: b.Rows, BlockCols: b.Cols},
	}
	if !d.limits.WholeBlocks && d.oneIn(2) {
		p.B.RowOffset = d.between(0, b.Rows-1)
	}
	p.A.allocate(d.kind(d.limits.ScalesA))
	p.B.allocate(d.kind(d.limits.ScalesB))
	p.A.Placement, p.B.Placement = d.placement(), d.placement()
	p.Output = rapid.SampledFrom(d.limits.Outputs).Draw(d.t, "output")
	p.Choice = d.seed()
	fill := rapid.SampledFrom(fillings).Draw(d.t, "filling")
	fill(rand.New(rand.NewPCG(d.seed(), 0)), p)
	return d.limits.numbers(p)
}

// extents are mostly small, as most faults need no more; one in four problems
// is long one way, to reach many blocks and tiles.
func (d drawer) extents(block int) (m, n, k int) {
	m, n = d.size(20, d.limits.MaxM), d.size(40, d.limits.MaxN)
	most := max(300, 2*block)
	switch d.between(0, 11) {
	case 9:
		m, n = d.size(d.limits.MaxM, d.limits.MaxM), d.size(8, d.limits.MaxN)
	case 10:
		m, n = d.size(4, d.limits.MaxM), d.size(d.limits.MaxN, d.limits.MaxN)
	case 11:
		m, n, most = d.size(4, d.limits.MaxM), d.size(4, d.limits.MaxN), d.limits.MaxK
	}
	m = d.limits.rows(m)
	n = roundUp(n, d.limits.StepN, d.limits.MaxN)
	k = roundUp(d.length(block, min(most, d.limits.MaxK)), d.limits.StepK, d.limits.MaxK)
	if !d.limits.NoEmpty && d.oneIn(30) {
		*[]*int{&m, &n, &k}[d.between(0, 2)] = 0
	}
	return m, n, k
}

// tiles of hardware end at these sizes.
var edges = []int{1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257}

// size is at least 1 and at most a usual number and the limit, half of the time at
// an edge. rapid prefers small numbers.
func (d drawer) size(usual, limit int) int {
	most := min(usual, limit)
	size := d.between(1, most)
	if d.oneIn(2) {
		size = rapid.SampledFrom(edges).Draw(d.t, "edge")
	}
	return min(size, most)
}

// length is a K of some blocks, often with a tail.
func (d drawer) length(block, most int) int {
	blocks := d.between(1, max(1, min(most/block, max(10, d.limits.MaxK/128))))
	k := blocks * block
	switch d.between(0, 3) {
	case 1:
		k += d.between(1, block) - block
	case 2:
		k += 1 - 2*d.between(0, 1)
	case 3:
		k = (blocks-1)*block + d.between(0, (block-1)/32)*32
	}
	return min(max(1, k), most)
}

func (d drawer) kind(k ScaleKind) ScaleKind {
	if k == E8M0Scales|FP32Scales {
		k = rapid.SampledFrom([]ScaleKind{E8M0Scales, FP32Scales}).Draw(d.t, "scales")
	}
	return k
}

func (d drawer) placement() (p Placement) {
	if d.limits.Dense || d.oneIn(3) {
		return p
	}
	return Placement{
		CodePadding: d.between(0, 17), ScalePadding: d.between(0, 3), ScaleGap: d.between(0, 1),
		ColMajor: d.oneIn(2), Finite: d.oneIn(2),
	}
}

func (d drawer) between(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(d.t, "number") }

func (d drawer) oneIn(n int) bool { return d.between(0, n-1) == n-1 }

// seed is of several numbers: rapid prefers small ones, and would repeat itself.
func (d drawer) seed() (seed uint64) {
	for range 4 {
		seed = mix(seed ^ rapid.Uint64().Draw(d.t, "seed"))
	}
	return seed
}

// allocate makes the tables of codes and scales.
func (s *Side) allocate(k ScaleKind) {
	s.Codes = table[Hex](s.Rows, s.K)
	if k == E8M0Scales {
		s.E8M0 = table[Hex](s.gridRows(), s.gridCols())
	} else {
		s.FP32 = table[[]Bits](s.gridRows(), s.gridCols())
	}
}

func table[Row ~[]E, E any](rows, cols int) []Row {
	t := make([]Row, rows)
	for i := range t {
		t[i] = make(Row, cols)
	}
	return t
}
