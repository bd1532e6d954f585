package interp

// buildShfl exchanges values between lanes.
func buildShfl(c *call) step {
	c.need("sync")
	mode := c.need("bfly", "up", "down", "idx")
	t := c.number("b", 32)
	to, p := c.dstPair(0, t)
	a, b, clamp := c.src(1, t), c.src(2, u32), c.src(3, u32)
	c.to.flow = ownFlow
	return c.agree(4, "shfl", func(w *warp, on uint32) {
		r := w.registers
		values := r[a]
		steering := w.marks[b] | w.marks[clamp]
		var inRange, undefined uint32
		for m := on; m != 0; m &= m - 1 {
			lane := first(m)
			from, ok := source(mode, lane, int(r[b][lane]&31), int(r[clamp][lane]))
			if ok {
				inRange |= 1 << lane
			}
			if on>>from&1 == 0 {
				w.fail(MaskMismatch, lane, "shfl reads lane %d, which does not take part", from)
				return
			}
			r[to][lane] = values[from]
			undefined |= w.marks[a] >> from & 1 << lane
		}
		w.setPredicate(p, on, inRange)
		w.mark(to, on, undefined|steering)
		w.markPredicate(p, on, steering)
	})
}

// matches checks that exactly the lanes of a member mask are there, but for those
// that have exited.
func (w *warp) matches(on uint32, slot int, what string) bool {
	for m := on; m != 0; m &= m - 1 {
		lane := first(m)
		if mask := uint32(w.registers[slot][lane]); mask&w.alive != on {
			w.fail(MaskMismatch, lane, "%s for lanes %#x; %#x are there", what, mask, on)
			return false
		}
	}
	return true
}

// source returns the lane that a lane reads (PTX ISA, shfl.sync), and whether it
// lies in range; one out of range reads itself.
func source(mode string, lane, b, c int) (int, bool) {
	segment := c >> 8 & 31
	top := lane&segment | c&31&^segment
	low := lane & segment
	from := 0
	ok := true
	switch mode {
	case "up":
		from = lane - b
		ok = from >= top
	case "down":
		from = lane + b
		ok = from <= top
	case "bfly":
		from = lane ^ b
		ok = from <= top
	case "idx":
		from = low | b&^segment
		ok = from <= top
	}
	if !ok {
		return lane, false
	}
	return from, true
}

// markPredicate is mark for a predicate; -1 is none.
func (w *warp) markPredicate(p int, on, undefined uint32) {
	if w.marked && p >= 0 {
		w.predicateMarks[p] = w.predicateMarks[p]&^on | undefined&on
	}
}
