package scale_test

import (
	"math"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

func TestLayoutShapes(t *testing.T) {
	for _, c := range []struct {
		name                               string
		layout                             scale.Layout
		gridRows, gridCols                 int
		rowStride, colStride, scalesNeeded int
	}{
		{"whole blocks", scale.RowMajor(256, 512, 128, 128), 2, 4, 4, 1, 8},
		{"tails", scale.RowMajor(257, 513, 128, 128), 3, 5, 5, 1, 15},
		{"one less", scale.RowMajor(255, 511, 128, 128), 2, 4, 4, 1, 8},
		{"smaller than a block", scale.RowMajor(33, 64, 128, 128), 1, 1, 1, 1, 1},
		{"one element", scale.RowMajor(1, 1, 128, 128), 1, 1, 1, 1, 1},
		{"1x1 blocks", scale.RowMajor(3, 5, 1, 1), 3, 5, 5, 1, 15},
		{"tokens", scale.RowMajor(7, 576, 1, 128), 7, 5, 5, 1, 35},
		{"32x32 blocks", scale.RowMajor(576, 2112, 32, 32), 18, 66, 66, 1, 1188},
		{"from V3", scale.RowMajor(2112, 7168, 128, 128), 17, 56, 56, 1, 952},
		{"column-major", scale.ColMajor(257, 513, 128, 128, 1), 3, 5, 1, 3, 15},
		{"column-major by 4", scale.ColMajor(257, 513, 128, 128, 4), 3, 5, 1, 4, 19},
		{"column-major by 4, full", scale.ColMajor(512, 256, 128, 128, 4), 4, 2, 1, 4, 8},
		{"no rows", scale.RowMajor(0, 512, 128, 128), 0, 0, 4, 1, 0},
		{"no columns", scale.RowMajor(256, 0, 128, 128), 0, 0, 1, 1, 0},
		{"nothing", scale.RowMajor(0, 0, 128, 128), 0, 0, 1, 1, 0},
		{"no rows, column-major", scale.ColMajor(0, 512, 128, 128, 4), 0, 0, 1, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := c.layout
			if err := l.Validate(); err != nil {
				t.Error(err)
			}
			if l.GridRows() != c.gridRows || l.GridCols() != c.gridCols {
				t.Errorf("grid: got %dx%d, want %dx%d", l.GridRows(), l.GridCols(), c.gridRows, c.gridCols)
			}
			if l.RowStride != c.rowStride || l.ColStride != c.colStride {
				t.Errorf("strides: got %d %d, want %d %d", l.RowStride, l.ColStride, c.rowStride, c.colStride)
			}
			if l.Len() != c.scalesNeeded {
				t.Errorf("Len: got %d, want %d", l.Len(), c.scalesNeeded)
			}
		})
	}
}

func TestLayoutRowOffsetAddsABlock(t *testing.T) {
	l := scale.RowMajor(96, 128, 128, 128)
	l.RowOffset = 96
	if got := l.GridRows(); got != 2 {
		t.Errorf("96 rows from row 96 touch %d blocks, want 2", got)
	}
	for row, want := range map[int]int{0: 0, 31: 0, 32: 1, 95: 1} {
		if got := l.IndexOf(row, 0); got != want {
			t.Errorf("row %d: got scale %d, want %d", row, got, want)
		}
	}
	l.RowOffset = 32
	if got := l.GridRows(); got != 1 {
		t.Errorf("96 rows from row 32 touch %d blocks, want 1", got)
	}
}

func TestLayoutString(t *testing.T) {
	l := scale.ColMajor(257, 513, 128, 64, 4)
	l.RowOffset = 5
	want := "grid [3 9] strides [1 4] for a 257x513 operand in 128x64 blocks from row 5"
	if got := l.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// IndexOf against counting, for every element.
func TestLayoutIndexOfMatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkLayout(t, drawLayout(t)) })
}

// checkLayout visits every element of a valid layout: each finds its block by
// counting, each block has an index of its own, and Len is the last one plus 1.
func checkLayout(t tb, l scale.Layout) {
	t.Helper()
	if err := l.Validate(); err != nil {
		t.Fatalf("%v: %v", l, err)
	}
	owner, last := map[int][2]int{}, -1
	blocks := map[[2]int]bool{}
	for row := range l.Rows {
		for col := range l.Cols {
			block := [2]int{blockOf(row, l.BlockRows, l.RowOffset), blockOf(col, l.BlockCols, 0)}
			index := l.IndexOf(row, col)
			if want := block[0]*l.RowStride + block[1]*l.ColStride; index != want {
				t.Fatalf("%v: element (%d, %d): got %d, want %d", l, row, col, index, want)
			}
			if other, taken := owner[index]; taken && other != block {
				t.Fatalf("%v: blocks %v and %v share scale %d", l, other, block, index)
			}
			owner[index], blocks[block], last = block, true, max(last, index)
		}
	}
	if l.Len() != last+1 {
		t.Errorf("%v: Len is %d, the last index %d", l, l.Len(), last)
	}
	if got := l.GridRows() * l.GridCols(); got != len(blocks) {
		t.Errorf("%v: the grid has %d blocks, the elements use %d", l, got, len(blocks))
	}
}

func TestLayoutValidate(t *testing.T) {
	const huge = math.MaxInt
	good := scale.RowMajor(256, 512, 128, 128)
	change := func(f func(*scale.Layout)) scale.Layout {
		l := good
		f(&l)
		return l
	}
	for _, c := range []struct {
		name   string
		layout scale.Layout
		kind   error // nil: valid
	}{
		{"good", good, nil},
		{"zero value", scale.Layout{}, scale.ErrBlock},
		{"negative rows", change(func(l *scale.Layout) { l.Rows = -1 }), scale.ErrShape},
		{"negative columns", change(func(l *scale.Layout) { l.Cols = -1 }), scale.ErrShape},
		{"smallest extents", scale.RowMajor(math.MinInt, math.MinInt, 128, 128), scale.ErrShape},
		{"zero block rows", scale.RowMajor(256, 512, 0, 128), scale.ErrBlock},
		{"zero block columns", scale.RowMajor(256, 512, 128, 0), scale.ErrBlock},
		{"negative block", scale.RowMajor(256, 512, -128, 128), scale.ErrBlock},
		{"zero block of nothing", scale.RowMajor(0, 0, 0, 128), scale.ErrBlock},
		{"negative offset", change(func(l *scale.Layout) { l.RowOffset = -1 }), scale.ErrOffset},
		{"last offset", change(func(l *scale.Layout) { l.RowOffset = 127 }), nil},
		{"offset of a block", change(func(l *scale.Layout) { l.RowOffset = 128 }), scale.ErrOffset},
		{"zero row stride", change(func(l *scale.Layout) { l.RowStride = 0 }), scale.ErrStride},
		{"zero column stride", change(func(l *scale.Layout) { l.ColStride = 0 }), scale.ErrStride},
		{"negative row stride", change(func(l *scale.Layout) { l.RowStride = -4 }), scale.ErrStride},
		{"negative column stride", change(func(l *scale.Layout) { l.ColStride = -1 }), scale.ErrStride},
		{"rows one short", change(func(l *scale.Layout) { l.RowStride = 3 }), scale.ErrStride},
		{"equal strides", change(func(l *scale.Layout) { l.RowStride = 1 }), scale.ErrStride},
		{"padded rows", change(func(l *scale.Layout) { l.RowStride = 5 }), nil},
		{"columns one short", change(func(l *scale.Layout) { l.RowStride, l.ColStride = 1, 1 }), scale.ErrStride},
		{"dense columns", change(func(l *scale.Layout) { l.RowStride, l.ColStride = 1, 2 }), nil},
		{"pitch on both sides", change(func(l *scale.Layout) { l.RowStride, l.ColStride = 3, 6 }), nil},
		{"one block row needs no row stride", change(func(l *scale.Layout) { l.Rows, l.RowStride = 128, 1 }), nil},
		{"one block column needs no column stride", change(func(l *scale.Layout) { l.Cols, l.RowStride = 128, 1 }), nil},
		{"column-major for twice the rows", scale.Layout{Rows: 512, Cols: 512, BlockRows: 128, BlockCols: 128, RowStride: 1, ColStride: 2}, scale.ErrStride},
		{"align of zero", scale.ColMajor(256, 512, 128, 128, 0), scale.ErrStride},
		{"negative align", scale.ColMajor(256, 512, 128, 128, -4), scale.ErrStride},

		{"rows and offset overflow", scale.Layout{Rows: huge, Cols: 1, BlockRows: 2, BlockCols: 1, RowOffset: 1, RowStride: 1, ColStride: 1}, scale.ErrShape},
		{"row index overflows", change(func(l *scale.Layout) { l.RowStride = huge; l.Rows = 1 << 20 }), scale.ErrStride},
		{"row index overflows 64 bits", change(func(l *scale.Layout) { l.RowStride, l.Rows = huge, huge }), scale.ErrStride},
		{"column index overflows", change(func(l *scale.Layout) { l.ColStride, l.Cols = huge, 1<<20 }), scale.ErrStride},
		{"row index wraps to 0", scale.Layout{Rows: 5, Cols: 2, BlockRows: 1, BlockCols: 1, RowStride: 1 << 62, ColStride: 1}, scale.ErrStride},
		{"column index wraps to 0", scale.Layout{Rows: 2, Cols: 5, BlockRows: 1, BlockCols: 1, RowStride: 1, ColStride: 1 << 62}, scale.ErrStride},
		{"row index wraps to a negative number", scale.Layout{Rows: 3, Cols: 2, BlockRows: 1, BlockCols: 1, RowStride: 1 << 62, ColStride: 1}, scale.ErrStride},
		{"everything huge", scale.RowMajor(huge, huge, 1, 1), scale.ErrStride},
		{"everything huge, column-major", scale.ColMajor(huge, huge, 1, 1, 4), scale.ErrStride},
		{"huge in one block", scale.RowMajor(huge, huge, huge, huge), nil},
		{"huge stride of one block", scale.Layout{Rows: 1, Cols: 1, BlockRows: 1, BlockCols: 1, RowStride: huge, ColStride: huge}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.layout.Validate()
			if c.kind != nil {
				wantMismatch(t, err, c.kind)
				return
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// A row slice uses, element by element, the scales that the whole uses.
func TestLayoutSliceRowsMatchesWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := drawLayout(t)
		from := rapid.IntRange(0, whole.Rows).Draw(t, "from")
		to := rapid.IntRange(from, whole.Rows).Draw(t, "to")
		part, first, err := whole.SliceRows(from, to)
		if err != nil {
			t.Fatal(err)
		}
		if part.Rows != to-from || part.Cols != whole.Cols {
			t.Fatalf("%v: rows [%d, %d) are %v", whole, from, to, part)
		}
		checkLayout(t, part)
		for row := range part.Rows {
			for col := range part.Cols {
				if got, want := first+part.IndexOf(row, col), whole.IndexOf(from+row, col); got != want {
					t.Fatalf("%v rows [%d, %d): element (%d, %d): got %d, want %d", whole, from, to, row, col, got, want)
				}
			}
		}
		if first+part.Len() > whole.Len() {
			t.Errorf("%v rows [%d, %d): reads to %d of %d", whole, from, to, first+part.Len(), whole.Len())
		}
	})
}

func TestLayoutSliceColsMatchesWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := drawLayout(t)
		edges := []int{whole.Cols}
		for edge := 0; edge < whole.Cols; edge += whole.BlockCols {
			edges = append(edges, edge)
		}
		from := rapid.SampledFrom(edges).Draw(t, "from")
		to := rapid.SampledFrom(edges).Draw(t, "to")
		if from > to || from%whole.BlockCols != 0 {
			t.Skip("not a range from a block edge")
		}
		part, first, err := whole.SliceCols(from, to)
		if err != nil {
			t.Fatal(err)
		}
		checkLayout(t, part)
		for row := range part.Rows {
			for col := range part.Cols {
				if got, want := first+part.IndexOf(row, col), whole.IndexOf(row, from+col); got != want {
					t.Fatalf("%v columns [%d, %d): element (%d, %d): got %d, want %d", whole, from, to, row, col, got, want)
				}
			}
		}
		if part.Rows != whole.Rows || part.Cols != to-from || first+part.Len() > whole.Len() {
			t.Errorf("%v columns [%d, %d) are %v from %d", whole, from, to, part, first)
		}
	})
}

func TestLayoutSliceErrors(t *testing.T) {
	l := scale.RowMajor(300, 300, 128, 128)
	for _, c := range []struct{ from, to int }{{-1, 10}, {10, 9}, {0, 301}, {301, 301}, {math.MinInt, 0}, {0, math.MaxInt}} {
		_, _, err := l.SliceRows(c.from, c.to)
		wantMismatch(t, err, scale.ErrShape)
		_, _, err = l.SliceCols(c.from, c.to)
		wantMismatch(t, err, scale.ErrShape)
	}
	for _, c := range []struct{ from, to int }{{0, 127}, {1, 128}, {64, 192}, {128, 255}, {200, 300}} {
		_, _, err := l.SliceCols(c.from, c.to)
		wantMismatch(t, err, scale.ErrBlock)
	}
	for _, c := range []struct{ from, to int }{{0, 300}, {0, 128}, {128, 256}, {256, 300}, {128, 300}, {0, 0}, {256, 256}} {
		if _, _, err := l.SliceCols(c.from, c.to); err != nil {
			t.Errorf("columns [%d, %d): %v", c.from, c.to, err)
		}
	}
}

// A layout without blocks cannot be sliced, and does not divide by zero.
func TestLayoutSliceWithoutBlocks(t *testing.T) {
	var l scale.Layout
	wantNoPanic(t, "SliceRows of a zero Layout", func() {
		_, _, err := l.SliceRows(0, 0)
		wantMismatch(t, err, scale.ErrBlock)
	})
	wantNoPanic(t, "SliceCols of a zero Layout", func() {
		_, _, err := l.SliceCols(0, 0)
		wantMismatch(t, err, scale.ErrBlock)
	})
}
