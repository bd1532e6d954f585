package fuzz

import "fmt"

// Side is one operand of a problem: what its numbers are, and how they lie in
// memory. It is plain data, so that it can be changed, saved and read by eye.
type Side struct {
	Rows, K              int
	BlockRows, BlockCols int      // elements that share a scale
	RowOffset            int      // rows of the first block before row 0
	Codes                []Hex    // E4M3, by row
	E8M0                 []Hex    // scales by block row, or
	FP32                 [][]Bits // float32 scales by block row
	Placement            Placement
}

// Placement is how an operand lies in memory. The zero value is dense.
type Placement struct {
	CodePadding  int  // codes after each row
	ScalePadding int  // scales after each line of the grid
	ScaleGap     int  // scales between two of a line
	ColMajor     bool // lines of the grid are block columns
	Finite       bool // what no element uses is large numbers, not NaN
}

// hasE8M0 reports which kind the scales are; sides without any are E8M0.
func (s Side) hasE8M0() bool { return s.FP32 == nil }

func (s Side) gridRows() int {
	if s.Rows == 0 || s.K == 0 {
		return 0
	}
	return (s.RowOffset+s.Rows-1)/s.BlockRows + 1
}

func (s Side) gridCols() int {
	if s.Rows == 0 || s.K == 0 {
		return 0
	}
	return (s.K-1)/s.BlockCols + 1
}

// check tells whether a side from a file is whole, before anything indexes it.
func (s Side) check() error {
	if s.Rows < 0 || s.K < 0 || s.BlockRows < 1 || s.BlockCols < 1 || s.RowOffset < 0 || s.RowOffset >= s.BlockRows {
		return fmt.Errorf("impossible extents: [%d,%d] in %dx%d blocks from row %d", s.Rows, s.K, s.BlockRows, s.BlockCols, s.RowOffset)
	}
	if p := s.Placement; min(p.CodePadding, p.ScalePadding, p.ScaleGap) < 0 || max(p.CodePadding, p.ScalePadding, p.ScaleGap) > 1<<10 {
		return fmt.Errorf("impossible placement: %+v", p)
	}
	if err := checkTable("codes", s.Codes, s.Rows, s.K); err != nil {
		return err
	}
	if s.hasE8M0() {
		return checkTable("scales", s.E8M0, s.gridRows(), s.gridCols())
	}
	return checkTable("scales", s.FP32, s.gridRows(), s.gridCols())
}

func checkTable[Row ~[]E, E any](what string, table []Row, rows, cols int) error {
	if len(table) != rows {
		return fmt.Errorf("%d rows of %s, want %d", len(table), what, rows)
	}
	for i, row := range table {
		if len(row) != cols {
			return fmt.Errorf("%d %s in row %d, want %d", len(row), what, i, cols)
		}
	}
	return nil
}

// String gives extents, blocks and the kind of the scales.
func (s Side) String() string {
	kind := "E8M0"
	if !s.hasE8M0() {
		kind = "float32"
	}
	text := fmt.Sprintf("[%d,%d] in %dx%d blocks of %s scales", s.Rows, s.K, s.BlockRows, s.BlockCols, kind)
	if s.RowOffset > 0 {
		text += fmt.Sprintf(" from row %d of a block", s.RowOffset)
	}
	if s.Placement != (Placement{}) {
		text += fmt.Sprintf(", placed %+v", s.Placement)
	}
	return text
}

// clone is a side that shares no memory with s.
func (s Side) clone() Side {
	s.Codes, s.E8M0, s.FP32 = cloneTable(s.Codes), cloneTable(s.E8M0), cloneTable(s.FP32)
	return s
}

func cloneTable[Row ~[]E, E any](table []Row) []Row {
	if table == nil {
		return nil
	}
	out := make([]Row, len(table))
	for i, row := range table {
		out[i] = append(make(Row, 0, len(row)), row...)
	}
	return out
}

// eachScale gives every scale's bits and writes what becomes of them.
func (s Side) eachScale(change func(i, j int, bits uint32) uint32) {
	for i, row := range s.E8M0 {
		for j, c := range row {
			row[j] = byte(change(i, j, uint32(c)))
		}
	}
	for i, row := range s.FP32 {
		for j, b := range row {
			row[j] = Bits(change(i, j, uint32(b)))
		}
	}
}

// eachCode gives every code and writes what becomes of it.
func (s Side) eachCode(change func(row, k int, code byte) byte) {
	for row, codes := range s.Codes {
		for k, c := range codes {
			codes[k] = change(row, k, c)
		}
	}
}
