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

// fieldOperands returns how a type takes the position and the size of a field,
// which PTX restricts to 0..255. A chip's instruction for 32 bits looks at eight
// bits of them; 64 bits are several instructions, for which larger numbers lie
// beyond the value.
func (t number) fieldOperands() func(at, size uint64) (uint64, uint64) {
	most := uint64(t.bits)
	if t.bits == 32 {
		return func(at, size uint64) (uint64, uint64) { return min(at&0xFF, most), min(size&0xFF, most) }
	}
	return func(at, size uint64) (uint64, uint64) { return min(at, most), min(size, most) }
}

// buildBfe extracts a field; beyond the value it is filled with zeros, or with the
// field's sign.
func buildBfe(c *call) step {
	t := c.number("us", 32, 64)
	field := t.fieldOperands()
	most := uint64(t.bits)
	return c.ternaryOf(t, t, u32, u32, func(a, at, size uint64) uint64 {
		at, size = field(at, size)
		held := min(size, most-at)
		v := a >> at & (1<<held - 1)
		if t.kind == 's' && size > 0 && a>>min(at+size-1, most-1)&1 == 1 {
			v |= ^uint64(0) << held
		}
		return t.cut(v)
	})
}

// buildBfi puts the low bits of a into b.
func buildBfi(c *call) step {
	t := c.number("b", 32, 64)
	field := t.fieldOperands()
	d, a, b, at, size := c.dst(0, t), c.src(1, t), c.src(2, t), c.src(3, u32), c.src(4, u32)
	return func(w *warp, on uint32) {
		r := w.registers
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			from, n := field(r[at][i], r[size][i])
			mask := (uint64(1)<<n - 1) << from
			r[d][i] = t.cut(r[b][i]&^mask | r[a][i]<<from&mask)
		}
	}
}
