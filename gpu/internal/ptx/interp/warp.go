package interp

import (
	"fmt"
	"math/bits"

	"blockfp8/gpu/internal/ptx"
	"blockfp8/gpu/internal/ptx/memory"
)

// lanes is the number of threads of a warp.
const lanes = 32

// vector is one register of a warp: a value for each lane, cut to the register's
// size.
type vector [lanes]uint64

// path is a part of a warp's lanes that go the same way.
type path struct {
	pc, until int // it ends where it meets the lanes that wait for it
	lanes     uint32
}

// warp is 32 threads of a block.
type warp struct {
	block      *block
	index      int
	alive      uint32 // lanes that have not exited
	now        path
	waiting    []path
	registers  []vector
	predicates []uint32
	// marks are the lanes whose value depends on undefined memory; there are none
	// until marked.
	marks, predicateMarks []uint32
	marked                bool
	holes                 uint32 // bytes of the last view that were never written
	again                 uint32 // bytes of it that another lane has written in this instruction
	local                 []byte // of all lanes, one after another
	copies                [lanes]copyQueue
	recent                [4]*memory.Allocation // where global accesses went lately
	barrier               *barrier              // at which the warp waits
	missed                *mbarrier             // for a phase of which the warp asked last, and it had not ended
	parked                bool                  // the warp waits for it
	yields                bool                  // others are to run first
	finding               *Finding
	executed              uint64
	accumulators          accumulators
	tiles                 [wgmmaMaxColumns/mmaN + 1]*wgmmaTile // memory for operands, by their columns
}

// slice is how many instructions a warp runs before another gets its turn.
const slice = 1 << 16

// reset makes the warp the index-th of its block, of n threads.
func (w *warp) reset(index, n int) {
	k := w.block.kernel
	w.index, w.alive = index, uint32(1<<uint(min(n, lanes))-1)
	w.now = path{until: len(k.code), lanes: w.alive}
	w.waiting = w.waiting[:0]
	clear(w.registers)
	clear(w.predicates)
	clear(w.marks)
	clear(w.predicateMarks)
	w.marked = false
	clear(w.local)
	for i := range w.copies {
		w.copies[i].reset()
	}
	w.accumulators.reset()
	w.barrier, w.missed, w.parked, w.yields = nil, nil, false, false
	for _, c := range k.constants {
		v := &w.registers[c.slot]
		for i := range v {
			v[i] = c.value
		}
	}
	for _, s := range k.specials {
		for i := range lanes {
			w.registers[s.slot][i] = s.value(w, i)
		}
	}
}

func (w *warp) done() bool { return w.alive == 0 }

// run goes on until the warp waits, is done, committed a fault or has used its
// turn.
func (w *warp) run() {
	k := w.block.kernel
	code := k.code
	counts := &w.block.counters
	for range slice {
		if w.now.pc == w.now.until && !w.next() {
			return
		}
		in := &code[w.now.pc]
		w.now.pc++ // from here on the running instruction is that before pc
		on := w.now.lanes
		if in.guard != noGuard {
			p := w.predicates[in.guard]
			if in.negated {
				p = ^p
			}
			if w.marked && !w.decides(w.predicateMarks[in.guard]&on, "a guard") {
				return
			}
			on &= p
		}
		w.executed++
		counts.Issued[in.class]++
		counts.Instructions[in.class] += uint64(bits.OnesCount32(on))
		switch in.control {
		case goesOn:
			if on != 0 {
				if in.accumulators != nil && k.check && !w.touch(in) {
					return
				}
				in.step(w, on)
				if w.marked {
					w.pass(in, on)
				}
				if w.finding != nil || w.barrier != nil || w.yields {
					w.yields = false
					return
				}
			}
		case branches:
			w.branch(in, on)
		case exits:
			w.exit(on)
		}
	}
}

// checkLimit ends a warp that has run too many instructions, at the one that would be
// next.
func (w *warp) checkLimit(limit uint64) {
	if w.executed <= limit || w.done() || w.now.pc == w.now.until && !w.next() {
		return
	}
	w.now.pc++
	w.fail(Endless, first(w.now.lanes), "%d instructions have been run", w.executed)
}

// next goes on with lanes that waited, and reports whether there are any.
func (w *warp) next() bool {
	for w.now.pc == w.now.until || w.now.lanes == 0 {
		if len(w.waiting) == 0 {
			// Running over the end is an exit.
			w.alive = 0
			return false
		}
		w.now = w.waiting[len(w.waiting)-1]
		w.waiting = w.waiting[:len(w.waiting)-1]
		w.now.lanes &= w.alive
	}
	return true
}

// branch lets the lanes part if they do not agree. Those that jump go first, up
// to where they meet the others.
func (w *warp) branch(in *instruction, taken uint32) {
	stay := w.now.lanes &^ taken
	switch {
	case taken == 0:
	case stay == 0:
		w.now.pc = int(in.target)
	default:
		meet, fallsTo := int(in.meet), w.now.pc
		together := w.now
		together.pc = meet
		w.waiting = append(w.waiting, together)
		if fallsTo != meet {
			w.waiting = append(w.waiting, path{fallsTo, meet, stay})
		}
		w.now = path{int(in.target), meet, taken}
	}
}

func (w *warp) exit(on uint32) {
	w.alive &^= on
	w.now.lanes &^= on
	if w.now.lanes == 0 {
		w.now.pc = w.now.until // next() goes on
	}
}

// fail records the fault of a lane at the instruction that is running.
func (w *warp) fail(kind FindingKind, lane int, format string, args ...any) {
	w.failAt(max(w.at(), 0), kind, lane, format, args...)
}

// failAt records a fault at an earlier instruction.
func (w *warp) failAt(pc int, kind FindingKind, lane int, format string, args ...any) {
	if w.finding != nil {
		return
	}
	k := w.block.kernel
	in := &k.code[pc]
	w.finding = &Finding{
		Kind: kind, Kernel: k.name, File: k.file, Line: int(in.line), Source: in.source,
		Block: w.block.index, Thread: w.thread(lane), Text: fmt.Sprintf(format, args...),
	}
}

// place names the line of an instruction, for messages about an earlier one.
func (w *warp) place(pc int) string {
	in := &w.block.kernel.code[pc]
	return place(int(in.line), in.source)
}

func place(line int, source ptx.Source) string {
	if source.File == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("line %d (%s:%d)", line, source.File, source.Line)
}

// at is the index of the instruction that is running.
func (w *warp) at() int { return w.now.pc - 1 }

// thread returns the coordinates of a lane's thread in the block.
func (w *warp) thread(lane int) [3]uint32 {
	size := w.block.size
	t := uint32(w.index*lanes + lane)
	return [3]uint32{t % size[0], t / size[0] % size[1], t / (size[0] * size[1])}
}

func first(on uint32) int { return bits.TrailingZeros32(on) }
