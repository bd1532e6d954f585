package interp

import (
	"encoding/binary"

	"blockfp8/gpu/internal/ptx"
)

// matrixRows is the rows of the 8x8 matrices of 16-bit elements that ldmatrix
// loads; a row has 16 bytes.
const matrixRows = 8

// buildLdmatrix loads 1, 2 or 4 matrices. Lane 8i+r gives the address of row r of
// matrix i; lane l receives elements 2(l%4) and the next of row l/4, or of column
// l/4 if transposed.
func buildLdmatrix(c *call) step {
	count, transposed, space := c.matrices()
	ds, from := c.dsts(0, count, b32), c.addressOf(1)
	c.to.flow = ownFlow
	return func(w *warp, on uint32) {
		if !w.together(on, "ldmatrix") {
			return
		}
		at := from.of(w, on)
		for i, d := range ds {
			rows, holes, ok := w.matrix(space, i, &at)
			if !ok {
				return
			}
			w.mark(d, on, holes.of(transposed))
			for lane := range lanes {
				w.registers[d][lane] = uint64(pairAt(rows, lane, transposed))
			}
		}
	}
}

// matrices takes the modifiers of ldmatrix and stmatrix.
func (c *call) matrices() (count int, transposed bool, space ptx.Space) {
	c.need("sync")
	c.need("aligned")
	c.need("m8n8")
	count = map[string]int{"x1": 1, "x2": 2, "x4": 4}[c.need("x1", "x2", "x4")]
	transposed = c.has("trans")
	space = spaces[c.take("shared", "shared::cta")]
	c.need("b16")
	return count, transposed, space
}

// buildStmatrix is the opposite of ldmatrix.
func buildStmatrix(c *call) step {
	c.target(90)
	count, transposed, space := c.matrices()
	to, as := c.addressOf(0), c.srcs(1, count, b32)
	return func(w *warp, on uint32) {
		if !w.together(on, "stmatrix") {
			return
		}
		at := to.of(w, on)
		for i, a := range as {
			w.storeMatrix(space, i, &at, a, transposed)
		}
	}
}

// storeMatrix writes the rows of matrix i, whose elements lie in a register.
func (w *warp) storeMatrix(space ptx.Space, i int, at *vector, slot int, transposed bool) {
	var elements [matrixRows][matrixRows]uint16
	for lane, v := range w.registers[slot] {
		row, column := lane/4, lane%4*2
		if transposed {
			elements[column][row], elements[column+1][row] = uint16(v), uint16(v>>16)
		} else {
			elements[row][column], elements[row][column+1] = uint16(v), uint16(v>>16)
		}
	}
	a := access{space: space, size: 2 * matrixRows, write: true}
	w.count(a, 0xFF<<(matrixRows*i), at)
	for r := range elements {
		lane := matrixRows*i + r
		b := w.view(a, lane, at[lane])
		if b == nil {
			return
		}
		before := w.kept(b)
		for j, v := range elements[r] {
			binary.LittleEndian.PutUint16(b[2*j:], v)
			if w.marked && w.marks[slot]>>ownerOf(r, j, transposed)&1 == 1 {
				w.storeMarked(access{space: space, size: 2, write: true}, lane, at[lane]+uint64(2*j))
			}
		}
		w.agree(lane, before, b)
	}
}

// ownerOf returns the lane that holds an element.
func ownerOf(row, column int, transposed bool) int {
	if transposed {
		row, column = column, row
	}
	return 4*row + column/2
}

// together checks that all lanes of the warp take part.
func (w *warp) together(on uint32, what string) bool {
	if on != ^uint32(0) {
		w.fail(MaskMismatch, first(on), "%s needs all 32 lanes; %#x are there", what, on)
		return false
	}
	return true
}

// matrix reads the rows of matrix i; holes are their undefined bytes.
func (w *warp) matrix(space ptx.Space, i int, at *vector) (rows [matrixRows][]byte, holes matrixHoles, ok bool) {
	a := access{space: space, size: 16}
	w.count(a, 0xFF<<(matrixRows*i), at)
	for r := range rows {
		lane := matrixRows*i + r
		if rows[r] = w.view(a, lane, at[lane]); rows[r] == nil {
			return rows, holes, false
		}
		holes[r] = w.holes
	}
	return rows, holes, true
}

// matrixHoles are the undefined bytes of each row.
type matrixHoles [matrixRows]uint32

// of returns the lanes that receive one of them.
func (h *matrixHoles) of(transposed bool) (on uint32) {
	if *h == (matrixHoles{}) {
		return 0
	}
	for lane := range lanes {
		row, column := lane/4, lane%4*2
		hole := h[row]>>(2*column)&0xF != 0
		if transposed {
			hole = (h[column]|h[column+1])>>(2*row)&3 != 0
		}
		if hole {
			on |= 1 << lane
		}
	}
	return on
}

// pairAt returns the two elements that a lane receives.
func pairAt(rows [matrixRows][]byte, lane int, transposed bool) uint32 {
	row, column := lane/4, lane%4*2
	if !transposed {
		return binary.LittleEndian.Uint32(rows[row][2*column:])
	}
	low := binary.LittleEndian.Uint16(rows[column][2*row:])
	high := binary.LittleEndian.Uint16(rows[column+1][2*row:])
	return uint32(low) | uint32(high)<<16
}
