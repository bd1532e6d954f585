package interp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"blockfp8/gpu/internal/ptx/memory"
)

// block is one block of a launch while it runs. A worker uses one for all blocks
// it takes.
type block struct {
	kernel   *Kernel
	space    *memory.Space
	launch   *Launch
	params   []byte
	size     [3]uint32 // threads
	index    [3]uint32
	warps    []*warp
	shared   *shared
	barriers [maxBarriers]barrier
	// mbarriers by their offset in shared memory.
	mbarriers  map[int]*mbarrier
	warpgroups []warpgroup
	idle       int // rounds in which all warps waited and nothing happened
	counters   Counters
}

func newBlock(k *Kernel, space *memory.Space, l *Launch, params []byte) *block {
	b := &block{kernel: k, space: space, launch: l, params: params, size: l.Block, mbarriers: map[int]*mbarrier{}}
	n := int(l.threads()+lanes-1) / lanes
	b.warpgroups = make([]warpgroup, (n+groupWarps-1)/groupWarps)
	for range n {
		w := &warp{
			block: b, registers: make([]vector, k.slots), predicates: make([]uint32, k.predicates),
			marks: make([]uint32, k.slots), predicateMarks: make([]uint32, k.predicates),
			local: make([]byte, k.local*lanes),
		}
		if k.multiplies {
			w.accumulators.slots = make([]accumulator, k.slots)
		}
		b.warps = append(b.warps, w)
	}
	b.shared = newShared(k.static+int(l.Shared), n, k.check)
	return b
}

// run runs the block of that number and returns the fault that ended it, or nil.
func (b *block) run(number uint64) *Finding {
	grid := b.launch.Grid
	x, y := uint64(grid[0]), uint64(grid[1])
	b.index = [3]uint32{uint32(number % x), uint32(number / x % y), uint32(number / (x * y))}
	b.shared.reset()
	for i := range b.barriers {
		b.barriers[i].reset()
	}
	clear(b.mbarriers)
	clear(b.warpgroups)
	b.idle = 0
	left := int(b.launch.threads())
	for i, w := range b.warps {
		w.reset(i, left)
		w.executed = 0
		left -= lanes
	}
	b.counters.Blocks++
	return b.loop()
}

// defaultLimit is how many instructions a warp may run: far beyond any kernel that
// ends.
const defaultLimit = 1 << 36

// patience is how often a block whose warps all wait is told that time has passed: a
// wait for an mbarrier may end without success, and a program may then do otherwise.
const patience = 16

// loop gives every warp its turn until all are done.
func (b *block) loop() *Finding {
	for {
		ran := false
		for _, w := range b.warps {
			if w.done() || w.barrier != nil || w.parked {
				continue
			}
			w.run()
			ran = true
			w.checkLimit(b.kernel.limit)
			if w.finding != nil {
				return w.finding
			}
			if w.done() {
				b.exited(w)
			}
		}
		if ran {
			continue
		}
		if b.idle++; b.idle > patience || !b.wake() {
			return b.stuck()
		}
	}
}

// wake lets the warps that wait for mbarriers look again, and reports whether there
// are any.
func (b *block) wake() (any bool) {
	for _, w := range b.warps {
		any = any || w.parked
		w.parked = false
	}
	return any
}

// stuck returns the fault of a block in which every warp waits, or nil if all are done.
func (b *block) stuck() *Finding {
	for _, w := range b.warps {
		switch {
		case w.parked:
			w.fail(Deadlock, first(w.now.lanes), "waits for %v; nothing can happen any more%s", w.missed, b.elsewhere(w))
			return w.finding
		case w.barrier != nil && !b.anyParked():
			w.fail(BarrierFault, first(w.alive), "barrier %d waits for %d threads, %d came; %s", w.barrier.number, w.barrier.expected, w.barrier.arrived, b.whereOthers(w))
			return w.finding
		}
	}
	return cmp.Or(b.unfinished(), b.alone())
}

// elsewhere tells what another warp waits for while one waits for an mbarrier.
func (b *block) elsewhere(at *warp) string {
	for _, w := range b.warps {
		switch {
		case w.parked && w.missed != at.missed:
			return fmt.Sprintf("; warp %d waits for %v, %s", w.index, w.missed, w.place(w.at()))
		case w.barrier != nil:
			return fmt.Sprintf("; warp %d waits at barrier %d, %s", w.index, w.barrier.number, w.place(w.at()))
		}
	}
	return ""
}

func (b *block) anyParked() bool {
	return slices.ContainsFunc(b.warps, func(w *warp) bool { return w.parked })
}

// unfinished returns the fault of a block that ends while copies are on their way to
// its memory, where the next one's may lie.
func (b *block) unfinished() *Finding {
	for _, offset := range slices.Sorted(maps.Keys(b.mbarriers)) {
		for _, c := range b.mbarriers[offset].flights {
			c.warp.failAt(c.at, NotWaited, c.lane, "the block has ended, and nothing waited for a bulk copy to byte %d of shared memory that the mbarrier at byte %d counts", c.offset, offset)
			return c.warp.finding
		}
	}
	return nil
}
