package fuzz

// rows is the side of rows [from, to), sharing memory. The offset keeps the shard
// on its scales.
func (s Side) rows(from, to int) Side {
	first := s.RowOffset + from
	part := s
	part.Rows, part.RowOffset, part.Codes = to-from, first%s.BlockRows, s.Codes[from:to]
	top, end := first/s.BlockRows, first/s.BlockRows+part.gridRows()
	if s.hasE8M0() {
		part.E8M0 = s.E8M0[min(top, len(s.E8M0)):min(end, len(s.E8M0))]
	} else {
		part.FP32 = s.FP32[min(top, len(s.FP32)):min(end, len(s.FP32))]
	}
	return part
}

// cols is the side of columns [from, to), from being a block edge. It shares
// memory with s.
func (s Side) cols(from, to int) Side {
	part := s
	part.K = to - from
	part.Codes = cut(s.Codes, from, to)
	top, left := part.gridRows(), from/s.BlockCols
	right := left + part.gridCols()
	if s.hasE8M0() {
		part.E8M0 = cut(s.E8M0[:top], left, right)
	} else {
		part.FP32 = cut(s.FP32[:top], left, right)
	}
	return part
}

// without is the side without the columns [from, to), which are part of the last
// block and not all of it. It shares scales with s.
func (s Side) without(from, to int) Side {
	part := s
	part.K -= to - from
	part.Codes = make([]Hex, len(s.Codes))
	for i, row := range s.Codes {
		part.Codes[i] = append(row[:from:from], row[to:]...)
	}
	return part
}

func cut[Row ~[]E, E any](table []Row, from, to int) []Row {
	out := make([]Row, len(table))
	for i, row := range table {
		out[i] = row[from:to]
	}
	return out
}

// reordered is the side with row i taken from row order[i], sharing memory. It
// needs blocks of one row, or an order that moves rows inside their blocks only.
func (s Side) reordered(order []int) Side {
	out := s
	out.Codes = make([]Hex, len(order))
	for i, row := range order {
		out.Codes[i] = s.Codes[row]
	}
	if s.BlockRows > 1 {
		return out
	}
	if s.hasE8M0() {
		out.E8M0 = pick(s.E8M0, order)
	} else {
		out.FP32 = pick(s.FP32, order)
	}
	return out
}

func pick[Row any](table []Row, order []int) []Row {
	if len(table) == 0 { // no columns, no scales
		return table
	}
	out := make([]Row, len(order))
	for i, row := range order {
		out[i] = table[row]
	}
	return out
}
