package interp

// multiplies checks and records that a wgmma reads a line of shared memory, and reports
// whether all of it is defined.
func (w *warp) multiplies(i int) (defined, ok bool) {
	s := w.block.shared
	l := &s.lines[i]
	defined, ok = true, true
	switch {
	case !w.outsideBarriers(0, i, i*lineBytes, lineBytes, "reads"):
		return false, false
	case l.copy == nil:
		defined, ok = w.multipliesCells(i)
	case !l.copy.arrived:
		w.unarrived(0, i, "reads", l.copy)
		return false, false
	case !s.order.beforeAll(l.copy.stamp, w.index, w.alive):
		w.race(0, "reads", i*lineBytes, l.copy.stamp, "written", int32(l.copy.at))
		return false, false
	}
	l.read = true
	s.multipliesOf(i)[w.index] = w.accumulators.current()
	return defined, ok
}

// multipliesCells is that for a line which lanes wrote.
func (w *warp) multipliesCells(i int) (defined, ok bool) {
	s := w.block.shared
	cells := s.cells[i*lineBytes : (i+1)*lineBytes]
	defined = true
	for j := range cells {
		c := &cells[j]
		defined = defined && c.defined
		if j > 0 && c.write == cells[j-1].write && c.pending == cells[j-1].pending && c.atomics == cells[j-1].atomics {
			continue
		}
		if !w.multipliesCell(c, i*lineBytes+j) {
			return false, false
		}
	}
	return defined, true
}

func (w *warp) multipliesCell(c *cell, i int) bool {
	const does = "reads"
	o := &w.block.shared.order
	switch {
	case !o.beforeAll(c.write, w.index, w.alive):
		w.race(0, does, i, c.write, "written", c.writeAt)
		return false
	case c.pending:
		return w.mayAccess(c, 0, i, does)
	case o.isCopy(c.write.actor) || c.write.lanes == 0 || o.visibleToAll(c.write, w.index, w.alive):
		return w.afterAtomics(c, 0, i, does)
	}
	w.fail(MissingFence, 0, "wgmma reads byte %d of shared memory, written at %s: no fence.proxy.async lies between", i, w.place(int(c.writeAt)))
	return false
}
