package interp

import (
	"slices"
	"strings"
)

// The opcodes that exist for integers and floats take their type to tell.

// isFloat reports which it is, and says what is kept busy.
func (c *call) isFloat() bool {
	for _, m := range c.modifiers {
		switch strings.TrimSuffix(m, "x2") {
		case "f16", "bf16", "f32", "f64":
			c.to.class = Float
			return true
		}
	}
	return false
}

func buildAdd(c *call) step {
	if c.isFloat() {
		return c.floatAdd()
	}
	if c.has("cc") {
		return c.carryAdd(false, true)
	}
	return c.integerAdd(func(a, b int64) int64 { return a + b })
}

func buildSub(c *call) step {
	if c.isFloat() {
		return c.floatSub()
	}
	if c.has("cc") {
		return c.carrySub(false, true)
	}
	if slices.Contains(c.modifiers, "u16x2") || slices.Contains(c.modifiers, "s16x2") {
		c.fail("there is no subtraction of pairs of integers")
	}
	return c.integerAdd(func(a, b int64) int64 { return a - b })
}

func buildMul(c *call) step {
	if c.isFloat() {
		return c.floatMul()
	}
	return c.integerMul()
}

func buildMad(c *call) step {
	if c.isFloat() {
		a := c.arithmetic(false, "ftz", "sat")
		c.single(a)
		return c.ternary(f32, a.fma())
	}
	if slices.Contains(c.modifiers, "cc") {
		return c.carryMad(false)
	}
	return c.integerMad()
}

func buildDiv(c *call) step {
	if c.isFloat() {
		return c.floatDiv()
	}
	return c.integerDiv(func(q, _ int64) int64 { return q }, func(q, _ uint64) uint64 { return q })
}

func buildRem(c *call) step {
	return c.integerDiv(func(_, r int64) int64 { return r }, func(_, r uint64) uint64 { return r })
}

func buildNeg(c *call) step {
	if c.isFloat() {
		return c.floatSign(func(v, sign uint64) uint64 { return v ^ sign })
	}
	t := c.number("s", 16, 32, 64)
	return c.unary(t, func(a uint64) uint64 { return t.cut(-a) })
}

func buildAbs(c *call) step {
	if c.isFloat() {
		return c.floatSign(func(v, sign uint64) uint64 { return v &^ sign })
	}
	t := c.number("s", 16, 32, 64)
	return c.unary(t, func(a uint64) uint64 {
		if v := t.signed(a); v < 0 {
			return t.cut(uint64(-v))
		}
		return a
	})
}

func buildMin(c *call) step {
	if c.isFloat() {
		return c.floatPick(func(a, b float64) bool { return a < b })
	}
	return c.integerPick(func(less bool) bool { return less })
}

func buildMax(c *call) step {
	if c.isFloat() {
		return c.floatPick(func(a, b float64) bool { return a > b })
	}
	return c.integerPick(func(less bool) bool { return !less })
}
