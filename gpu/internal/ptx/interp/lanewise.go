package interp

// unary, binary and ternary make steps of functions that every lane computes for
// itself. Operands and results are register contents, cut to their size.

func (c *call) unary(t number, f func(a uint64) uint64) step {
	d, a := c.dst(0), c.src(1, t)
	return func(w *warp, on uint32) {
		to, x := &w.registers[d], &w.registers[a]
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			to[i] = f(x[i])
		}
	}
}

func (c *call) binary(t number, f func(a, b uint64) uint64) step {
	return c.binaryOf(t, t, f)
}

// binaryOf is binary with operands of two types.
func (c *call) binaryOf(ta, tb number, f func(a, b uint64) uint64) step {
	d, a, b := c.dst(0), c.src(1, ta), c.src(2, tb)
	return func(w *warp, on uint32) {
		to, x, y := &w.registers[d], &w.registers[a], &w.registers[b]
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			to[i] = f(x[i], y[i])
		}
	}
}

func (c *call) ternary(t number, f func(a, b, x uint64) uint64) step {
	return c.ternaryOf(t, t, t, f)
}

// ternaryOf is ternary with operands of three types.
func (c *call) ternaryOf(ta, tb, tc number, f func(a, b, x uint64) uint64) step {
	d, a, b, e := c.dst(0), c.src(1, ta), c.src(2, tb), c.src(3, tc)
	return func(w *warp, on uint32) {
		to, x, y, z := &w.registers[d], &w.registers[a], &w.registers[b], &w.registers[e]
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			to[i] = f(x[i], y[i], z[i])
		}
	}
}
