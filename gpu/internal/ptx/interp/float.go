package interp

import (
	"math"

	"blockfp8/scale"
)

// What arithmetic on a chip answers for any NaN.
const (
	nan32 = 0x7FFFFFFF
	nan16 = 0x7FFF
)

// isFloat reports whether a type is one of numbers with exponents.
func (t number) isFloat() bool { return t.kind == 'f' || t.kind == 'h' }

// value returns the number that a register of a type holds; flush makes a zero of
// a subnormal.
func (t number) value(v uint64, flush bool) float64 {
	var x float64
	switch {
	case t.kind == 'h':
		x = float64(scale.BF16(v).Float32())
	case t.bits == 16:
		x = float64(scale.FP16(v).Float32())
	default:
		x = float64(f32Of(v))
	}
	if flush && t.format().subnormal(x) {
		return math.Copysign(0, x)
	}
	return x
}

// unbounded is the format with normal numbers however small. A result is flushed
// if it is subnormal after a rounding that knows of no least exponent.
func (f format) unbounded() format {
	f.least = math.MinInt16
	return f
}

// subnormal reports whether a number is below the normal ones, or 0.
func (f format) subnormal(x float64) bool { return math.Abs(x) < math.Ldexp(1, f.least) }

// format returns the format of a type of 16 or 32 bits.
func (t number) format() format {
	switch {
	case t.kind == 'h':
		return bfloatFormat
	case t.bits == 16:
		return halfFormat
	}
	return singleFormat
}

// encode returns the bits of a number that the type can hold exactly, and those of
// the chips' NaN.
func (t number) encode(v float64) uint64 {
	switch {
	case math.IsNaN(v) && t.bits == 16:
		return nan16
	case math.IsNaN(v):
		return nan32
	case t.kind == 'h':
		return f32Bits(float32(v)) >> 16
	case t.bits == 16:
		return uint64(scale.FP16FromFloat32(float32(v)))
	}
	return f32Bits(float32(v))
}

// arithmetic is how a floating-point operation reads and rounds.
type arithmetic struct {
	elements
	rounding func(float64) float64
	exact    bool // rounds to nearest, and does nothing else to a number
	down     bool // rounds to minus infinity
	flush    bool
	saturate bool
	relu     bool
	finite   bool // what is beyond the largest number becomes it
}

// arithmetic takes the modifiers of add, sub, mul, fma and their kin: a rounding,
// which may be missing if it is optional, and those of extra that are there, in
// the order of PTX.
func (c *call) arithmetic(optional bool, extra ...string) arithmetic {
	mode := c.take("rn", "rz", "rm", "rp")
	if mode == "" && !optional {
		c.fail("a rounding is missing")
	}
	if mode == "" {
		mode = "rn"
	}
	taken := map[string]bool{}
	for _, name := range extra {
		taken[name] = c.has(name)
	}
	a := arithmetic{
		rounding: roundings[mode], down: mode == "rm",
		flush: taken["ftz"], saturate: taken["sat"], relu: taken["relu"],
	}
	a.elements = c.elements("f32", "f16", "f16x2", "bf16", "bf16x2", "f32x2")
	a.exact = mode == "rn" && !a.flush && !a.saturate && !a.relu
	switch {
	case a.bits == 16 && mode != "rn":
		c.fail("16-bit arithmetic rounds to nearest, not with .%s", mode)
	case a.kind == 'h' && (a.flush || a.saturate):
		c.fail("modifiers .ftz and .sat do not go with %v", a.number)
	case a.bits == 32 && a.relu, a.relu && a.saturate:
		c.fail("modifier .relu does not go with these")
	case a.bits == 32 && a.packed && a.saturate:
		c.fail("modifier .sat does not go with f32x2")
	case a.bits == 32 && a.packed:
		c.target(100)
	}
	return a
}

// of returns the number in a register.
func (a *arithmetic) of(v uint64) float64 { return a.value(v, a.flush) }

// sum is p+q. An exact zero is negative if both were, or if they differ and the
// rounding is down.
func (a *arithmetic) sum(p, q float64) uint64 {
	x := addExactly(p, q)
	if a.down && x.value == 0 && math.Signbit(p) != math.Signbit(q) {
		x.value = math.Copysign(0, -1)
	}
	return a.finish(x)
}

// finish rounds a result to the type.
func (a *arithmetic) finish(x exactly) uint64 {
	f := a.format()
	v := f.round(x, a.rounding)
	if a.flush && f.subnormal(f.unbounded().round(x, a.rounding)) {
		v = math.Copysign(0, v)
	}
	switch {
	case a.saturate && !(v > 0): // a NaN too
		v = 0
	case a.saturate:
		v = min(v, 1)
	case a.relu && v <= 0:
		v = 0
	}
	if a.finite && math.Abs(v) > f.most {
		v = math.Copysign(f.most, v)
	}
	return a.encode(v)
}
