package fuzz

import (
	"iter"

	"blockfp8/scale"
)

// simplifications give problems that are simpler than one, boldest first. Each gives
// none once there is nothing left for it to do, so that shrinking ends.
var simplifications = []func(p Problem) iter.Seq[Problem]{
	fewerRows, shorterK, plainPlacement, unitScales, plainCodes, plainOutput,
}

// spans are parts of n things to leave out: halves, quarters, then one by one.
func spans(n int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for size := n / 2; size > 0; size /= 2 {
			for from := 0; from+size <= n; from += size {
				if !yield(from, from+size) {
					return
				}
			}
		}
	}
}

// fewerRows keeps a span of the rows of A or of B.
func fewerRows(p Problem) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		for _, s := range []struct {
			rows int
			with func(from, to int) Problem
		}{
			{p.A.Rows, func(from, to int) Problem { q := p; q.A = p.A.rows(from, to); return q }},
			{p.B.Rows, func(from, to int) Problem { q := p; q.B = p.B.rows(from, to); return q }},
		} {
			for from, to := range spans(s.rows) {
				if !yield(s.with(from, to)) {
					return
				}
			}
			for _, ends := range [][2]int{{1, s.rows}, {0, s.rows - 1}} {
				if s.rows > 1 && !yield(s.with(ends[0], ends[1])) {
					return
				}
			}
		}
	}
}

// shorterK keeps a span of whole blocks, or leaves columns of the last one out.
func shorterK(p Problem) iter.Seq[Problem] {
	part := func(from, to int) Problem {
		q := p
		q.A, q.B = p.A.cols(from, to), p.B.cols(from, to)
		return q
	}
	edge := leastCommonMultiple(p.A.BlockCols, p.B.BlockCols)
	blocks := (p.K() + edge - 1) / edge
	return func(yield func(Problem) bool) {
		for from, to := range spans(blocks) {
			if !yield(part(from*edge, min(to*edge, p.K()))) {
				return
			}
		}
		if blocks > 1 && !yield(part(edge, p.K())) {
			return
		}
		for _, k := range []int{1, 2, 32, 33, 64} {
			if k < p.K() && !yield(part(0, k)) {
				return
			}
		}
		last := max(0, blocks-1) * edge // where the last block begins
		for from, to := range spans(p.K() - last) {
			q := p
			q.A, q.B = p.A.without(last+from, last+to), p.B.without(last+from, last+to)
			if !yield(q) {
				return
			}
		}
	}
}

// K is the length of the inner dimension.
func (p Problem) K() int { return p.A.K }

func leastCommonMultiple(a, b int) int {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// plainPlacement is dense memory, then no offset where that moves no row to another
// block.
func plainPlacement(p Problem) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		q := p
		q.A.Placement, q.B.Placement = Placement{}, Placement{}
		if (q.A.Placement != p.A.Placement || q.B.Placement != p.B.Placement) && !yield(q) {
			return
		}
		q = p
		q.B.RowOffset = 0
		if p.B.RowOffset > 0 && q.B.gridRows() == 1 && p.B.gridRows() == 1 {
			yield(q)
		}
	}
}

// unitScales makes all scales of a side 1, or single ones.
func unitScales(p Problem) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		for i := range 2 {
			n := 0
			side(&p, i).eachScale(func(_, _ int, bits uint32) uint32 {
				n += oneIf(bits != side(&p, i).scaleOne())
				return bits
			})
			for from, to := range changes(n) {
				if !yield(withUnitScales(p, i, from, to)) {
					return
				}
			}
		}
	}
}

// changes are spans of what can be changed: all n, then parts of it.
func changes(n int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		if n == 0 || !yield(0, n) {
			return
		}
		for from, to := range spans(n) {
			if !yield(from, to) {
				return
			}
		}
	}
}

func side(p *Problem, i int) *Side { return []*Side{&p.A, &p.B}[i] }

// withUnitScales makes those scales of a side that are not 1 so, from one to
// another of them.
func withUnitScales(p Problem, i, from, to int) Problem {
	q := p.clone()
	s := side(&q, i)
	at := 0
	s.eachScale(func(_, _ int, bits uint32) uint32 {
		if bits == s.scaleOne() {
			return bits
		}
		if at++; at > from && at <= to {
			return s.scaleOne()
		}
		return bits
	})
	return q
}

// plainCodes makes codes of a side 0, then what is not 0 the code of 1.
func plainCodes(p Problem) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		for i := range 2 {
			for _, plain := range []byte{0, one} {
				n := 0
				isPlain := func(c byte) bool { return c == 0 || c == plain }
				side(&p, i).eachCode(func(_, _ int, c byte) byte {
					n += oneIf(!isPlain(c))
					return c
				})
				for from, to := range changes(n) {
					q := p.clone()
					at := 0
					side(&q, i).eachCode(func(_, _ int, c byte) byte {
						if isPlain(c) {
							return c
						}
						if at++; at > from && at <= to {
							return plain
						}
						return c
					})
					if !yield(q) {
						return
					}
				}
			}
		}
	}
}

// plainOutput is float32.
func plainOutput(p Problem) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		if p.Output != scale.Float32 {
			p.Output = scale.Float32
			yield(p)
		}
	}
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}
