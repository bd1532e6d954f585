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
	d := c.onePredicate(0)
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
		d := c.onePredicate(0)
		a := c.psrc(1)
		return func(w *warp, on uint32) { w.setPredicate(d, on, ^a.of(w)) }
	}
	t := c.number("b", 16, 32, 64)
	return c.unary(t, func(a uint64) uint64 { return t.cut(^a) })
}

// buildCnot is logical: 1 for 0, 0 for everything else.
func buildCnot(c *call) step {
	t := c.number("b", 16, 32, 64)
	return c.unary(t, func(a uint64) uint64 { return uint64(bit(a == 0)) })
}

// buildLop3 is any function of three bits: its truth table is operand 4. With a
// predicate it tells whether the result is not 0, combined with another predicate.
func buildLop3(c *call) step {
	combine := c.take("or", "and")
	t := c.number("b", 32)
	table := uint64(c.integer(4))
	if table > 0xFF {
		c.fail("a truth table of %#x", table)
	}
	if combine != "" {
		return c.lop3Predicate(combine, table)
	}
	return c.ternary(t, func(a, b, x uint64) uint64 { return lookUp(table, a, b, x) })
}

func (c *call) lop3Predicate(combine string, table uint64) step {
	d, p := c.dstPair(0, b32)
	a, b, x, with := c.src(1, b32), c.src(2, b32), c.src(3, b32), c.psrc(5)
	return func(w *warp, on uint32) {
		third := with.of(w)
		r := w.registers
		w.setPredicate(p, on, combined(combine, third, lanesWhere(on, func(i int) bool {
			r[d][i] = lookUp(table, r[a][i], r[b][i], r[x][i])
			return r[d][i] != 0
		})))
	}
}

// lookUp applies a truth table to each bit.
func lookUp(table, a, b, x uint64) (v uint64) {
	for row := range uint64(8) {
		if table>>row&1 == 1 {
			v |= chosen(a, row>>2) & chosen(b, row>>1) & chosen(x, row)
		}
	}
	return b32.cut(v)
}

// chosen returns the bits, or those that are not set if the lowest bit of like is 0.
func chosen(v, like uint64) uint64 {
	if like&1 == 1 {
		return v
	}
	return ^v
}
