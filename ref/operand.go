package ref

import (
	"fmt"

	"blockfp8/scale"
)

// Operand is one input of a multiplication: E4M3 codes in rows of K elements
// and the grid of their scales. It refers to the caller's memory, which must
// not change while the operand is in use; it is safe for concurrent readers.
// The zero value has no scales, and using it is scale.ErrUnsetScale.
type Operand struct {
	codes   []scale.E4M3
	rows, k int // of the grid's layout, kept here because every row access needs them
	stride  int
	grid    scale.Grid
}

// NewOperand makes an operand of the extents of the grid's layout: Layout.Rows
// is M or N, Layout.Cols is K. Row i of the codes starts at i*stride; elements
// between K and stride, and past the last row, are padding and never read.
// Errors: those of scale.CheckCodes.
func NewOperand(codes []scale.E4M3, stride int, grid scale.Grid) (Operand, error) {
	if err := scale.CheckCodes(codes, stride, grid); err != nil {
		return Operand{}, err
	}
	return newOperand(codes, stride, grid), nil
}

func newOperand(codes []scale.E4M3, stride int, grid scale.Grid) Operand {
	l := grid.Layout()
	return Operand{codes: codes, rows: l.Rows, k: l.Cols, stride: stride, grid: grid}
}

// Rows returns M for activations, N for weights.
func (o Operand) Rows() int { return o.rows }

// K returns the length of the inner dimension.
func (o Operand) K() int { return o.k }

// Grid returns the scales.
func (o Operand) Grid() scale.Grid { return o.grid }

// Row returns the K codes of row i.
func (o Operand) Row(i int) []scale.E4M3 {
	if o.k == 0 {
		return nil
	}
	return o.codes[i*o.stride : i*o.stride+o.k]
}

// Codes returns the storage of the codes and the distance between its rows.
func (o Operand) Codes() (codes []scale.E4M3, stride int) { return o.codes, o.stride }

// scaleAt returns the scale of row and K block as float32.
func (o Operand) scaleAt(row, block int) float32 {
	l := o.grid.Layout()
	return o.grid.At((l.RowOffset+row)/l.BlockRows, block)
}

// scales writes the scales of a K block for rows from row on.
func (o *Operand) scales(dst []float32, row, block int) {
	l := o.grid.Layout()
	for i := 0; i < len(dst); {
		at := l.RowOffset + row + i
		scale := o.grid.At(at/l.BlockRows, block)
		for end := min(len(dst), i+l.BlockRows-at%l.BlockRows); i < end; i++ {
			dst[i] = scale
		}
	}
}

// codeAt returns the E8M0 code of the scale of element (row, k).
func (o Operand) codeAt(row, k int) scale.E8M0 {
	return o.grid.Codes()[o.grid.Layout().IndexOf(row, k)]
}

// SliceRows returns rows [from, to), sharing memory. Any row may be a border;
// the grid keeps the offset inside its block, so shards multiplied one by one
// give the bits of the whole.
func (o Operand) SliceRows(from, to int) (Operand, error) {
	grid, err := o.grid.SliceRows(from, to)
	if err != nil {
		return Operand{}, err
	}
	return o.part(from*o.stride, grid), nil
}

// SliceK returns columns [from, to), sharing memory. Both borders must lie on
// block edges of the grid, or to be K.
func (o Operand) SliceK(from, to int) (Operand, error) {
	grid, err := o.grid.SliceCols(from, to)
	if err != nil {
		return Operand{}, err
	}
	return o.part(from, grid), nil
}

func (o Operand) part(first int, grid scale.Grid) Operand {
	l := grid.Layout()
	if l.Rows == 0 || l.Cols == 0 {
		return newOperand(nil, o.stride, grid)
	}
	return newOperand(o.codes[first:], o.stride, grid)
}

// String gives the extent and the grid.
func (o Operand) String() string {
	return fmt.Sprintf("[%d,%d] operand, %v", o.Rows(), o.K(), o.grid.Layout())
}
