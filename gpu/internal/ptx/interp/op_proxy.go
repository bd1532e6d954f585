package interp

// Bulk copies and wgmma access shared memory through the asynchronous proxy. What
// others wrote is visible there if a fence lies on the way from the write to them.

// proxyFence is fence.proxy.async, of shared memory at least.
func (c *call) proxyFence() step {
	c.target(90)
	c.need("async")
	c.take("shared::cta", "shared::cluster")
	return func(w *warp, on uint32) {
		w.block.shared.order.fence(w.index, on, on == w.alive)
	}
}

// mbarrierFence lets bulk copies find the mbarriers that the thread has made.
func (c *call) mbarrierFence() step {
	c.target(90)
	c.need("release")
	c.need("cluster")
	return func(w *warp, on uint32) {
		for _, b := range w.block.mbarriers {
			if int(b.made.actor) == w.index && b.made.lanes&on != 0 {
				b.fenced = stamp{lanes: b.made.lanes, clock: w.block.shared.order.clocks[w.index], actor: b.made.actor}
			}
		}
	}
}

// reachable checks that a bulk copy which a lane issues finds an mbarrier.
func (b *mbarrier) reachable(w *warp, lane int) bool {
	fenced := b.fenced.lanes != 0 && w.before(b.fenced, lane)
	if !w.block.kernel.check || fenced || w.block.shared.order.visible(b.made, w.index, lane) {
		return true
	}
	w.fail(MissingFence, lane, "a bulk copy for the mbarrier at byte %d of shared memory, initialised at %s: neither fence.mbarrier_init nor fence.proxy.async lies between", b.offset, w.place(b.madeAt))
	return false
}
