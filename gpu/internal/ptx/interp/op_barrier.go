package interp

// buildBar is bar.sync, bar.arrive and bar.warp.sync.
func buildBar(c *call) step {
	if c.has("warp") {
		c.need("sync")
		return c.warpBarrier()
	}
	c.take("cta")
	return c.blockBarrier(c.need("sync", "arrive"))
}

// buildBarrier is the same for the newer names. Those without .aligned may be
// reached by a warp's lanes one after another; that is not supported.
func buildBarrier(c *call) step {
	c.take("cta")
	how := c.need("sync", "arrive")
	c.need("aligned")
	return c.blockBarrier(how)
}

func (c *call) blockBarrier(how string) step {
	number, count := c.src(0, u32), -1
	if c.given(1) {
		count = c.src(1, u32)
	} else if how == "arrive" {
		c.fail("a count of threads is missing")
	}
	return func(w *warp, on uint32) {
		lane, n := first(on), uint32(0)
		if count >= 0 {
			n = uint32(w.registers[count][lane])
		}
		w.arrive(uint32(w.registers[number][lane]), n, on, how == "sync")
	}
}

// warpBarrier orders the memory accesses of a warp's lanes.
func (c *call) warpBarrier() step {
	mask := c.src(0, u32)
	return func(w *warp, on uint32) {
		if w.matches(on, mask, "bar.warp.sync") {
			w.block.shared.order.synchronise(w.index, on, on == w.alive)
		}
	}
}

// buildMembar orders one thread's accesses, which happen in order here anyway, and
// joins nothing.
func buildMembar(c *call) step {
	c.need("cta", "gl", "sys")
	return nothing
}

// buildFence is the same by another name, or one of the fences between proxies.
func buildFence(c *call) step {
	switch c.take("proxy", "mbarrier_init", "sc", "acq_rel") {
	case "proxy":
		return c.proxyFence()
	case "mbarrier_init":
		return c.mbarrierFence()
	}
	c.need("cta", "cluster", "gpu", "sys")
	return nothing
}
