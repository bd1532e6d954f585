package interp

// accumulators is what a warp's wgmma do with its registers: they finish at some time
// before the wait for their group.
type accumulators struct {
	committed uint32 // groups
	completed uint32 // of these
	fences    uint32
	slots     []accumulator // by register; nil for a kernel without wgmma
}

// accumulator is the state of one register.
type accumulator struct {
	group   uint32 // of the last wgmma that accumulates in it; 0 for none
	columns int    // its shape
	used    uint32 // how many fences there were then
	touched uint32 // how many there were when another instruction last did
}

func (a *accumulators) reset() {
	a.committed, a.completed, a.fences = 0, 0, 0
	clear(a.slots)
}

// current is the number of the group that takes a wgmma now.
func (a *accumulators) current() uint32 { return a.committed + 1 }

// touch checks that an instruction's registers are not those of a wgmma that may be
// running, and notes that it accesses them.
func (w *warp) touch(in *instruction) bool {
	for _, slot := range in.accumulators {
		s := &w.accumulators.slots[slot]
		if s.group > w.accumulators.completed {
			w.fail(Unfinished, first(w.now.lanes), "accesses a register in which a wgmma accumulates, with no wgmma.wait_group for it")
			return false
		}
		s.touched = w.accumulators.fences
	}
	return true
}

// accumulate checks that fences order a wgmma's registers after other uses of them, and
// gives them to the current group.
func (w *warp) accumulate(slots []int, columns int) bool {
	a := &w.accumulators
	for _, slot := range slots {
		s := &a.slots[slot]
		switch {
		case s.touched == a.fences:
			w.fail(MissingFence, 0, "accumulates in a register with no wgmma.fence since the kernel's begin or another access")
			return false
		case s.group != 0 && s.columns != columns && s.used == a.fences:
			w.fail(MissingFence, 0, "accumulates in a register with no wgmma.fence since a wgmma of another shape, with %d columns", s.columns)
			return false
		}
		s.group, s.columns, s.used = a.current(), columns, a.fences
	}
	return true
}

// findAccumulators tells the instructions of a kernel which of their registers a wgmma
// accumulates in.
func (k *Kernel) findAccumulators() {
	accumulates := make([]bool, k.slots)
	for i := range k.code {
		for _, slot := range k.code[i].accumulators {
			accumulates[slot] = true
			k.multiplies = true
		}
	}
	for i := range k.code {
		in := &k.code[i]
		if in.accumulators != nil {
			in.accumulators = nil // the instruction itself takes care
			continue
		}
		for _, slot := range in.touches {
			if accumulates[slot] {
				in.accumulators = append(in.accumulators, slot)
			}
		}
	}
}
