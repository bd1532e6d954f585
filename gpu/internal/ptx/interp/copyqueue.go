package interp

// copyQueue is the asynchronous copies of one thread: groups, the oldest first,
// and those that are in none yet. Their bytes appear in shared memory no sooner
// than they are waited for, the latest that a chip may let them appear.
type copyQueue struct {
	groups [][]asyncCopy
	open   []asyncCopy
}

type asyncCopy struct {
	offset int // in shared memory
	size   int
	at     int // the instruction
	bytes  [16]byte
}

func (q *copyQueue) reset() { q.groups, q.open = q.groups[:0], q.open[:0] }

// startCopy begins to copy bytes to shared memory.
func (w *warp) startCopy(lane int, c asyncCopy) {
	if s := w.block.shared; s.cells != nil {
		if !w.enter(lane, c.offset, c.size, "writes") {
			return
		}
		for i := c.offset; i < c.offset+c.size; i++ {
			cell := &s.cells[i]
			if !w.mayWrite(cell, lane, i) {
				return
			}
			cell.write, cell.writeAt, cell.pending = w.stamp(lane), int32(c.at), true
		}
	}
	q := &w.copies[lane]
	q.open = append(q.open, c)
}

// commit makes a group of a lane's open copies.
func (w *warp) commit(lane int) {
	q := &w.copies[lane]
	if len(q.groups) < cap(q.groups) {
		// An old group's memory serves again.
		q.groups = q.groups[:len(q.groups)+1]
		last := &q.groups[len(q.groups)-1]
		*last, q.open = q.open, (*last)[:0]
		return
	}
	q.groups = append(q.groups, q.open)
	q.open = nil
}

// waitGroups finishes all but the newest groups of a lane.
func (w *warp) waitGroups(lane, newest int) {
	q := &w.copies[lane]
	n := max(0, len(q.groups)-newest)
	for _, g := range q.groups[:n] {
		w.finish(lane, g)
	}
	// The finished ones go to the end, to be used again.
	rotate(q.groups, n)
	q.groups = q.groups[:len(q.groups)-n]
}

// waitAll finishes everything, groups or not.
func (w *warp) waitAll(lane int) {
	w.waitGroups(lane, 0)
	q := &w.copies[lane]
	w.finish(lane, q.open)
	q.open = q.open[:0]
}

func rotate(groups [][]asyncCopy, n int) {
	for range n {
		head := groups[0]
		copy(groups, groups[1:])
		groups[len(groups)-1] = head
	}
}

func (w *warp) finish(lane int, copies []asyncCopy) {
	s := w.block.shared
	for i := range copies {
		c := &copies[i]
		copy(s.bytes[c.offset:c.offset+c.size], c.bytes[:])
		if s.cells == nil {
			continue
		}
		now := w.stamp(lane)
		for j := c.offset; j < c.offset+c.size; j++ {
			s.cells[j].written(now, c.at)
		}
	}
}
