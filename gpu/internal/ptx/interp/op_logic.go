package interp

func buildAnd(c *call) step {
	return c.logic(func(a, b uint64) uint64 { return a & b })
}

func buildOr(c *call) step {
	return c.logic(func(a, b uint64) uint64 { return a | b })
}

func buildXor(c *call) step {
	return c.logic(func(a, b uint64) uint64 { return a ^ b })
}

func (c *call) logic(f func(a, b uint64) uint64) step {
	if c.has("pred") {
		return c.predicateLogic(f)
	}
	return c.binary(c.number("b", 16, 32, 64), f)
}

func (c *call) predicateLogic(f func(a, b uint64) uint64) step {
	d, _ := c.pdst(0)
	a, b := c.psrc(1), c.psrc(2)
	return func(w *warp, on uint32) {
		w.setPredicate(d, on, uint32(f(uint64(a.of(w)), uint64(b.of(w)))))
	}
}

// setPredicate changes the lanes of a predicate that are on; -1 is none.
func (w *warp) setPredicate(p int, on, value uint32) {
	if p >= 0 {
		w.predicates[p] = w.predicates[p]&^on | value&on
	}
}

func buildNot(c *call) step {
	if c.has("pred") {
		d, _ := c.pdst(0)
		a := c.psrc(1)
		return func(w *warp, on uint32) { w.setPredicate(d, on, ^a.of(w)) }
	}
	t := c.number("b", 16, 32, 64)
	return c.unary(t, func(a uint64) uint64 { return t.cut(^a) })
}

// buildLop3 is any function of three bits: its truth table is operand 4.
func buildLop3(c *call) step {
	t := c.number("b", 32)
	table := uint64(c.integer(4))
	return c.ternary(t, func(a, b, x uint64) uint64 {
		var v uint64
		for row := range uint64(8) {
			if table>>row&1 == 0 {
				continue
			}
			v |= chosen(a, row>>2) & chosen(b, row>>1) & chosen(x, row)
		}
		return t.cut(v)
	})
}

// chosen returns the bits, or those that are not set if the lowest bit of like is 0.
func chosen(v, like uint64) uint64 {
	if like&1 == 1 {
		return v
	}
	return ^v
}
