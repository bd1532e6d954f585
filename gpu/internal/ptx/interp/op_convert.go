package interp

import (
	"math"

	"blockfp8/scale"
)

// buildCvt converts between types: first comes the modifier of the result's type,
// then that of the operand's.
func buildCvt(c *call) step {
	mode := c.take("rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi")
	flush := c.has("ftz")
	saturate := c.has("sat")
	finite := c.has("satfinite")
	relu := c.has("relu")
	switch packed := c.take("f16x2", "bf16x2", "e4m3x2", "e5m2x2"); {
	case packed != "":
		return c.cvtPair(packed, mode, finite, relu)
	case finite || relu:
		c.fail("modifiers .satfinite and .relu need a packed type")
	}
	to := c.number("busfh", 8, 16, 32, 64)
	from := c.number("busfh", 8, 16, 32, 64)
	floats := func(t number) bool { return t.kind == 'f' || t.kind == 'h' }
	switch {
	case floats(to) && to.bits == 64 || floats(from) && from.bits == 64:
		c.fail("type f64 is not supported")
	case floats(to) && floats(from):
		return c.cvtFloat(to, from, mode, flush, saturate)
	case floats(to):
		return c.cvtToFloat(to, from, mode)
	case floats(from):
		return c.cvtToInteger(to, from, mode, flush)
	case mode != "" || flush:
		c.fail("a rounding between integers")
	}
	return c.cvtInteger(to, from, saturate)
}

// held is the type of the register that holds a small type.
func (t number) held() number {
	if t.bits == 8 {
		return number{t.kind, 16}
	}
	return t
}

func (c *call) cvtInteger(to, from number, saturate bool) step {
	// The register may be larger than the type: an integer is extended to it by
	// the sign of its own type.
	d, a := c.dst(0), c.src(1, from)
	size := to
	if to.kind == 's' {
		size = c.sizeOf(d, to)
	}
	return func(w *warp, on uint32) {
		x := &w.registers[a]
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			v := from.wide(x[i])
			if saturate {
				v = to.clamp(v, from)
			}
			w.registers[d][i] = size.cut(uint64(to.wide(uint64(v))))
		}
	}
}

// sizeOf returns the bits type of a register, at least the type given.
func (c *call) sizeOf(slot int, t number) number {
	for _, r := range c.function.Registers {
		if s, ok := c.registers[r.Name]; ok && s == slot {
			if n, ok := numberNamed(r.Type); ok && n.bits >= t.bits {
				return number{'b', n.bits}
			}
		}
	}
	return t
}

// clamp cuts an integer of type from to what t can hold.
func (t number) clamp(v int64, from number) int64 {
	if from.kind != 's' && v < 0 { // a uint64 beyond int64
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

func (c *call) cvtFloat(to, from number, mode string, flush, saturate bool) step {
	// Narrower needs a rounding; the same type may be rounded to an integer.
	a := arithmetic{flush: flush, saturate: saturate, t: to, rounding: math.RoundToEven}
	rounding := roundings[mode]
	integral := len(mode) == 3
	switch {
	case to == from && !integral && mode != "":
		c.fail("a rounding between equal types")
	case to.bits < from.bits && (mode == "" || integral):
		c.fail("a rounding is missing")
	case to != from && to.bits >= from.bits && mode != "":
		c.fail("a rounding where none is needed")
	case mode != "" && !integral:
		a.rounding = rounding
	}
	return c.unary(from, func(x uint64) uint64 {
		v := from.value(x, flush)
		if integral {
			v = math.Copysign(rounding(v), v)
		}
		return a.finish(exactly{value: v})
	})
}

func (c *call) cvtToFloat(to, from number, mode string) step {
	if mode == "" || len(mode) == 3 {
		c.fail("a rounding is missing")
		return nil
	}
	a := arithmetic{t: to, rounding: roundings[mode]}
	return c.unary(from, func(x uint64) uint64 {
		if from.kind == 's' {
			return a.finish(exactInteger(from.wide(x)))
		}
		return a.finish(exactUnsigned(from.cut(x)))
	})
}

// exactInteger is an integer, in two parts that float64 holds.
func exactInteger(v int64) exactly {
	high := float64(v >> 32 << 32)
	return addExactly(high, float64(v&0xFFFFFFFF))
}

func exactUnsigned(v uint64) exactly {
	high := float64(v >> 32 << 32)
	return addExactly(high, float64(v&0xFFFFFFFF))
}

// cvtToInteger rounds to an integer and cuts it to what the type holds. A NaN
// gives 0 for 32 bits and less, as chips do; for 64 bits the top bit alone.
func (c *call) cvtToInteger(to, from number, mode string, flush bool) step {
	rounding := roundings[mode]
	if len(mode) != 3 {
		c.fail("a rounding to integer is missing")
		return nil
	}
	return c.unary(from, func(x uint64) uint64 {
		v := rounding(from.value(x, flush))
		switch {
		case math.IsNaN(v) && to.bits == 64:
			return 1 << 63
		case math.IsNaN(v):
			return 0
		case to.kind == 's':
			low, high := -math.Ldexp(1, to.bits-1), math.Ldexp(1, to.bits-1)
			if v >= high {
				return to.cut(1<<(to.bits-1) - 1)
			}
			return to.cut(uint64(int64(max(v, low))))
		case v >= math.Ldexp(1, to.bits):
			return to.cut(^uint64(0))
		}
		return to.cut(uint64(max(v, 0)))
	})
}

// cvtPair rounds two numbers and packs them; the first operand goes to the upper
// half.
func (c *call) cvtPair(to, mode string, finite, relu bool) step {
	small := to == "e4m3x2" || to == "e5m2x2"
	if small && mode == "rn" && finite {
		return c.cvtSmall(to, relu)
	}
	if small || mode != "rn" && mode != "rz" || finite {
		c.fail("a conversion to %s with .%s is not supported", to, mode)
		return nil
	}
	t := number{'f', 16}
	if to == "bf16x2" {
		t.kind = 'h'
	}
	c.need("f32")
	a := arithmetic{t: t, rounding: roundings[mode], relu: relu}
	return c.binary(f32, func(x, y uint64) uint64 {
		high := a.finish(exactly{value: f32.value(x, false)})
		low := a.finish(exactly{value: f32.value(y, false)})
		return high<<16 | low
	})
}

// cvtSmall makes two FP8 codes of float32 numbers.
func (c *call) cvtSmall(to string, relu bool) step {
	if to != "e4m3x2" || relu {
		c.fail("a conversion to %s with relu=%v is not supported", to, relu)
		return nil
	}
	c.need("f32")
	return c.binary(f32, func(x, y uint64) uint64 {
		return e4m3Code(x)<<8 | e4m3Code(y)
	})
}

// e4m3Code rounds to nearest even; what is beyond 448 becomes 448, a NaN 0x7F.
func e4m3Code(v uint64) uint64 {
	return uint64(scale.EncodeE4M3FromFloat32(f32Of(v), scale.Saturate))
}
