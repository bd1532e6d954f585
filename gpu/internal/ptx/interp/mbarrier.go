package interp

import (
	"fmt"

	"blockfp8/gpu/internal/ptx"
)

const (
	mbarrierBytes = 8
	// maxArrivals and maxTransfer bound what an mbarrier counts (PTX ISA, "Contents of
	// the mbarrier object").
	maxArrivals = 1<<20 - 1
	maxTransfer = 1<<20 - 1
)

// mbarrier is a barrier in shared memory. A phase ends when all that arrive have come,
// and all bytes that were announced.
type mbarrier struct {
	offset   int
	actor    int // of the copies that it counts, see order
	expected int // arrivals of a phase
	phase    uint32
	pending  int // arrivals that have not come
	transfer int // bytes that were announced and have not come; below 0, that have come before
	flights  []*bulkCopy

	made, fenced stamp // its initialisation, and the fence of that
	madeAt       int
	arrived      view // what those knew who arrived
	passed       view // as it was at the end of the last phase
}

// makeMbarrier initialises an mbarrier.
func (w *warp) makeMbarrier(lane, offset, count int) {
	b := w.block
	if count < 1 || count > maxArrivals {
		w.fail(BadOperand, lane, "an mbarrier for %d arrivals; 1 to %d are possible", count, maxArrivals)
		return
	}
	if _, ok := b.mbarriers[offset]; ok {
		w.fail(MBarrierFault, lane, "the mbarrier at byte %d of shared memory is initialised again", offset)
		return
	}
	if s := b.shared; s.cells != nil {
		if w.writes(lane, offset, mbarrierBytes); w.finding != nil {
			return
		}
		s.lines[offset/lineBytes].barriers |= 1 << (offset % lineBytes / mbarrierBytes)
	}
	b.mbarriers[offset] = &mbarrier{
		offset: offset, actor: b.shared.order.copiesOf(len(b.mbarriers)), expected: count, pending: count, made: w.stamp(lane), madeAt: w.at(),
	}
}

// mbarrierAt returns the mbarrier that lanes name, or nil after a fault.
func (w *warp) mbarrierAt(on uint32, space ptx.Space, address uint64) *mbarrier {
	offset, ok := w.mbarrierOffset(first(on), space, address)
	if !ok {
		return nil
	}
	b := w.block.mbarriers[offset]
	if b == nil {
		w.fail(MBarrierFault, first(on), "no mbarrier has been initialised at byte %d of shared memory", offset)
		return nil
	}
	if !w.block.kernel.check {
		return b
	}
	if late := lanesWhere(on, func(i int) bool { return !w.before(b.made, i) }); late != 0 {
		w.fail(Race, first(late), "uses the mbarrier at byte %d of shared memory that %s has initialised at %s, with nothing between to order them", offset, w.who(b.made.actor), w.place(b.madeAt))
		return nil
	}
	return b
}

// mbarrierOffset checks an address.
func (w *warp) mbarrierOffset(lane int, space ptx.Space, address uint64) (int, bool) {
	space, address = resolve(space, address)
	size := len(w.block.shared.bytes)
	switch {
	case space != ptx.Shared:
		w.fail(OutOfBounds, lane, "an mbarrier at %#x of %s memory; it has to be in shared memory", address, spaceNames[space])
	case address%mbarrierBytes != 0:
		w.fail(Misaligned, lane, "an mbarrier at %#x of shared memory", address)
	case !holds(size, address, mbarrierBytes):
		w.fail(OutOfBounds, lane, "an mbarrier at %d of %d bytes of shared memory", address, size)
	default:
		return int(address), true
	}
	return 0, false
}

// announce adds bytes that are to come in this phase.
func (w *warp) announce(m *mbarrier, lane, bytes int) {
	if m.transfer += bytes; m.transfer > maxTransfer {
		w.fail(BadOperand, lane, "%d bytes are to come to %v; at most %d", m.transfer, m, maxTransfer)
	}
}

// arriveAt counts arrivals.
func (w *warp) arriveAt(m *mbarrier, lane, count int) {
	if count < 1 || count > m.pending {
		w.fail(MBarrierFault, lane, "%d arrivals at %v", count, m)
		return
	}
	m.pending -= count
	m.turn(w.block)
}

// turn begins a new phase if the current one is complete.
func (m *mbarrier) turn(b *block) {
	b.idle = 0
	if m.pending > 0 || m.transfer != 0 {
		return
	}
	m.arrived.seen.raise(m.actor, m.phase+1)
	m.passed.join(&m.arrived)
	m.phase++
	m.pending = m.expected
	b.wake()
}

// land lets copies arrive, the oldest first, until the phase ends.
func (m *mbarrier) land(b *block) {
	for phase := m.phase; m.phase == phase && len(m.flights) > 0; {
		c := m.flights[0]
		m.flights = m.flights[1:]
		m.transfer -= len(c.bytes)
		c.arrive(b.shared, stamp{lanes: 1, clock: m.phase, actor: int32(m.actor)})
		m.turn(b)
	}
}

// String describes the state for findings.
func (m *mbarrier) String() string {
	return fmt.Sprintf("the mbarrier at byte %d of shared memory, in phase %d: %d of %d arrivals and %d bytes are still to come", m.offset, m.phase, m.pending, m.expected, m.transfer)
}
