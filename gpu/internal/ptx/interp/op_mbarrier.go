package interp

import "blockfp8/gpu/internal/ptx"

// buildMbarrier is mbarrier.init, .arrive, .arrive.expect_tx, .test_wait and
// .try_wait, on mbarriers of the own block.
func buildMbarrier(c *call) step {
	switch c.need("init", "arrive", "test_wait", "try_wait") {
	case "init":
		return c.mbarrierInit()
	case "arrive":
		return c.mbarrierArrive()
	case "test_wait":
		c.target(80)
		return c.mbarrierWait(false)
	}
	c.target(90)
	return c.mbarrierWait(true)
}

// mbarrierSpace takes the space of an mbarrier, and the type.
func (c *call) mbarrierSpace() ptx.Space {
	space := spaces[c.take("shared", "shared::cta")]
	c.need("b64")
	return space
}

// mbarrierOrdering takes what is the default: an arrival releases, a wait acquires.
func (c *call) mbarrierOrdering(kind string) {
	if c.has(kind) {
		c.need("cta", "cluster")
	}
}

func (c *call) mbarrierInit() step {
	c.target(80)
	space := c.mbarrierSpace()
	to, count := c.addressOf(0), c.src(1, u32)
	return func(w *warp, on uint32) {
		at := to.of(w, on)
		for m := on; m != 0 && w.finding == nil; m &= m - 1 {
			lane := first(m)
			if offset, ok := w.mbarrierOffset(lane, space, at[lane]); ok {
				w.makeMbarrier(lane, offset, int(w.registers[count][lane]))
			}
		}
	}
}

// mbarrierArrive counts an arrival of each lane, or as many as operand 2 says; with
// expect_tx, operand 2 is the bytes that are announced before the one arrival. The
// state that it returns is the number of the phase.
func (c *call) mbarrierArrive() step {
	expects := c.has("expect_tx")
	if expects {
		c.target(90)
	}
	c.target(80)
	c.mbarrierOrdering("release")
	space := c.mbarrierSpace()
	state, at := c.dst(0, b64), c.addressOf(1)
	amount := c.constant(1)
	if expects || c.given(2) {
		amount = c.src(2, u32)
	}
	return func(w *warp, on uint32) {
		addresses := at.of(w, on)
		w.eachMbarrier(on, space, &addresses, func(b *mbarrier, on uint32) {
			w.toAll(state, on, uint64(b.phase))
			// The lanes pass on what they know before anybody can wait for the phase.
			w.block.shared.order.release(w.index, on, on == ^uint32(0), &b.arrived)
			for m := on; m != 0 && w.finding == nil; m &= m - 1 {
				lane := first(m)
				n := int(w.registers[amount][lane])
				if expects {
					w.announce(b, lane, n)
					n = 1
				}
				w.arriveAt(b, lane, n)
			}
		})
	}
}

// eachMbarrier does something for every mbarrier that lanes name.
func (w *warp) eachMbarrier(on uint32, space ptx.Space, addresses *vector, do func(b *mbarrier, on uint32)) {
	for on != 0 && w.finding == nil {
		named := addresses[first(on)]
		same := lanesWhere(on, func(i int) bool { return addresses[i] == named })
		if b := w.mbarrierAt(same, space, named); b != nil {
			do(b, same)
		}
		on &^= same
	}
}

// mbarrierWait tells whether a phase has ended: that of a parity, where the one before
// the first counts as ended, or that of a state. A warp that would have to wait lets
// others run; waits says that it may be left out until something happens.
func (c *call) mbarrierWait(waits bool) step {
	parity := c.has("parity")
	c.mbarrierOrdering("acquire")
	space := c.mbarrierSpace()
	p, at := c.onePredicate(0), c.addressOf(1)
	phase := c.src(2, phaseType(parity))
	if waits && c.given(3) {
		c.src(3, u32) // how long it may wait at most
	}
	return func(w *warp, on uint32) {
		addresses := at.of(w, on)
		var ended uint32
		w.eachMbarrier(on, space, &addresses, func(b *mbarrier, on uint32) {
			over := lanesWhere(on, func(i int) bool { return b.ended(w.block, w.registers[phase][i], parity) })
			if over != 0 {
				w.block.shared.order.acquire(w.index, over, over == w.alive, &b.passed)
			}
			if over != on {
				w.missed = b
			}
			ended |= over
		})
		w.setPredicate(p, on, ended)
		w.yields, w.parked = ended != on, waits && ended != on
	}
}

func phaseType(parity bool) number {
	if parity {
		return u32
	}
	return b64
}

// ended reports whether a phase has; copies arrive if only they are missing.
func (m *mbarrier) ended(b *block, phase uint64, parity bool) bool {
	over := func() bool {
		if parity {
			return uint64(m.phase&1) != phase&1
		}
		return uint64(m.phase) > phase
	}
	if !over() {
		m.land(b)
	}
	return over()
}
