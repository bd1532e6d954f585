package scale

import (
	"fmt"
	"math"
	"math/bits"
)

// Layout says which scale belongs to which element of an operand and where it
// is stored. The orientation is always given, never inferred from a shape: a
// square grid has the same shape both ways.
//
// Row r and column k of the operand use the scale of block row
// (RowOffset+r)/BlockRows and block column k/BlockCols. Blocks at the end may
// be partly filled: the grid has ceil((RowOffset+Rows)/BlockRows) by
// ceil(Cols/BlockCols) scales, none at all if Rows or Cols is 0.
type Layout struct {
	Rows, Cols           int // extent of the operand in elements
	BlockRows, BlockCols int // elements that share one scale
	RowOffset            int // rows of the first block that lie before row 0, for a shard that starts inside a block
	RowStride, ColStride int // distance in scales from one block row, and block column, to the next
}

// RowMajor returns the layout of a dense grid whose columns are neighbours in
// memory, the order of a checkpoint's scale tensor.
func RowMajor(rows, cols, blockRows, blockCols int) Layout {
	l := Layout{Rows: rows, Cols: cols, BlockRows: blockRows, BlockCols: blockCols, ColStride: 1}
	l.RowStride = max(1, ceilDiv(cols, blockCols))
	return l
}

// ColMajor returns the layout of a grid whose rows are neighbours in memory,
// each column padded to a multiple of align rows (1 for a dense grid, 4 for
// grids that a GPU fetches 16 bytes at a time).
func ColMajor(rows, cols, blockRows, blockCols, align int) Layout {
	l := Layout{Rows: rows, Cols: cols, BlockRows: blockRows, BlockCols: blockCols, RowStride: 1}
	l.ColStride = max(1, ceilDiv(ceilDiv(rows, blockRows), align)*align)
	return l
}

// ceilDiv is 0 where a divisor is not positive, so that a bad block size
// reaches Validate instead of dividing by zero.
func ceilDiv(a, b int) int {
	if a <= 0 || b <= 0 {
		return 0
	}
	return (a-1)/b + 1
}

// GridRows returns the number of block rows.
func (l Layout) GridRows() int {
	if l.Rows == 0 || l.Cols == 0 {
		return 0
	}
	return ceilDiv(l.RowOffset+l.Rows, l.BlockRows)
}

// GridCols returns the number of block columns.
func (l Layout) GridCols() int {
	if l.Rows == 0 || l.Cols == 0 {
		return 0
	}
	return ceilDiv(l.Cols, l.BlockCols)
}

// Index returns where the scale of a block is stored.
func (l Layout) Index(blockRow, blockCol int) int {
	return blockRow*l.RowStride + blockCol*l.ColStride
}

// IndexOf returns where the scale of element (row, col) is stored.
func (l Layout) IndexOf(row, col int) int {
	return l.Index((l.RowOffset+row)/l.BlockRows, col/l.BlockCols)
}

// Len returns the smallest number of scales that storage must hold.
func (l Layout) Len() int {
	if l.GridRows() == 0 {
		return 0
	}
	return l.Index(l.GridRows()-1, l.GridCols()-1) + 1
}

// String gives the extent, the blocks and the grid in words.
func (l Layout) String() string {
	return fmt.Sprintf("grid [%d %d] strides [%d %d] for a %dx%d operand in %dx%d blocks from row %d",
		l.GridRows(), l.GridCols(), l.RowStride, l.ColStride, l.Rows, l.Cols, l.BlockRows, l.BlockCols, l.RowOffset)
}

// Validate checks that extents are not negative, blocks and strides positive,
// the offset inside the first block, that one stride steps over a whole row or
// column of the grid (so that no two blocks share a scale), and that every index
// fits an int.
func (l Layout) Validate() error {
	switch {
	case l.Rows < 0 || l.Cols < 0:
		return l.mismatch(ErrShape, "extents of at least 0", fmt.Sprintf("%dx%d", l.Rows, l.Cols))
	case l.BlockRows < 1 || l.BlockCols < 1:
		return l.mismatch(ErrBlock, "a block of at least 1x1", fmt.Sprintf("%dx%d", l.BlockRows, l.BlockCols))
	case l.RowOffset < 0 || l.RowOffset >= l.BlockRows:
		return l.mismatch(ErrOffset, fmt.Sprintf("a row offset in [0, %d)", l.BlockRows), fmt.Sprint(l.RowOffset))
	case l.Rows > math.MaxInt-l.RowOffset:
		return l.mismatch(ErrShape, "rows that fit an int with the offset", fmt.Sprintf("%d + %d", l.RowOffset, l.Rows))
	case l.RowStride < 1 || l.ColStride < 1:
		return l.mismatch(ErrStride, "strides of at least 1", fmt.Sprintf("[%d %d]", l.RowStride, l.ColStride))
	}
	return l.validateStrides()
}

func (l Layout) validateStrides() error {
	rows, cols := l.GridRows(), l.GridCols()
	if rows == 0 {
		return nil
	}
	downHi, down := bits.Mul64(uint64(rows-1), uint64(l.RowStride))
	alongHi, along := bits.Mul64(uint64(cols-1), uint64(l.ColStride))
	if downHi != 0 || alongHi != 0 || down > math.MaxInt/2 || along > math.MaxInt/2 {
		return l.mismatch(ErrStride, "indices that fit an int", fmt.Sprintf("strides [%d %d]", l.RowStride, l.ColStride))
	}
	apart := rows == 1 || cols == 1 || along < uint64(l.RowStride) || down < uint64(l.ColStride)
	if !apart {
		return l.mismatch(ErrStride, "a stride that steps over a whole row or column of the grid", fmt.Sprintf("strides [%d %d]", l.RowStride, l.ColStride))
	}
	return nil
}

func (l Layout) mismatch(kind error, want, got string) error {
	return &Mismatch{Kind: kind, What: "scales (" + l.String() + ")", Want: want, Got: got}
}

// SliceRows returns the layout of rows [from, to) and the index of its first
// scale in the storage of l. Any row may be a border: the row offset keeps the
// shard on the right scales.
func (l Layout) SliceRows(from, to int) (Layout, int, error) {
	if err := l.Validate(); err != nil {
		return Layout{}, 0, err
	}
	if from < 0 || to < from || to > l.Rows {
		return Layout{}, 0, l.mismatch(ErrShape, fmt.Sprintf("rows within [0, %d)", l.Rows), fmt.Sprintf("[%d, %d)", from, to))
	}
	first := l.RowOffset + from
	part := l
	part.Rows, part.RowOffset = to-from, first%l.BlockRows
	if part.GridRows() == 0 {
		return part, 0, nil
	}
	return part, l.Index(first/l.BlockRows, 0), nil
}

// SliceCols returns the layout of columns [from, to) and the index of its first
// scale in the storage of l. Both borders must lie on block edges (to may also
// be the last column): a K shard that starts inside a block has no exact grid.
func (l Layout) SliceCols(from, to int) (Layout, int, error) {
	if err := l.Validate(); err != nil {
		return Layout{}, 0, err
	}
	if from < 0 || to < from || to > l.Cols {
		return Layout{}, 0, l.mismatch(ErrShape, fmt.Sprintf("columns within [0, %d)", l.Cols), fmt.Sprintf("[%d, %d)", from, to))
	}
	if from%l.BlockCols != 0 && from != l.Cols || to%l.BlockCols != 0 && to != l.Cols {
		return Layout{}, 0, l.mismatch(ErrBlock, fmt.Sprintf("column borders at multiples of %d", l.BlockCols), fmt.Sprintf("[%d, %d)", from, to))
	}
	part := l
	part.Cols = to - from
	if part.GridCols() == 0 {
		return part, 0, nil
	}
	return part, l.Index(0, from/l.BlockCols), nil
}
