package interp

// lineBytes is the unit in which bulk copies and wgmma access shared memory: a row of
// a core matrix, and what a swizzle moves.
const lineBytes = 16

// line is what is known of 16 bytes of shared memory beyond their cells.
type line struct {
	copy     *bulkCopy // has written all of it, or will; nil once cells say who did
	barriers uint8     // the halves that hold an mbarrier
	read     bool      // by wgmma; shared.multiplies has the groups
}

// linesOf returns the first line of a range of bytes, and the one after the last.
func linesOf(offset, size int) (from, to int) {
	return offset / lineBytes, (offset + size + lineBytes - 1) / lineBytes
}

// enter checks an access of a lane to bytes of shared memory against what bulk copies
// and wgmma do there, and leaves everything that is known to the cells.
func (w *warp) enter(lane, offset, size int, does string) bool {
	s := w.block.shared
	from, to := linesOf(offset, size)
	for i := from; i < to; i++ {
		l := &s.lines[i]
		if l.copy == nil && l.barriers == 0 && !l.read {
			continue
		}
		if !w.outsideBarriers(lane, i, offset, size, does) || !w.afterCopy(lane, i, does) || does != "reads" && !w.afterMultiplies(lane, i, does) {
			return false
		}
		if l.copy != nil {
			s.split(i)
		}
	}
	return true
}

// outsideBarriers checks that an access leaves the mbarriers of a line alone.
func (w *warp) outsideBarriers(lane, i, offset, size int, does string) bool {
	for half := range 2 {
		at := i*lineBytes + half*mbarrierBytes
		if w.block.shared.lines[i].barriers>>half&1 == 1 && at < offset+size && offset < at+mbarrierBytes {
			w.fail(MBarrierFault, lane, "%s bytes of the mbarrier at byte %d of shared memory", does, at)
			return false
		}
	}
	return true
}

// afterCopy checks that the bulk copy to a line comes before an access of a lane.
func (w *warp) afterCopy(lane, i int, does string) bool {
	switch c := w.block.shared.lines[i].copy; {
	case c == nil:
	case !c.arrived:
		w.unarrived(lane, i, does, c)
		return false
	case !w.before(c.stamp, lane):
		w.race(lane, does, i*lineBytes, c.stamp, "written", int32(c.at))
		return false
	}
	return true
}

func (w *warp) unarrived(lane, i int, does string, c *bulkCopy) {
	w.fail(NotWaited, lane, "%s byte %d of shared memory, the target of a bulk copy at %s that no wait for its mbarrier says has arrived", does, i*lineBytes, w.place(c.at))
}

// afterMultiplies checks that wgmma no longer reads a line, as a lane may know, and
// forgets who did.
func (w *warp) afterMultiplies(lane, i int, does string) bool {
	s := w.block.shared
	if !s.lines[i].read {
		return true
	}
	groups := s.multipliesOf(i)
	for warp, group := range groups {
		read := stamp{lanes: 1, clock: group, actor: int32(s.order.multipliesOf(warp))}
		if group != 0 && !w.before(read, lane) {
			w.fail(Race, lane, "%s byte %d of shared memory that wgmma of warp %d may still read: nothing orders its wgmma.wait_group before", does, i*lineBytes, warp)
			return false
		}
	}
	clear(groups)
	s.lines[i].read = false
	return true
}

// multipliesOf returns by warp the last group of wgmma that reads a line.
func (s *shared) multipliesOf(i int) []uint32 {
	warps := len(s.order.clocks)
	if s.multiplies == nil {
		s.multiplies = make([]uint32, len(s.lines)*warps)
	}
	return s.multiplies[i*warps : (i+1)*warps]
}

// split leaves to the cells of a line that a bulk copy wrote them.
func (s *shared) split(i int) {
	c := s.lines[i].copy
	for j := range s.cells[i*lineBytes : (i+1)*lineBytes] {
		s.cells[i*lineBytes+j].written(c.stamp, c.at)
	}
	s.lines[i].copy = nil
}
