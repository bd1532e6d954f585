package fuzz

import (
	"math"

	"blockfp8/ref"
)

// guardWord is a NaN that no arithmetic gives.
const guardWord = 0x7FEBCDEF

// guarded is a matrix between guard words, with some between its rows.
type guarded struct {
	ref.Matrix
	all []float32
}

const guardsAround = 9

func newGuarded(p Problem) guarded {
	padding := int(p.Choice >> 60) // 0 to 15 words between rows
	rows, cols := p.A.Rows, p.B.Rows
	stride := max(1, cols+padding)
	n := 0
	if rows > 0 && cols > 0 {
		n = (rows-1)*stride + cols
	}
	all := make([]float32, n+2*guardsAround)
	for i := range all {
		all[i] = math.Float32frombits(guardWord)
	}
	return guarded{ref.Matrix{Rows: rows, Cols: cols, Stride: stride, Data: all[guardsAround : guardsAround+n]}, all}
}

// intact tells whether elements were written, and nothing else was.
func (g guarded) intact(p Problem) error {
	for i, v := range g.all {
		at := i - guardsAround
		inside := at >= 0 && at < len(g.Data) && at%g.Stride < g.Cols
		switch kept := math.Float32bits(v) == guardWord; {
		case inside && kept:
			return violated(p, "C[%d,%d] was not written", at/g.Stride, at%g.Stride)
		case !inside && !kept:
			return violated(p, "memory beside C was written, %d words after C[0,0]", at)
		}
	}
	return nil
}

// untouched reports whether nothing at all was written.
func (g guarded) untouched() bool {
	for _, v := range g.all {
		if math.Float32bits(v) != guardWord {
			return false
		}
	}
	return true
}
