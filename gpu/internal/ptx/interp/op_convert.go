package interp

import "math"

// conversion is the modifiers and types of a cvt.
type conversion struct {
	mode      string // rounding, or ""
	flush     bool
	saturate  bool
	finite    bool
	relu      bool
	to, from  number
	toRounded func(float64) float64
}

// buildCvt converts between types: first comes the modifier of the result's type,
// then that of the operand's.
func buildCvt(c *call) step {
	v := conversion{mode: c.take("rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi")}
	v.toRounded = roundings[v.mode]
	v.flush = c.has("ftz")
	v.relu = c.has("relu")
	v.finite = c.has("satfinite")
	if !v.relu { // the two come in either order
		v.relu = c.has("relu")
	}
	v.saturate = c.has("sat")
	switch packed := c.take("f16x2", "bf16x2", "e4m3x2", "e5m2x2"); {
	case packed != "" && (v.flush || v.saturate):
		c.fail("modifiers .ftz and .sat do not go with %s", packed)
		return nil
	case packed != "":
		return c.cvtPacked(packed, v)
	}
	v.to = c.number("usfh", 8, 16, 32, 64)
	v.from = c.number("usfh", 8, 16, 32, 64)
	switch {
	case v.to.isFloat() && v.to.bits == 64 || v.from.isFloat() && v.from.bits == 64:
		c.fail("type f64 is not supported")
		return nil
	case (v.finite || v.relu) && (v.from != f32 || !v.to.isFloat() || v.to.bits != 16):
		c.fail("modifiers .satfinite and .relu do not go with %v and %v", v.to, v.from)
		return nil
	case v.flush && v.to != f32 && v.from != f32:
		c.fail("modifier .ftz needs type f32")
	case v.to.kind == 'h' && v.from != f32, v.from.kind == 'h' && v.to != f32:
		c.target(90)
	}
	switch {
	case v.to.isFloat() && v.from.isFloat():
		return c.cvtFloat(v)
	case v.to.isFloat():
		return c.cvtToFloat(v)
	case v.from.isFloat():
		return c.cvtToInteger(v)
	case v.mode != "":
		c.fail("a rounding between integers")
	}
	return c.cvtInteger(v)
}

// cvtStep is a step whose registers may be larger than the types. An integer is
// extended to the register by the sign of its own type, everything else by zeros.
func (c *call) cvtStep(v conversion, f func(x uint64) uint64) step {
	held := c.written(c.operand(0), v.to.bits, 64)
	a := c.srcWide(1, v.from)
	if v.to.kind != 's' || held.bits == v.to.bits {
		return onLanes1(held.slot, a, f)
	}
	wide := number{'b', held.bits}
	return onLanes1(held.slot, a, func(x uint64) uint64 { return wide.cut(uint64(v.to.signed(f(x)))) })
}

func (c *call) cvtInteger(v conversion) step {
	return c.cvtStep(v, func(x uint64) uint64 {
		n := v.from.wide(x)
		if v.saturate {
			n = v.to.clamp(n, v.from)
		}
		return v.to.cut(uint64(n))
	})
}

// clamp cuts an integer of type from to what t can hold.
func (t number) clamp(v int64, from number) int64 {
	if from.kind != 's' && v < 0 { // a uint64 beyond int64
		if t == u64 {
			return v
		}
		v = math.MaxInt64
	}
	switch {
	case t.kind == 's':
		return min(max(v, -1<<(t.bits-1)), 1<<(t.bits-1)-1)
	case v < 0:
		return 0
	case t.bits == 64:
		return v
	}
	return min(v, 1<<t.bits-1)
}

// cvtFloat rounds to a smaller type, or to an integer of the same type, or goes to
// a larger one.
func (c *call) cvtFloat(v conversion) step {
	integral := len(v.mode) == 3
	switch same := v.to == v.from; {
	case integral && !same, v.mode != "" && !integral && same:
		c.fail("rounding .%s does not go with %v and %v", v.mode, v.to, v.from)
	case v.to.bits < v.from.bits && v.mode == "", v.to.bits == v.from.bits && !same && v.mode == "":
		c.fail("a rounding is missing")
	case v.to.bits > v.from.bits && v.mode != "":
		c.fail("a rounding where none is needed")
	}
	if v.from.kind == 'h' && v.to == f32 {
		if v.flush || v.saturate {
			c.fail("modifiers .ftz and .sat do not go with f32 and bf16")
		}
		// A shift: also of a NaN.
		return c.cvtStep(v, func(x uint64) uint64 { return v.from.cut(x) << 16 })
	}
	a := v.arithmetic(v.to)
	return c.cvtStep(v, func(x uint64) uint64 {
		n := v.from.value(x, v.flush && v.from == f32)
		if integral {
			n = math.Copysign(v.toRounded(n), n)
		}
		return a.finish(exactly{value: n})
	})
}

// arithmetic is how a conversion rounds to a floating-point type.
func (v *conversion) arithmetic(to number) arithmetic {
	a := arithmetic{
		elements: elements{number: to}, rounding: math.RoundToEven,
		flush: v.flush && to == f32, saturate: v.saturate, relu: v.relu, finite: v.finite,
	}
	if v.mode != "" && len(v.mode) == 2 {
		a.rounding = v.toRounded
	}
	return a
}

func (c *call) cvtToFloat(v conversion) step {
	if len(v.mode) != 2 {
		c.fail("a rounding is missing")
		return nil
	}
	a := v.arithmetic(v.to)
	if v.from.kind == 's' {
		return c.cvtStep(v, func(x uint64) uint64 { return a.finish(exactSigned(v.from.wide(x))) })
	}
	return c.cvtStep(v, func(x uint64) uint64 { return a.finish(exactUnsigned(v.from.cut(x))) })
}

// exactSigned is an integer, in two parts that float64 holds.
func exactSigned(v int64) exactly {
	return addExactly(float64(v>>32<<32), float64(v&0xFFFFFFFF))
}

func exactUnsigned(v uint64) exactly {
	return addExactly(float64(v>>32<<32), float64(v&0xFFFFFFFF))
}

// cvtToInteger rounds to an integer and cuts it to what the type holds. A NaN
// gives 0, and for 64 bits the top bit alone.
func (c *call) cvtToInteger(v conversion) step {
	if len(v.mode) != 3 {
		c.fail("a rounding to integer is missing")
		return nil
	}
	return c.cvtStep(v, func(x uint64) uint64 {
		n := v.toRounded(v.from.value(x, v.flush))
		switch to := v.to; {
		case math.IsNaN(n) && to.bits == 64:
			return 1 << 63
		case math.IsNaN(n):
			return 0
		case to.kind == 's':
			limit := math.Ldexp(1, to.bits-1)
			if n >= limit {
				return 1<<(to.bits-1) - 1
			}
			return to.cut(uint64(int64(max(n, -limit))))
		case n >= math.Ldexp(1, to.bits):
			return to.cut(^uint64(0))
		}
		return uint64(max(n, 0))
	})
}
