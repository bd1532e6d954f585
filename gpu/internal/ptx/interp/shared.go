package interp

// shared is the shared memory of a block, and what has happened to it.
type shared struct {
	bytes      []byte
	order      order
	cells      []cell    // one for each byte; nil where nothing is checked
	many       [][]stamp // sets of accesses by warp, see cell
	used       int       // of many
	lines      []line    // nil where nothing is checked
	multiplies []uint32  // by line, by warp: the last group of wgmma that reads it; nil until there is one
}

func newShared(size, warps int, check bool) *shared {
	s := &shared{bytes: make([]byte, size), order: newOrder(warps)}
	if check {
		s.cells = make([]cell, size)
		s.lines = make([]line, (size+lineBytes-1)/lineBytes)
	}
	return s
}

func (s *shared) reset() {
	// What a block finds in its memory is undefined; a NaN pattern is likelier to
	// be noticed than zeros.
	for i := range s.bytes {
		s.bytes[i] = 0xFF
	}
	clear(s.cells)
	clear(s.lines)
	clear(s.multiplies)
	s.order.reset()
	s.used = 0
}
