package interp

import (
	"fmt"
	"slices"
)

// cell is what is known of one byte of shared memory. The zero value is a byte
// that nobody has touched.
type cell struct {
	write, read stamp
	// 1 + index of the accesses by warp, or 0: of readers, where there are several warps
	// of them, and of atomic operations.
	readers, atomics uint32
	// Instructions: the last that wrote, read, and changed atomically.
	writeAt, readAt, atomicAt int32
	writeTurn                 uint32 // which execution of writeAt
	defined                   bool
	pending                   bool // an asynchronous copy may arrive at any time
}

// stamp says who accessed a byte and when: nobody, where there are no lanes.
type stamp struct {
	lanes, clock uint32
	actor        int32 // see order
}

// stamp is that of an access which a lane makes now.
func (w *warp) stamp(lane int) stamp {
	return stamp{1 << lane, w.block.shared.order.clocks[w.index], int32(w.index)}
}

// before reports whether the accesses of a stamp are ordered before one that the
// lane makes now.
func (w *warp) before(s stamp, lane int) bool {
	return w.block.shared.order.before(s, w.index, lane)
}

// reads checks and records that a lane reads bytes of shared memory.
func (w *warp) reads(lane, offset, size int) {
	s := w.block.shared
	if !w.enter(lane, offset, size, "reads") {
		return
	}
	now := w.stamp(lane)
	for i := offset; i < offset+size; i++ {
		c := &s.cells[i]
		if !w.mayAccess(c, lane, i, "reads") || !w.afterAtomics(c, lane, i, "reads") {
			return
		}
		if !c.defined {
			w.holes |= 1 << (i - offset)
		}
		w.recordRead(c, now, lane)
	}
}

// mayAccess checks that whatever is written to a byte comes before an access now.
func (w *warp) mayAccess(c *cell, lane, i int, does string) bool {
	switch {
	case !w.before(c.write, lane):
		w.race(lane, does, i, c.write, "written", c.writeAt)
	case c.pending:
		w.fail(NotWaited, lane, "%s byte %d of shared memory, the target of a cp.async at %s that has not been waited for", does, i, w.place(int(c.writeAt)))
	default:
		return true
	}
	return false
}

// recordRead keeps one reader, the lanes of one warp, or readers by warp. One that
// comes before the access now need not be kept: what comes after this one comes after
// that one too.
func (w *warp) recordRead(c *cell, now stamp, lane int) {
	s := w.block.shared
	c.readAt = int32(w.at())
	switch old := c.read; {
	case c.readers != 0:
		w.addTo(&s.many[c.readers-1][w.index], now, lane)
	case int(old.actor) == w.index || old.lanes == 0 || w.before(old, lane):
		w.addTo(&c.read, now, lane)
	default:
		c.readers = s.newSet()
		readers := s.many[c.readers-1]
		readers[old.actor], readers[w.index] = old, now
		c.read = stamp{}
	}
}

// addTo adds an access of a lane to earlier ones.
func (w *warp) addTo(to *stamp, now stamp, lane int) {
	if !w.before(*to, lane) {
		now.lanes |= to.lanes
	}
	*to = now
}

// newSet returns 1 + the index of a fresh set of accesses by warp.
func (s *shared) newSet() uint32 {
	if s.used == len(s.many) {
		s.many = append(s.many, make([]stamp, len(s.order.clocks)))
	} else {
		clear(s.many[s.used])
	}
	s.used++
	return uint32(s.used)
}

// writes checks and records that a lane writes bytes of shared memory.
func (w *warp) writes(lane, offset, size int) {
	s := w.block.shared
	if !w.enter(lane, offset, size, "writes") {
		return
	}
	now := w.stamp(lane)
	for i := offset; i < offset+size; i++ {
		c := &s.cells[i]
		if w.wroteTogether(c) {
			w.again |= 1 << (i - offset)
			continue
		}
		if !w.mayWrite(c, lane, i) {
			return
		}
		c.written(now, w.at())
		c.writeTurn = uint32(w.executed)
	}
}

// written makes a write the only thing that is known of a byte.
func (c *cell) written(by stamp, at int) {
	*c = cell{write: by, writeAt: int32(at), defined: true}
}

// wroteTogether reports whether another lane has written a byte in the instruction
// that is running. That is a race unless both write the same, see agree: hardware
// lets one of them win, and does not say which.
func (w *warp) wroteTogether(c *cell) bool {
	return c.writeTurn == uint32(w.executed) && c.write.lanes != 0 && int(c.write.actor) == w.index
}

// kept returns what the last view holds, if another lane of the same instruction has
// stored there.
func (w *warp) kept(view []byte) []byte {
	if w.again == 0 {
		return nil
	}
	return slices.Clone(view)
}

// agree checks that a lane has stored what another one had, where they meet.
func (w *warp) agree(lane int, kept, view []byte) {
	for i, old := range kept {
		if w.again>>i&1 == 1 && view[i] != old {
			w.fail(Race, lane, "writes %#02x to a byte of shared memory to which another lane writes %#02x in the same instruction", view[i], old)
			return
		}
	}
}

// mayWrite checks that everything which touched a byte comes before a write now.
func (w *warp) mayWrite(c *cell, lane, i int) bool {
	return w.mayAccess(c, lane, i, "writes") && w.afterReaders(c, lane, i, "writes") && w.afterAtomics(c, lane, i, "writes")
}

func (w *warp) afterReaders(c *cell, lane, i int, does string) bool {
	if !w.before(c.read, lane) {
		w.race(lane, does, i, c.read, "read", c.readAt)
		return false
	}
	if c.readers == 0 {
		return true
	}
	return w.afterAll(c.readers, lane, func(other stamp) {
		w.race(lane, does, i, other, "read", c.readAt)
	})
}

// afterAtomics checks that the atomic operations on a byte come before an access that
// is none.
func (w *warp) afterAtomics(c *cell, lane, i int, does string) bool {
	if c.atomics == 0 {
		return true
	}
	return w.afterAll(c.atomics, lane, func(other stamp) {
		w.race(lane, does, i, other, "changed in an atomic operation", c.atomicAt)
	})
}

// afterAll checks that a set of accesses comes before one of a lane now.
func (w *warp) afterAll(set uint32, lane int, fault func(other stamp)) bool {
	for _, other := range w.block.shared.many[set-1] {
		if !w.before(other, lane) {
			fault(other)
			return false
		}
	}
	return true
}

// changes checks and records that a lane changes bytes of shared memory in an atomic
// operation. Those have an order among themselves; with other accesses they race as
// a write does.
func (w *warp) changes(lane, offset, size int) {
	s := w.block.shared
	if !w.enter(lane, offset, size, "changes") {
		return
	}
	now := w.stamp(lane)
	for i := offset; i < offset+size; i++ {
		c := &s.cells[i]
		if !w.mayAccess(c, lane, i, "changes") || !w.afterReaders(c, lane, i, "changes") {
			return
		}
		if !c.defined {
			w.fail(Undefined, lane, "an atomic operation on byte %d of shared memory, which was never written", i)
			return
		}
		if c.atomics == 0 {
			c.atomics = s.newSet()
		}
		w.addTo(&s.many[c.atomics-1][w.index], now, lane)
		c.atomicAt = int32(w.at())
	}
}

func (w *warp) race(lane int, does string, i int, other stamp, did string, at int32) {
	w.fail(Race, lane, "%s byte %d of shared memory that %s has %s at %s, with nothing between to order them", does, i, w.who(other.actor), did, w.place(int(at)))
}

// who describes an actor to a warp.
func (w *warp) who(actor int32) string {
	switch {
	case w.block.shared.order.isCopy(actor):
		return "a bulk copy"
	case int(actor) == w.index:
		return fmt.Sprintf("another lane of the warp (warp %d)", actor)
	}
	return fmt.Sprintf("another warp (warp %d)", actor)
}
