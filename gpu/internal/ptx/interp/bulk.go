package interp

// bulkCopy is a copy of a box of a tensor to shared memory, which an mbarrier counts.
// Its bytes appear when something waits for that, the latest that a chip may let them.
type bulkCopy struct {
	offset  int    // in shared memory
	bytes   []byte // rows of the box, not swizzled
	warp    *warp  // that issued it
	lane    int
	at      int // the instruction
	arrived bool
	stamp   stamp // of the arrival
}

// start begins a bulk copy: everything that touched its target has to come before, as
// the lane that issues it knows.
func (w *warp) start(c *bulkCopy, m *mbarrier) {
	s := w.block.shared
	from, to := linesOf(c.offset, len(c.bytes))
	for i := from; s.lines != nil && i < to; i++ {
		if !w.mayOverwrite(c.lane, i) {
			return
		}
		clear(s.cells[i*lineBytes : (i+1)*lineBytes])
		s.lines[i].copy = c
	}
	m.flights = append(m.flights, c)
	w.block.counters.BulkBytes += uint64(len(c.bytes))
}

// mayOverwrite checks that nothing still touches a line. What other threads wrote has
// to be visible to the copy's proxy; what they read has only to be over.
func (w *warp) mayOverwrite(lane, i int) bool {
	const does = "copies to"
	if !w.outsideBarriers(lane, i, i*lineBytes, lineBytes, does) || !w.afterCopy(lane, i, does) || !w.afterMultiplies(lane, i, does) {
		return false
	}
	s := w.block.shared
	if s.lines[i].copy != nil {
		return true
	}
	for j := i * lineBytes; j < (i+1)*lineBytes; j++ {
		c := &s.cells[j]
		if !w.mayAccess(c, lane, j, does) || !w.afterReaders(c, lane, j, does) || !w.afterAtomics(c, lane, j, does) || !w.seesWrite(c, lane, j, does) {
			return false
		}
	}
	return true
}

// seesWrite checks that a write comes before an access through the asynchronous proxy.
func (w *warp) seesWrite(c *cell, lane, i int, does string) bool {
	o := &w.block.shared.order
	if o.isCopy(c.write.actor) || o.visible(c.write, w.index, lane) {
		return true
	}
	w.fail(MissingFence, lane, "%s byte %d of shared memory, written at %s: no fence.proxy.async lies between", does, i, w.place(int(c.writeAt)))
	return false
}

// arrive lets the bytes of a copy appear.
func (c *bulkCopy) arrive(s *shared, by stamp) {
	for at := 0; at < len(c.bytes); at += lineBytes {
		copy(s.bytes[swizzle128(c.offset+at):], c.bytes[at:at+lineBytes])
	}
	c.bytes = nil
	c.arrived, c.stamp = true, by
}
