package interp

import "blockfp8/scale"

// wgmmaTile is the operands and results of one warp's share.
type wgmmaTile struct {
	a, b fetched
	out  []float32
}

// fetched is rows of an operand.
type fetched struct {
	rows      [][mmaK]scale.E4M3
	undefined []bool // by row, whether some of it was never written
	holes     bool   // any of them
}

func newFetched(rows int) fetched {
	return fetched{rows: make([][mmaK]scale.E4M3, rows), undefined: make([]bool, rows)}
}

// tileOf returns memory for a tile with that many columns.
func (w *warp) tileOf(columns int) *wgmmaTile {
	t := &w.tiles[columns/mmaN]
	if *t == nil {
		*t = &wgmmaTile{a: newFetched(mmaM), b: newFetched(columns), out: make([]float32, mmaM*columns)}
	}
	return *t
}

// fetch reads rows of an operand, from row first on.
func (w *warp) fetch(to *fetched, from uint64, first int) bool {
	d, err := decodeDescriptor(from)
	if err != nil {
		w.fail(BadOperand, 0, "%v", err)
		return false
	}
	s := w.block.shared
	to.holes = false
	for i := range to.rows {
		to.undefined[i] = false
		for half := range 2 {
			at := d.at(first+i, half)
			if !holds(len(s.bytes), uint64(at), lineBytes) {
				w.fail(OutOfBounds, 0, "wgmma reads %d bytes at %d of %d bytes of shared memory", lineBytes, at, len(s.bytes))
				return false
			}
			if s.lines != nil {
				defined, ok := w.multiplies(at / lineBytes)
				if !ok {
					return false
				}
				to.undefined[i] = to.undefined[i] || !defined
			}
			for j, code := range s.bytes[at : at+lineBytes] {
				to.rows[i][half*lineBytes+j] = scale.E4M3(code)
			}
		}
		to.holes = to.holes || to.undefined[i]
	}
	return true
}
