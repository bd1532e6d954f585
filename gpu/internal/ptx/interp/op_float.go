package interp

import "math"

// floatBinary is add, sub or mul. native is the same for float32 where Go rounds as
// the chips do.
func (c *call) floatBinary(a arithmetic, native func(x, y float32) float32, f func(a *arithmetic, x, y float64) uint64) step {
	if a.kind == 'h' {
		c.target(90)
	}
	of := func(x, y uint64) uint64 { return f(&a, a.of(x), a.of(y)) }
	if a.exact && a.number == f32 {
		of = func(x, y uint64) uint64 { return canonical(native(f32Of(x), f32Of(y))) }
	}
	return c.binary(a.held(), a.binary(of))
}

// canonical returns the bits of a result, with the chips' NaN.
func canonical(v float32) uint64 {
	if v != v {
		return nan32
	}
	return f32Bits(v)
}

func (c *call) floatAdd() step {
	return c.floatBinary(c.arithmetic(true, "ftz", "sat"), func(x, y float32) float32 { return x + y }, (*arithmetic).sum)
}

func (c *call) floatSub() step {
	return c.floatBinary(c.arithmetic(true, "ftz", "sat"), func(x, y float32) float32 { return x - y },
		func(a *arithmetic, x, y float64) uint64 { return a.sum(x, -y) })
}

func (c *call) floatMul() step {
	return c.floatBinary(c.arithmetic(true, "ftz", "sat"), func(x, y float32) float32 { return x * y },
		func(a *arithmetic, x, y float64) uint64 { return a.finish(multiplyExactly(x, y)) })
}

func (c *call) floatDiv() step {
	if c.take("full", "approx") != "" {
		c.fail("a division that is not exact is not supported")
	}
	a := c.arithmetic(false, "ftz")
	c.single(a)
	return c.floatBinary(a, func(x, y float32) float32 { return x / y },
		func(a *arithmetic, x, y float64) uint64 { return a.finish(divideExactly(x, y)) })
}

// single checks that an instruction is one of float32.
func (c *call) single(a arithmetic) {
	if a.elements != (elements{number: f32}) {
		c.fail("type f32 is expected")
	}
}

func buildFma(c *call) step {
	a := c.arithmetic(false, "ftz", "sat", "relu")
	return c.ternary(a.held(), a.ternary(a.fma()))
}

// fma returns x*y+z of registers. Products of float32 are exact in float64.
func (a *arithmetic) fma() func(x, y, z uint64) uint64 {
	slow := func(x, y, z uint64) uint64 { return a.sum(a.of(x)*a.of(y), a.of(z)) }
	if !a.exact || a.number != f32 {
		return slow
	}
	return func(x, y, z uint64) uint64 {
		s := float64(f32Of(x))*float64(f32Of(y)) + float64(f32Of(z))
		// Rounding a second time is safe unless s lies where float32 has a tie, or
		// is subnormal.
		const tie, below = 1 << 28, 1<<29 - 1
		if math.Float64bits(s)&below == tie || math.Abs(s) < 0x1p-126 && s != 0 {
			return slow(x, y, z)
		}
		return canonical(float32(s))
	}
}

func buildRcp(c *call) step {
	return c.floatRoot(func(x float64) exactly { return divideExactly(1, x) })
}

func buildSqrt(c *call) step { return c.floatRoot(squareRootExactly) }

func (c *call) floatRoot(f func(x float64) exactly) step {
	if c.take("approx") != "" {
		c.fail("an approximation is not supported")
	}
	a := c.arithmetic(false, "ftz")
	c.single(a)
	return c.unary(f32, func(x uint64) uint64 { return a.finish(f(a.of(x))) })
}

// floatSign changes the sign bit of a number.
func (c *call) floatSign(f func(v, sign uint64) uint64) step {
	flush := c.has("ftz")
	e := c.elements("f32", "f16", "f16x2", "bf16", "bf16x2")
	sign := uint64(1) << (e.bits - 1)
	if flush && e.kind == 'h' {
		c.fail("modifier .ftz does not go with %v", e.number)
	}
	return c.unary(e.held(), e.unary(func(v uint64) uint64 {
		x := e.value(v, flush)
		if math.IsNaN(x) {
			return e.encode(x)
		}
		return f(e.encode(x), sign)
	}))
}

// floatPick is min and max: a number wins over a NaN, and -0 is less than +0.
func (c *call) floatPick(ahead func(a, b float64) bool) step {
	flush := c.has("ftz")
	nans := c.has("NaN")
	signs := c.has("xorsign")
	if signs {
		c.need("abs")
	}
	e := c.elements("f32", "f16", "f16x2", "bf16", "bf16x2")
	if flush && e.kind == 'h' {
		c.fail("modifier .ftz does not go with %v", e.number)
	}
	return c.binary(e.held(), e.binary(func(a, b uint64) uint64 {
		x, y := e.value(a, flush), e.value(b, flush)
		if !signs {
			return e.encode(pick(x, y, nans, ahead))
		}
		// The larger or smaller magnitude, with the sign of the product.
		v := pick(math.Abs(x), math.Abs(y), nans, ahead)
		if math.IsNaN(v) {
			return e.encode(v)
		}
		return e.encode(v) | (a^b)&(1<<(e.bits-1))
	}))
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

func buildCopysign(c *call) step {
	c.need("f32")
	return c.binary(f32, func(a, b uint64) uint64 { return a&(1<<31) | b&^(1<<31) })
}

// kindsOfNumber says to which kind of numbers one belongs. Zeros are normal.
var kindsOfNumber = map[string]func(v float64) bool{
	"finite":     func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) },
	"infinite":   func(v float64) bool { return math.IsInf(v, 0) },
	"number":     func(v float64) bool { return !math.IsNaN(v) },
	"notanumber": math.IsNaN,
	"normal":     func(v float64) bool { return v == 0 || math.Abs(v) >= 0x1p-126 && !math.IsInf(v, 0) },
	"subnormal":  func(v float64) bool { return v != 0 && math.Abs(v) < 0x1p-126 },
}

func buildTestp(c *call) step {
	is := kindsOfNumber[c.need("finite", "infinite", "number", "notanumber", "normal", "subnormal")]
	c.need("f32")
	p := c.onePredicate(0)
	a := c.src(1, f32)
	return func(w *warp, on uint32) {
		w.setPredicate(p, on, lanesWhere(on, func(i int) bool { return is(f32.value(w.registers[a][i], false)) }))
	}
}
