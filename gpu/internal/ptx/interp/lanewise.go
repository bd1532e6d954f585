package interp

// unary, binary and ternary make steps of functions that every lane computes for
// itself. Operands and results are register contents, cut to their size.

func (c *call) unary(t number, f func(a uint64) uint64) step { return c.unaryOf(t, t, f) }

// unaryOf is unary with a result of another type.
func (c *call) unaryOf(td, ta number, f func(a uint64) uint64) step {
	return onLanes1(c.dst(0, td), c.src(1, ta), f)
}

func onLanes1(d, a int, f func(a uint64) uint64) step {
	return func(w *warp, on uint32) {
		to, x := &w.registers[d], &w.registers[a]
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			to[i] = f(x[i])
		}
	}
}

func (c *call) binary(t number, f func(a, b uint64) uint64) step {
	return c.binaryOf(t, t, t, f)
}

// binaryOf is binary with types of the result and of each operand.
func (c *call) binaryOf(td, ta, tb number, f func(a, b uint64) uint64) step {
	d, a, b := c.dst(0, td), c.src(1, ta), c.src(2, tb)
	return func(w *warp, on uint32) {
		to, x, y := &w.registers[d], &w.registers[a], &w.registers[b]
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			to[i] = f(x[i], y[i])
		}
	}
}

func (c *call) ternary(t number, f func(a, b, x uint64) uint64) step {
	return c.ternaryOf(t, t, t, t, f)
}

// ternaryOf is ternary with types of the result and of each operand.
func (c *call) ternaryOf(td, ta, tb, tc number, f func(a, b, x uint64) uint64) step {
	d, a, b, e := c.dst(0, td), c.src(1, ta), c.src(2, tb), c.src(3, tc)
	return func(w *warp, on uint32) {
		to, x, y, z := &w.registers[d], &w.registers[a], &w.registers[b], &w.registers[e]
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			to[i] = f(x[i], y[i], z[i])
		}
	}
}
