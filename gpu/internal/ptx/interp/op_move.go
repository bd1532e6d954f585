package interp

import "blockfp8/gpu/internal/ptx"

func buildMov(c *call) step {
	if c.has("pred") {
		d := c.onePredicate(0)
		a := c.psrc(1)
		return func(w *warp, on uint32) { w.setPredicate(d, on, a.of(w)) }
	}
	t := c.bits()
	switch {
	case c.operand(0).Kind == ptx.VectorOperand:
		return c.unpack(t)
	case c.operand(1).Kind == ptx.VectorOperand:
		return c.pack(t)
	}
	return c.unary(t, func(a uint64) uint64 { return a })
}

// bits takes the type of a value that is moved as it is.
func (c *call) bits() number {
	t := c.number("busf", 16, 32, 64)
	if t.isFloat() && t.bits == 16 {
		c.fail("type %v is not moved, only b16", t)
	}
	return t
}

// parts returns the type of each element of a register that is taken apart or put
// together; o lists the elements.
func (c *call) parts(o ptx.Operand, t number) (n int, part number) {
	n = len(o.Elements)
	if t.kind != 'b' || n != 2 && n != 4 || t.bits/n < 8 {
		c.fail("%d parts of %v", n, t)
		return 1, t
	}
	return n, number{'b', t.bits / n}
}

// unpack takes a register apart; the lowest bits go to the first.
func (c *call) unpack(t number) step {
	n, part := c.parts(c.operand(0), t)
	ds, a := c.dsts(0, n, part), c.src(1, t)
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
	n, part := c.parts(c.operand(1), t)
	d, as := c.dst(0, t), c.srcs(1, n, part)
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
var windows = map[string]uint64{"global": 0, "const": 0, "param": paramWindow, "shared": sharedWindow, "shared::cta": sharedWindow, "local": localWindow}

// buildCvta converts between generic addresses and those of a space.
func buildCvta(c *call) step {
	to := c.has("to")
	window := windows[c.need("global", "const", "shared", "shared::cta", "local", "param")]
	t := c.number("u", 64)
	if to {
		window = -window
	}
	return c.unary(t, func(a uint64) uint64 { return a + window })
}

// buildIsspacep tells whether a generic address lies in a space.
func buildIsspacep(c *call) step {
	space := spaces[c.need("global", "shared", "shared::cta", "local")]
	p := c.onePredicate(0)
	a := c.src(1, u64)
	return func(w *warp, on uint32) {
		w.setPredicate(p, on, lanesWhere(on, func(i int) bool {
			s, _ := resolve(ptx.NoSpace, w.registers[a][i])
			return s == space
		}))
	}
}
