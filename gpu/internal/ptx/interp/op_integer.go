package interp

import "math/bits"

func (c *call) integerAdd(f func(a, b int64) int64) step {
	saturates := c.has("sat")
	t := c.number("usb", 16, 32, 64)
	if !saturates {
		return c.binary(t, func(a, b uint64) uint64 { return t.cut(uint64(f(int64(a), int64(b)))) })
	}
	if t != s32 {
		c.fail("modifier .sat needs type s32")
	}
	return c.binary(t, func(a, b uint64) uint64 {
		return t.cut(uint64(min(max(f(t.signed(a), t.signed(b)), -1<<31), 1<<31-1)))
	})
}

// product returns how a type multiplies, by the modifier lo, hi or wide, and the
// type of the result.
func (c *call) product() (t, result number, f func(a, b uint64) uint64) {
	part := c.need("lo", "hi", "wide")
	t = c.number("us", 16, 32, 64)
	switch {
	case part == "wide" && t.bits == 64:
		c.fail("modifier .wide needs 16 or 32 bits")
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
	t, _, f := c.product()
	return c.binary(t, f)
}

func (c *call) integerMad() step {
	t, result, f := c.product()
	return c.ternaryOf(t, t, result, func(a, b, x uint64) uint64 { return result.cut(f(a, b) + x) })
}

// integerDiv divides toward zero. The result of a division by zero is undefined in
// PTX; chips give all ones, and the dividend for the remainder.
func (c *call) integerDiv(signed func(q, r int64) int64, unsigned func(q, r uint64) uint64) step {
	t := c.number("us", 16, 32, 64)
	return c.binary(t, func(a, b uint64) uint64 {
		switch {
		case b == 0:
			return t.cut(unsigned(^uint64(0), a))
		case t.kind == 'u':
			return unsigned(a/b, a%b)
		case t.signed(b) == -1: // Go does not define the quotient's overflow; it wraps
			return t.cut(uint64(signed(-t.signed(a), 0)))
		}
		return t.cut(uint64(signed(t.signed(a)/t.signed(b), t.signed(a)%t.signed(b))))
	})
}

func (c *call) integerPick(first func(less bool) bool) step {
	t := c.number("us", 16, 32, 64)
	return c.binary(t, func(a, b uint64) uint64 {
		less := a < b
		if t.kind == 's' {
			less = t.signed(a) < t.signed(b)
		}
		if first(less) {
			return a
		}
		return b
	})
}

func buildPopc(c *call) step {
	t := c.number("b", 32, 64)
	return c.unary(t, func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) })
}

func buildClz(c *call) step {
	t := c.number("b", 32, 64)
	return c.unary(t, func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a) - (64 - t.bits)) })
}

func buildBrev(c *call) step {
	t := c.number("b", 32, 64)
	return c.unary(t, func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - t.bits) })
}
