package interp

// Shifts by more than the size give 0, or the sign: PTX clamps the amount.

func buildShl(c *call) step {
	t := c.number("b", 16, 32, 64)
	return c.binaryOf(t, t, u32, func(a, n uint64) uint64 { return t.cut(a << n) })
}

func buildShr(c *call) step {
	t := c.number("bus", 16, 32, 64)
	if t.kind != 's' {
		return c.binaryOf(t, t, u32, func(a, n uint64) uint64 { return a >> n })
	}
	return c.binaryOf(t, t, u32, func(a, n uint64) uint64 { return t.cut(uint64(t.signed(a) >> n)) })
}

// buildShf shifts the 64 bits of two registers and keeps one half.
func buildShf(c *call) step {
	left := c.need("l", "r") == "l"
	wraps := c.need("wrap", "clamp") == "wrap"
	t := c.number("b", 32)
	return c.ternaryOf(t, t, t, u32, func(lo, hi, n uint64) uint64 {
		if wraps {
			n &= 31
		} else {
			n = min(n, 32)
		}
		both := hi<<32 | lo
		if left {
			return both << n >> 32
		}
		return t.cut(both >> n)
	})
}

// buildBfe extracts a field; beyond the value it is filled with zeros, or with the
// field's sign.
func buildBfe(c *call) step {
	t := c.number("us", 32, 64)
	return c.ternaryOf(t, t, u32, u32, func(a, at, size uint64) uint64 {
		at, size = at&0xFF, size&0xFF
		var v uint64
		if at < 64 {
			v = a >> at
		}
		var fill bool
		if t.kind == 's' && size > 0 {
			top := min(at+size-1, uint64(t.bits-1))
			fill = a>>top&1 == 1
		}
		held := min(size, uint64(t.bits)-min(at, uint64(t.bits)))
		v &= 1<<held - 1
		if held == 64 {
			v = a
		}
		if fill {
			v |= ^uint64(0) << held
		}
		return t.cut(v)
	})
}

// buildBfi puts the low bits of a into b.
func buildBfi(c *call) step {
	t := c.number("b", 32, 64)
	d, a, b, at, size := c.dst(0, t), c.src(1, t), c.src(2, t), c.src(3, u32), c.src(4, u32)
	return func(w *warp, on uint32) {
		r := w.registers
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			from, n := r[at][i]&0xFF, r[size][i]&0xFF
			mask := uint64(1)<<n - 1
			if n >= 64 {
				mask = ^uint64(0)
			}
			mask <<= from
			r[d][i] = t.cut(r[b][i]&^mask | r[a][i]<<from&mask)
		}
	}
}
