package interp

import (
	"math"

	"blockfp8/scale"
)

// canonicalNaN is what arithmetic on a chip answers for any NaN.
const (
	nan32 = 0x7FFFFFFF
	nan16 = 0x7FFF
)

// value returns the number that a register of a type holds; flush makes a zero of
// a subnormal.
func (t number) value(v uint64, flush bool) float64 {
	switch {
	case t.kind == 'h':
		return float64(scale.BF16(v).Float32())
	case t.bits == 16:
		return float64(scale.FP16(v).Float32())
	case t.bits == 64:
		return math.Float64frombits(v)
	}
	x := float64(f32Of(v))
	if flush && math.Abs(x) < 0x1p-126 {
		return math.Copysign(0, x)
	}
	return x
}

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
func (t number) encode(v float64, flush bool) uint64 {
	switch {
	case math.IsNaN(v) && t.bits == 16:
		return nan16
	case math.IsNaN(v):
		return nan32
	case t.kind == 'h':
		return f32Bits(float32(v)) >> 16
	case t.bits == 16:
		return uint64(scale.FP16FromFloat32(float32(v)))
	case flush && math.Abs(v) < 0x1p-126:
		v = math.Copysign(0, v)
	}
	return f32Bits(float32(v))
}

// arithmetic is the modifiers of a floating-point operation.
type arithmetic struct {
	rounding func(float64) float64
	down     bool // rounds to minus infinity
	flush    bool
	saturate bool
	relu     bool
	t        number
	packed   bool // two 16-bit numbers in a register
}

// arithmetic takes the modifiers of add, sub, mul, fma and div.
func (c *call) arithmetic() arithmetic {
	mode := c.take("rn", "rz", "rm", "rp")
	if mode == "" {
		mode = "rn"
	}
	a := arithmetic{rounding: roundings[mode], down: mode == "rm"}
	a.flush = c.has("ftz")
	a.saturate = c.has("sat")
	a.relu = c.has("relu")
	a.t, a.packed = c.floatType()
	if a.t.bits == 16 && (mode != "rn" || a.flush) {
		c.fail("16-bit arithmetic with modifiers .%s and .ftz=%v is not supported", mode, a.flush)
	}
	return a
}

// floatType takes a type of 16 or 32 bits; the x2 forms are packed.
func (c *call) floatType() (t number, packed bool) {
	switch c.need("f16", "f16x2", "bf16", "bf16x2", "f32") {
	case "f16":
		return number{'f', 16}, false
	case "f16x2":
		return number{'f', 16}, true
	case "bf16":
		return number{'h', 16}, false
	case "bf16x2":
		return number{'h', 16}, true
	}
	return f32, false
}

// held is the type of the registers.
func (a *arithmetic) held() number {
	if a.packed {
		return b32
	}
	return a.t
}

// finish rounds a result to the type.
func (a *arithmetic) finish(x exactly) uint64 {
	v := a.t.format().round(x, a.rounding)
	switch {
	case a.saturate && (math.IsNaN(v) || v <= 0):
		v = 0
	case a.saturate:
		v = min(v, 1)
	case a.relu && v < 0:
		v = 0
	}
	return a.t.encode(v, a.flush)
}

// each applies f to a register's number, or to both.
func (a *arithmetic) each(f func(half func(v uint64) float64) uint64) uint64 {
	if !a.packed {
		return f(func(v uint64) float64 { return a.t.value(v, a.flush) })
	}
	low := f(func(v uint64) float64 { return a.t.value(v&0xFFFF, false) })
	high := f(func(v uint64) float64 { return a.t.value(v>>16, false) })
	return high<<16 | low
}
