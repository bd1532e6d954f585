package interp

import "blockfp8/gpu/internal/ptx"

// buildCp is cp.async: copies from global to shared memory, and waiting for them.
func buildCp(c *call) step {
	c.need("async")
	if c.has("bulk") {
		return c.bulkCopy()
	}
	switch c.take("commit_group", "wait_group", "wait_all") {
	case "commit_group":
		return each(func(w *warp, lane int) { w.commit(lane) })
	case "wait_group":
		newest := int(uint32(c.integer(0)))
		return each(func(w *warp, lane int) { w.waitGroups(lane, newest) })
	case "wait_all":
		return each(func(w *warp, lane int) { w.waitAll(lane) })
	}
	return c.asyncCopy()
}

// each is a step that lanes take one after another.
func each(f func(w *warp, lane int)) step {
	return func(w *warp, on uint32) {
		for m := on; m != 0; m &= m - 1 {
			f(w, first(m))
		}
	}
}

// asyncCopy copies 4, 8 or 16 bytes. With a size operand only that many are read,
// and zeros fill the rest; a predicate that is true drops the source.
func (c *call) asyncCopy() step {
	cache := c.need("ca", "cg")
	c.need("shared", "shared::cta")
	c.need("global")
	c.take("L2::64B", "L2::128B", "L2::256B")
	to, from, size := c.addressOf(0), c.addressOf(1), int(c.integer(2))
	if size != 4 && size != 8 && size != 16 || cache == "cg" && size != 16 {
		c.fail("a copy of %d bytes with .%s", size, cache)
	}
	read := c.sourceSize(size)
	write := access{space: ptx.Shared, size: size, write: true}
	return func(w *warp, on uint32) {
		dst, src := to.of(w, on), from.of(w, on)
		w.count(write, on, &dst)
		var touched sectors
		for m := on; m != 0; m &= m - 1 {
			lane := first(m)
			n := read(w, lane)
			touched.add(src[lane], n)
			w.copyLater(lane, dst[lane], src[lane], size, n)
		}
		w.block.counters.countRead(&touched)
	}
}

// sourceSize returns how many bytes a lane reads: operand 3 is the number, or a
// predicate that drops the source.
func (c *call) sourceSize(size int) func(w *warp, lane int) uint64 {
	switch {
	case !c.given(3):
		return func(*warp, int) uint64 { return uint64(size) }
	case c.isPredicate(3):
		ignored := c.psrc(3)
		return func(w *warp, lane int) uint64 {
			if ignored.of(w)>>lane&1 == 1 {
				return 0
			}
			return uint64(size)
		}
	}
	n := c.src(3, u32)
	return func(w *warp, lane int) uint64 { return w.registers[n][lane] }
}

// copyLater reads n bytes of global memory and begins to copy size of them.
func (w *warp) copyLater(lane int, dst, src uint64, size int, n uint64) {
	switch s := w.block.shared; {
	case n > uint64(size):
		w.fail(BadOperand, lane, "a copy of %d bytes with a source of %d", size, n)
		return
	case dst%uint64(size) != 0 || src%uint64(size) != 0:
		w.fail(Misaligned, lane, "copy of %d bytes from %#x to %#x of shared memory", size, src, dst)
		return
	case !holds(len(s.bytes), dst, size):
		w.fail(OutOfBounds, lane, "copy of %d bytes to %d of %d bytes of shared memory", size, dst, len(s.bytes))
		return
	}
	c := asyncCopy{offset: int(dst), size: size, at: w.at()}
	if n > 0 {
		b := w.globalView(access{space: ptx.Global, size: int(n)}, lane, src)
		if b == nil {
			return
		}
		copy(c.bytes[:], b)
	}
	w.startCopy(lane, c)
}
