package interp

import "blockfp8/gpu/internal/ptx"

func buildMov(c *call) step {
	if c.has("pred") {
		d, _ := c.pdst(0)
		a := c.psrc(1)
		return func(w *warp, on uint32) { w.setPredicate(d, on, a.of(w)) }
	}
	t := c.number("busf", 16, 32, 64)
	switch {
	case c.operand(0).Kind == ptx.VectorOperand:
		return c.unpack(t)
	case c.operand(1).Kind == ptx.VectorOperand:
		return c.pack(t)
	}
	return c.unary(t, func(a uint64) uint64 { return a })
}

// unpack takes a register apart; the lowest bits go to the first.
func (c *call) unpack(t number) step {
	n := len(c.operand(0).Elements)
	ds, a := c.dsts(0, n), c.src(1, t)
	part := number{'b', t.bits / max(n, 1)}
	return func(w *warp, on uint32) {
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			v := w.registers[a][i]
			for j, d := range ds {
				w.registers[d][i] = part.cut(v >> (j * part.bits))
			}
		}
	}
}

func (c *call) pack(t number) step {
	n := len(c.operand(1).Elements)
	part := number{'b', t.bits / max(n, 1)}
	d, as := c.dst(0), c.srcs(1, n, part)
	return func(w *warp, on uint32) {
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			var v uint64
			for j, a := range as {
				v |= w.registers[a][i] << (j * part.bits)
			}
			w.registers[d][i] = v
		}
	}
}

// windows are where spaces begin among generic addresses.
var windows = map[string]uint64{"global": 0, "const": 0, "param": 0, "shared": sharedWindow, "shared::cta": sharedWindow, "local": localWindow}

// buildCvta converts between generic addresses and those of a space.
func buildCvta(c *call) step {
	to := c.has("to")
	window := windows[c.need("global", "const", "shared", "shared::cta", "local", "param")]
	t := c.number("u", 32, 64)
	if to {
		window = -window
	}
	return c.unary(t, func(a uint64) uint64 { return t.cut(a + window) })
}

// buildPrmt picks four of the eight bytes of two registers. A selector's high bit
// spreads the byte's sign instead.
func buildPrmt(c *call) step {
	if len(c.modifiers) == 2 {
		c.fail("modifier %s is not supported", "."+c.modifiers[1])
	}
	return c.ternaryOf(c.number("b", 32), b32, b32, func(a, b, selectors uint64) uint64 {
		both := b<<32 | a
		var v uint64
		for i := range 4 {
			s := selectors >> (4 * i) & 0xF
			x := both >> (8 * (s & 7)) & 0xFF
			if s&8 != 0 {
				x = 0xFF * (x >> 7)
			}
			v |= x << (8 * i)
		}
		return v
	})
}
