package interp

import (
	"fmt"
	"math/bits"
)

// maxBarriers is the number of barriers of a block.
const maxBarriers = 16

// barrier is one of the numbered barriers of a block. It counts threads, but warp
// by warp: one of which lanes have exited, or never were, counts as whole.
type barrier struct {
	number   int
	arrived  int
	expected int    // known from the first that comes
	implicit bool   // all warps are expected that have not exited
	came     uint32 // warps
	passes   view   // what the warps knew that came
	waiting  []*warp
}

func (b *barrier) reset() {
	b.arrived, b.expected, b.came = 0, 0, 0
	b.passes.reset()
	b.waiting = b.waiting[:0]
}

// arrive counts a warp at a barrier; count is how many threads take part, 0 for all.
// A warp that waits gets on when the last has come.
func (w *warp) arrive(number, count uint32, on uint32, waits bool) {
	if number >= maxBarriers {
		w.fail(BadOperand, first(on), "barrier %d; a block has %d", number, maxBarriers)
		return
	}
	if missing := w.alive &^ on; missing != 0 {
		w.fail(BarrierFault, first(missing), "%d of the warp's %d threads are at barrier %d; thread %v is not", bits.OnesCount32(on), bits.OnesCount32(w.alive), number, w.thread(first(missing)))
		return
	}
	b := &w.block.barriers[number]
	if !b.expect(w, int(number), int(count)) {
		return
	}
	b.arrived += lanes
	b.came |= 1 << w.index
	w.block.shared.order.release(w.index, on, true, &b.passes)
	if waits {
		w.barrier = b
		b.waiting = append(b.waiting, w)
	}
	w.block.complete(b)
}

// expect checks that a warp and those which came before it agree on a barrier.
func (b *barrier) expect(w *warp, number, count int) bool {
	implicit := count == 0
	if implicit {
		count = w.block.living()
	}
	switch lane := first(w.alive); {
	case count%lanes != 0:
		w.fail(BadOperand, lane, "a barrier for %d threads; it has to be a multiple of %d", count, lanes)
	case b.arrived > 0 && b.expected != count:
		w.fail(BarrierFault, lane, "barrier %d was for %d threads, and here for %d", number, b.expected, count)
	case b.came>>w.index&1 == 1:
		w.fail(BarrierFault, lane, "warp %d comes to barrier %d again, which still waits for others", w.index, number)
	default:
		b.number, b.implicit, b.expected = number, implicit, count
		return true
	}
	return false
}

// living is the number of threads of warps that have not exited, all of them whole.
func (b *block) living() int {
	n := 0
	for _, w := range b.warps {
		if !w.done() {
			n += lanes
		}
	}
	return n
}

// complete lets the warps go on if all have come.
func (b *block) complete(at *barrier) {
	if at.arrived == 0 || at.arrived < at.expected {
		return
	}
	b.counters.Barriers++
	b.idle = 0
	for _, w := range at.waiting {
		b.shared.order.acquire(w.index, w.alive, true, &at.passes)
		w.barrier = nil
	}
	at.reset()
}

// exited takes a warp that is done off the barriers that wait for all threads.
func (b *block) exited(w *warp) {
	for i := range b.barriers {
		at := &b.barriers[i]
		if at.arrived > 0 && at.implicit {
			at.expected = b.living()
			b.complete(at)
		}
	}
}

// whereOthers tells why the others do not come to a barrier.
func (b *block) whereOthers(at *warp) string {
	for _, w := range b.warps {
		switch {
		case w.barrier == at.barrier:
		case w.done():
			return fmt.Sprintf("warp %d has exited", w.index)
		case w.barrier != nil:
			return fmt.Sprintf("warp %d waits at barrier %d, %s", w.index, w.barrier.number, w.place(w.at()))
		}
	}
	return "there are no others"
}
