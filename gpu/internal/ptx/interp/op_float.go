package interp

import "math"

func (c *call) floatBinary(f func(a, b float64) exactly) step {
	a := c.arithmetic()
	return c.binary(a.held(), func(x, y uint64) uint64 {
		return a.each(func(of func(uint64) float64) uint64 { return a.sum(f(of(x), of(y)), of(x), of(y)) })
	})
}

// sum finishes, and gives a zero that is no exact zero plus zero the sign that the
// rounding asks for.
func (a *arithmetic) sum(x exactly, p, q float64) uint64 {
	if a.down && x.value == 0 && p != 0 && q != 0 && !math.Signbit(x.value) && p == -q {
		x.value = math.Copysign(0, -1)
	}
	return a.finish(x)
}

func buildFma(c *call) step {
	a := c.arithmetic()
	return c.ternary(a.held(), func(x, y, z uint64) uint64 {
		return a.each(func(of func(uint64) float64) uint64 {
			return a.finish(addExactly(of(x)*of(y), of(z)))
		})
	})
}

func (c *call) floatDiv() step {
	if len(c.modifiers) == 0 || c.modifiers[0] == "full" || c.modifiers[0] == "approx" {
		c.fail("division %s is not exact and not supported", c.next())
	}
	return c.floatBinary(divideExactly)
}

// floatSign changes the sign bit of a number, NaN or not.
func (c *call) floatSign(f func(v, sign uint64) uint64) step {
	flush := c.has("ftz")
	t, packed := c.floatType()
	sign := uint64(1) << (t.bits - 1)
	held := t
	if packed {
		sign |= sign << 16
		held = b32
	}
	return c.unary(held, func(v uint64) uint64 {
		if flush {
			v = t.encode(t.value(v, true), false)
		}
		return f(v, sign)
	})
}

// floatPick is min and max: a number wins over a NaN, and -0 is less than +0.
func (c *call) floatPick(ahead func(a, b float64) bool) step {
	flush := c.has("ftz")
	nans := c.has("NaN")
	t, packed := c.floatType()
	a := arithmetic{rounding: math.RoundToEven, flush: flush, t: t, packed: packed}
	return c.binary(a.held(), func(x, y uint64) uint64 {
		return a.each(func(of func(uint64) float64) uint64 { return a.finish(exactly{value: pick(of(x), of(y), nans, ahead)}) })
	})
}

func pick(x, y float64, nans bool, ahead func(a, b float64) bool) float64 {
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		if nans || math.IsNaN(x) && math.IsNaN(y) {
			return math.NaN()
		}
		if math.IsNaN(x) {
			return y
		}
		return x
	case x == 0 && y == 0:
		if ahead(math.Copysign(1, x), math.Copysign(1, y)) {
			return x
		}
		return y
	case ahead(x, y):
		return x
	}
	return y
}
