package interp

// cell is what is known of one byte of shared memory. The zero value is a byte
// that nobody has touched.
type cell struct {
	write, read     stamp
	many            uint32 // 1 + index of the clocks of several readers, or 0
	writeAt, readAt int32  // instructions
	defined         bool
	pending         uint8 // asynchronous copies that may arrive at any time
}

// stamp says who accessed a byte and when: 0 is nobody.
type stamp uint64

const manyLanes = 0xFF

func stampOf(clock uint32, warp, lane int) stamp {
	return stamp(clock)<<16 | stamp(warp)<<8 | stamp(lane)
}

func (s stamp) clock() uint32 { return uint32(s >> 16) }
func (s stamp) warp() int     { return int(s >> 8 & 0xFF) }
func (s stamp) lane() int     { return int(s & 0xFF) }

// before reports whether the access of a stamp is ordered before one that the lane
// makes now.
func (w *warp) before(s stamp, lane int) bool {
	if s == 0 {
		return true
	}
	if s.warp() == w.index && s.lane() == lane {
		return true
	}
	// In other warps a clock is known once a barrier came after it; in this one it
	// has to have advanced since.
	return s.clock() < w.block.shared.order.known[w.index][s.warp()]
}

// reads checks and records that a lane reads bytes of shared memory.
func (w *warp) reads(lane, offset, size int) {
	s := w.block.shared
	now := stampOf(s.order.clock(w.index), w.index, lane)
	for i := offset; i < offset+size; i++ {
		c := &s.cells[i]
		switch {
		case c.pending > 0:
			w.fail(NotWaited, lane, "byte %d of shared memory is the target of a cp.async at %s that has not been waited for", i, w.place(int(c.writeAt)))
			return
		case !w.before(c.write, lane):
			w.race(lane, "reads", i, c.write, "written", c.writeAt)
			return
		}
		if !c.defined {
			w.holes |= 1 << (i - offset)
		}
		w.recordRead(c, now, lane)
	}
}

// recordRead keeps one reader, or the clocks of the readers by warp.
func (w *warp) recordRead(c *cell, now stamp, lane int) {
	s := w.block.shared
	c.readAt = int32(w.at())
	if c.many != 0 {
		s.many[c.many-1][w.index] = now.clock()
		c.read = stampOf(now.clock(), w.index, manyLanes)
		return
	}
	switch old := c.read; {
	case old == 0 || w.before(old, lane):
		c.read = now
	case old.warp() == w.index:
		c.read = stampOf(now.clock(), w.index, manyLanes)
	default:
		c.many = s.newReaders()
		readers := s.many[c.many-1]
		readers[old.warp()] = old.clock()
		readers[w.index] = now.clock()
		c.read = stampOf(now.clock(), w.index, manyLanes)
	}
}

// newReaders returns 1 + the index of a fresh set of clocks.
func (s *shared) newReaders() uint32 {
	if s.used == len(s.many) {
		s.many = append(s.many, make([]uint32, len(s.order.known)))
	} else {
		clear(s.many[s.used])
	}
	s.used++
	return uint32(s.used)
}

// writes checks and records that a lane writes bytes of shared memory.
func (w *warp) writes(lane, offset, size int) {
	s := w.block.shared
	now := stampOf(s.order.clock(w.index), w.index, lane)
	for i := offset; i < offset+size; i++ {
		c := &s.cells[i]
		if !w.mayWrite(c, lane, i) {
			return
		}
		c.write, c.writeAt = now, int32(w.at())
		c.read, c.many = 0, 0
		c.defined = true
	}
}

// mayWrite checks that everything which touched a byte comes before a write now.
func (w *warp) mayWrite(c *cell, lane, i int) bool {
	switch {
	case c.pending > 0:
		w.fail(NotWaited, lane, "byte %d of shared memory is the target of a cp.async at %s that has not been waited for", i, w.place(int(c.writeAt)))
	case !w.before(c.write, lane):
		w.race(lane, "writes", i, c.write, "written", c.writeAt)
	case c.many == 0 && !w.before(c.read, lane):
		w.race(lane, "writes", i, c.read, "read", c.readAt)
	case c.many != 0:
		return w.afterReaders(c, lane, i)
	default:
		return true
	}
	return false
}

func (w *warp) afterReaders(c *cell, lane, i int) bool {
	for warp, clock := range w.block.shared.many[c.many-1] {
		if clock != 0 && !w.before(stampOf(clock, warp, manyLanes), lane) {
			w.race(lane, "writes", i, stampOf(clock, warp, manyLanes), "read", c.readAt)
			return false
		}
	}
	return true
}

func (w *warp) race(lane int, does string, i int, other stamp, did string, at int32) {
	who := "another warp"
	if other.warp() == w.index {
		who = "another lane of the warp"
	}
	w.fail(Race, lane, "%s byte %d of shared memory that %s (warp %d) has %s at %s, with nothing between to order them", does, i, who, other.warp(), did, w.place(int(at)))
}
