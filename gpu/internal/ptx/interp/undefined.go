package interp

import "blockfp8/gpu/internal/ptx"

// What is read from shared memory that nobody wrote may be thrown away unused:
// tiles reach over the edge of a matrix, and what comes of the rows there is never
// stored. So such a read is no fault by itself. The lanes whose value depends on
// one are marked, register by register, and a fault is what makes it matter: an
// address, a branch, or a store to global memory.

// flow is how a mark passes through an instruction.
type flow uint8

const (
	lanewiseFlow flow = iota // from the operands of a lane to its results
	mixingFlow               // from any lane to all
	ownFlow                  // the step takes care
)

// mark notes that lanes of a register depend on undefined memory, and that other
// lanes which are on do not.
func (w *warp) mark(slot int, on, undefined uint32) {
	if undefined != 0 {
		w.marked = true
	}
	if w.marked {
		w.marks[slot] = w.marks[slot]&^on | undefined&on
	}
}

// pass takes the marks of an instruction's operands to its results.
func (w *warp) pass(in *instruction, on uint32) {
	if in.flow == ownFlow {
		return
	}
	var u uint32
	for _, r := range in.reads {
		u |= w.marks[r]
	}
	for _, p := range in.readPredicates {
		u |= w.predicateMarks[p]
	}
	u &= on
	if in.flow == mixingFlow && u != 0 {
		u = on
	}
	for _, d := range in.writes {
		w.marks[d] = w.marks[d]&^on | u
	}
	for _, p := range in.writePredicates {
		w.predicateMarks[p] = w.predicateMarks[p]&^on | u
	}
}

// decides checks that what steers the program is defined: marks are those of its
// lanes.
func (w *warp) decides(marks uint32, what string) bool {
	if marks != 0 {
		w.fail(Undefined, first(marks), "%s depends on shared memory that was never written", what)
	}
	return marks == 0
}

// storeMarked is a store of a value that depends on undefined memory.
func (w *warp) storeMarked(a access, lane int, address uint64) {
	switch space, address := resolve(a.space, address); {
	case space != ptx.Shared && space != ptx.Local:
		w.fail(Undefined, lane, "what is stored depends on shared memory that was never written")
	case space == ptx.Shared && w.block.shared.cells != nil:
		for i := range a.size {
			w.block.shared.cells[int(address)+i].defined = false
		}
	}
}
