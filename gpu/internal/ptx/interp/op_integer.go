package interp

import "math/bits"

func (c *call) integerAdd(f func(a, b int64) int64) step {
	saturates := c.has("sat")
	e := c.integers()
	if saturates && e != (elements{number: s32}) {
		c.fail("modifier .sat needs type s32")
	}
	if saturates {
		return c.binary(s32, func(a, b uint64) uint64 {
			return s32.cut(uint64(min(max(f(s32.signed(a), s32.signed(b)), -1<<31), 1<<31-1)))
		})
	}
	return c.binary(e.held(), e.binary(func(a, b uint64) uint64 { return e.cut(uint64(f(int64(a), int64(b)))) }))
}

// integers takes a type of integers, or of pairs of 16 bits.
func (c *call) integers() elements {
	e := c.elements("u16", "s16", "u32", "s32", "u64", "s64", "u16x2", "s16x2")
	if e.packed {
		c.target(90)
	}
	return e
}

// product returns how a type multiplies, by the modifier lo, hi or wide, and the
// type of the result.
func (c *call) product() (t, result number, f func(a, b uint64) uint64) {
	part := c.need("lo", "hi", "wide")
	t = c.number("us", 16, 32, 64)
	switch {
	case part == "wide" && t.bits == 64:
		c.fail("modifier .wide needs 16 or 32 bits")
		return t, t, nil
	case part == "wide":
		result = number{t.kind, 2 * t.bits}
		return t, result, func(a, b uint64) uint64 { return result.cut(uint64(t.wide(a) * t.wide(b))) }
	case part == "lo":
		return t, t, func(a, b uint64) uint64 { return t.cut(a * b) }
	}
	return t, t, func(a, b uint64) uint64 { return t.high(a, b) }
}

// high returns the upper half of a product.
func (t number) high(a, b uint64) uint64 {
	if t.bits < 64 {
		return t.cut(uint64(t.wide(a)*t.wide(b)) >> t.bits)
	}
	hi, _ := bits.Mul64(a, b)
	if t.kind == 's' {
		hi -= a&uint64(int64(b)>>63) + b&uint64(int64(a)>>63)
	}
	return hi
}

func (c *call) integerMul() step {
	t, result, f := c.product()
	return c.binaryOf(result, t, t, f)
}

func (c *call) integerMad() step {
	t, result, f := c.product()
	return c.ternaryOf(result, t, t, result, func(a, b, x uint64) uint64 { return result.cut(f(a, b) + x) })
}

// integerDiv divides toward zero. Quotient and remainder of a division by zero are
// undefined in PTX; an H200 gives all ones for both.
func (c *call) integerDiv(signed func(q, r int64) int64, unsigned func(q, r uint64) uint64) step {
	t := c.number("us", 16, 32, 64)
	return c.binary(t, func(a, b uint64) uint64 {
		switch {
		case b == 0:
			return t.cut(^uint64(0))
		case t.kind == 'u':
			return unsigned(a/b, a%b)
		}
		x, y := t.signed(a), t.signed(b)
		return t.cut(uint64(signed(x/y, x%y))) // Go defines that the quotient's overflow wraps
	})
}

func (c *call) integerPick(first func(less bool) bool) step {
	relu := c.has("relu")
	e := c.integers()
	if relu && e != (elements{number: s32}) && e != (elements{number{'s', 16}, true}) {
		c.fail("modifier .relu needs type s32 or s16x2")
	}
	if relu {
		c.target(90)
	}
	return c.binary(e.held(), e.binary(func(a, b uint64) uint64 {
		less := a < b
		if e.kind == 's' {
			less = e.signed(a) < e.signed(b)
		}
		if !first(less) {
			a = b
		}
		if relu && e.signed(a) < 0 {
			return 0
		}
		return a
	}))
}

// buildSad adds a distance.
func buildSad(c *call) step {
	t := c.number("us", 16, 32, 64)
	return c.ternary(t, func(a, b, x uint64) uint64 {
		if x, y := t.wide(a), t.wide(b); t.kind == 's' && x < y || t.kind == 'u' && a < b {
			a, b = b, a
		}
		return t.cut(a - b + x)
	})
}

// product24 returns the product of the low 24 bits: its low or its high 32 bits of
// 48.
func (c *call) product24() (t number, f func(a, b uint64) uint64) {
	shift := 0
	if c.need("lo", "hi") == "hi" {
		shift = 16
	}
	t = c.number("us", 32)
	narrow := number{t.kind, 24}
	return t, func(a, b uint64) uint64 { return t.cut(uint64(narrow.wide(a) * narrow.wide(b) >> shift)) }
}

func buildMul24(c *call) step {
	t, f := c.product24()
	return c.binary(t, f)
}

func buildMad24(c *call) step {
	t, f := c.product24()
	return c.ternary(t, func(a, b, x uint64) uint64 { return t.cut(f(a, b) + x) })
}

// buildDp4a adds the dot product of four bytes.
func buildDp4a(c *call) step {
	ta, tb := c.number("us", 32), c.number("us", 32)
	a8, b8 := number{ta.kind, 8}, number{tb.kind, 8}
	return c.ternary(b32, func(a, b, x uint64) uint64 {
		for i := 0; i < 32; i += 8 {
			x += uint64(a8.wide(a>>i) * b8.wide(b>>i))
		}
		return b32.cut(x)
	})
}

func buildPopc(c *call) step {
	t := c.number("b", 32, 64)
	return c.unaryOf(u32, t, func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) })
}

func buildClz(c *call) step {
	t := c.number("b", 32, 64)
	return c.unaryOf(u32, t, func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a) - (64 - t.bits)) })
}

func buildBrev(c *call) step {
	t := c.number("b", 32, 64)
	return c.unary(t, func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - t.bits) })
}

// buildBfind finds the highest bit that is not the sign: its position, or how far
// it would have to be shifted to the top; all ones if there is none.
func buildBfind(c *call) step {
	shift := c.has("shiftamt")
	t := c.number("us", 32, 64)
	return c.unaryOf(u32, t, func(a uint64) uint64 {
		if t.kind == 's' && t.signed(a) < 0 {
			a = t.cut(^a)
		}
		switch at := bits.Len64(a) - 1; {
		case at < 0:
			return 0xFFFFFFFF
		case shift:
			return uint64(t.bits - 1 - at)
		default:
			return uint64(at)
		}
	})
}
