package interp

// The instructions of this file let the lanes of a member mask agree on something.

// agree is a step that finds one thing for all lanes that are on, which have to be
// those of the mask in operand i.
func (c *call) agree(i int, what string, find func(w *warp, on uint32)) step {
	mask := c.src(i, b32)
	return func(w *warp, on uint32) {
		if w.matches(on, mask, what) {
			find(w, on)
		}
	}
}

// toAll gives the lanes that are on one value.
func (w *warp) toAll(slot int, on uint32, v uint64) {
	for m := on; m != 0; m &= m - 1 {
		w.registers[slot][first(m)] = v
	}
}

// buildVote is vote.sync.
func buildVote(c *call) step {
	c.need("sync")
	mode := c.need("all", "any", "uni", "ballot")
	if mode == "ballot" {
		c.need("b32")
		d, a := c.dst(0, b32), c.psrc(1)
		return c.agree(2, "vote", func(w *warp, on uint32) { w.toAll(d, on, uint64(a.of(w)&on)) })
	}
	c.need("pred")
	d, a := c.onePredicate(0), c.psrc(1)
	return c.agree(2, "vote", func(w *warp, on uint32) {
		yes := a.of(w) & on
		result := map[string]bool{"all": yes == on, "any": yes != 0, "uni": yes == on || yes == 0}[mode]
		w.setPredicate(d, on, -bit(result))
	})
}

func buildActivemask(c *call) step {
	c.need("b32")
	d := c.dst(0, b32)
	return func(w *warp, on uint32) { w.toAll(d, on, uint64(on)) }
}

// buildElect picks one lane: the lowest, which chips pick too.
func buildElect(c *call) step {
	c.target(90)
	c.need("sync")
	d, p := c.dstPair(0, b32)
	return c.agree(1, "elect", func(w *warp, on uint32) {
		w.toAll(d, on, uint64(first(on)))
		w.setPredicate(p, on, 1<<first(on))
	})
}

// buildMatch finds the lanes that hold the same value.
func buildMatch(c *call) step {
	all := c.need("any", "all") == "all"
	c.need("sync")
	t := c.number("b", 32, 64)
	d, p := c.dstPair(0, b32)
	if !all && p >= 0 {
		c.fail("a predicate where none is expected")
	}
	a := c.src(1, t)
	return c.agree(2, "match", func(w *warp, on uint32) {
		x := &w.registers[a]
		for m := on; m != 0; m &= m - 1 {
			lane := first(m)
			same := lanesWhere(on, func(i int) bool { return x[i] == x[lane] })
			if all && same != on {
				same = 0
			}
			w.registers[d][lane] = uint64(same)
			w.setPredicate(p, 1<<lane, -bit(same != 0))
		}
	})
}

// reductions combine two values; those of signed types see them sign-extended.
var reductions = map[string]func(a, b int64) int64{
	"add": func(a, b int64) int64 { return a + b },
	"min": func(a, b int64) int64 { return min(a, b) },
	"max": func(a, b int64) int64 { return max(a, b) },
	"and": func(a, b int64) int64 { return a & b },
	"or":  func(a, b int64) int64 { return a | b },
	"xor": func(a, b int64) int64 { return a ^ b },
}

// buildRedux reduces a value over lanes.
func buildRedux(c *call) step {
	c.target(80)
	c.need("sync")
	name := c.need("add", "min", "max", "and", "or", "xor")
	kinds := "us"
	if name == "and" || name == "or" || name == "xor" {
		kinds = "b"
	}
	t := c.number(kinds, 32)
	combine := reductions[name]
	d, a := c.dst(0, t), c.src(1, t)
	return c.agree(2, "redux", func(w *warp, on uint32) {
		x := &w.registers[a]
		v := t.wide(x[first(on)])
		for m := on & (on - 1); m != 0; m &= m - 1 {
			v = combine(v, t.wide(x[first(m)]))
		}
		w.toAll(d, on, t.cut(uint64(v)))
	})
}
