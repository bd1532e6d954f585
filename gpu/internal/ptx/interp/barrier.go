package interp

import (
	"fmt"
	"math/bits"
)

// maxBarriers is the number of barriers of a block.
const maxBarriers = 16

// barrier is one of the numbered barriers of a block.
type barrier struct {
	number   int
	arrived  int  // threads
	expected int  // threads, known from the first that comes
	implicit bool // the count is that of all threads which have not exited
	members  []*warp
	waiting  []*warp
}

func (b *barrier) reset() {
	b.arrived, b.expected = 0, 0
	b.members, b.waiting = b.members[:0], b.waiting[:0]
}

// arrive counts the warp's threads at a barrier; count is how many threads take
// part, 0 for all. A warp that waits gets on when the last has come.
func (w *warp) arrive(number, count int, on uint32, waits bool) {
	if number < 0 || number >= maxBarriers {
		w.fail(BadOperand, first(on), "barrier %d; a block has %d", number, maxBarriers)
		return
	}
	if on != w.alive {
		w.fail(BarrierFault, first(w.alive&^on), "%d of the warp's %d threads are at barrier %d; thread %v is not", bits.OnesCount32(on), bits.OnesCount32(w.alive), number, w.thread(first(w.alive&^on)))
		return
	}
	b := &w.block.barriers[number]
	b.number, b.implicit = number, count == 0
	if b.implicit {
		count = w.block.living()
	} else if count%lanes != 0 {
		w.fail(BadOperand, first(on), "a barrier for %d threads; it has to be a multiple of %d", count, lanes)
		return
	}
	if b.arrived > 0 && b.expected != count {
		w.fail(BarrierFault, first(on), "barrier %d was for %d threads, and here for %d", number, b.expected, count)
		return
	}
	b.expected = count
	// A warp counts as whole, also where lanes of it have exited.
	b.arrived += w.weight(b.implicit)
	b.members = append(b.members, w)
	if waits {
		w.barrier = b
		b.waiting = append(b.waiting, w)
	}
	w.block.complete(b)
}

// weight is what a warp counts for at a barrier.
func (w *warp) weight(implicit bool) int {
	if implicit {
		return bits.OnesCount32(w.alive)
	}
	return lanes
}

// living is the number of threads that have not exited.
func (b *block) living() int {
	n := 0
	for _, w := range b.warps {
		n += bits.OnesCount32(w.alive)
	}
	return n
}

// complete lets the warps go on if all have come.
func (b *block) complete(at *barrier) {
	if at.arrived == 0 || at.arrived < at.expected {
		return
	}
	b.counters.Barriers++
	b.shared.join(at.members)
	for _, w := range at.waiting {
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
