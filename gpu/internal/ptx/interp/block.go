package interp

import (
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
	counters Counters
}

func newBlock(k *Kernel, space *memory.Space, l *Launch, params []byte) *block {
	b := &block{kernel: k, space: space, launch: l, params: params, size: l.Block}
	n := int(l.threads()+lanes-1) / lanes
	for range n {
		b.warps = append(b.warps, &warp{
			block: b, registers: make([]vector, k.slots), predicates: make([]uint32, k.predicates),
			marks: make([]uint32, k.slots), predicateMarks: make([]uint32, k.predicates),
			local: make([]byte, k.local*lanes),
		})
	}
	for i := range b.barriers {
		b.barriers[i].passes = make([]uint32, n)
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

// loop gives every warp its turn until all are done.
func (b *block) loop() *Finding {
	for {
		ran := false
		for _, w := range b.warps {
			if w.done() || w.barrier != nil {
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
		if !ran {
			return b.stuck()
		}
	}
}

// stuck returns the fault of a block in which every warp waits at a barrier, or
// nil if all are done.
func (b *block) stuck() *Finding {
	for _, w := range b.warps {
		if w.barrier != nil {
			w.fail(BarrierFault, first(w.alive), "barrier %d waits for %d threads, %d came; %s", w.barrier.number, w.barrier.expected, w.barrier.arrived, b.whereOthers(w))
			return w.finding
		}
	}
	return nil
}
