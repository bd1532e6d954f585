package interp

import (
	"math"

	"blockfp8/scale"
)

// cvtPacked converts to a pair of numbers in one register.
func (c *call) cvtPacked(to string, v conversion) step {
	small := to == "e4m3x2" || to == "e5m2x2"
	if small && !(v.mode == "rn" && v.finite) {
		c.fail("a conversion to %s is .rn.satfinite", to)
	}
	if small {
		c.target(89)
	}
	switch from := c.need("f32", "f16x2", "e4m3x2", "e5m2x2", "ue8m0x2"); {
	case from == "f32" && small:
		return c.cvtPair(v, func(x float64) uint64 { return v.encodeSmall(to, x) }, 8)
	case from == "f32" && (v.mode == "rn" || v.mode == "rz"):
		t, _ := numberNamed(to[:len(to)-2])
		a := v.arithmetic(t)
		return c.cvtPair(v, func(x float64) uint64 { return a.finish(exactly{value: x}) }, 16)
	case from == "f16x2" && small:
		half := number{'f', 16}
		return c.unaryOf(b16, b32, func(x uint64) uint64 {
			return v.encodeSmall(to, half.value(x>>16, false))<<8 | v.encodeSmall(to, half.value(x&0xFFFF, false))
		})
	case (from == "e4m3x2" || from == "e5m2x2") && to == "f16x2" && v.mode == "rn" && !v.finite:
		c.target(89)
		return c.decodePair(smallFormats[from].half, v.relu)
	case from == "ue8m0x2" && to == "bf16x2" && v.mode == "rn" && !v.finite && !v.relu:
		c.target(100)
		return c.decodePair(func(code uint64) uint64 { return number{'h', 16}.encode(scale.E8M0(code).Float64()) }, false)
	default:
		c.fail("a conversion from %s to %s with these modifiers is not supported", from, to)
		return nil
	}
}

// cvtPair rounds two numbers and packs them; the first operand goes to the upper
// half.
func (c *call) cvtPair(v conversion, encode func(x float64) uint64, bits int) step {
	return c.binaryOf(number{'b', 2 * bits}, f32, f32, func(x, y uint64) uint64 {
		return encode(f32.value(x, false))<<bits | encode(f32.value(y, false))
	})
}

// decodePair makes two 16-bit numbers of two codes.
func (c *call) decodePair(decode func(code uint64) uint64, relu bool) step {
	one := func(code uint64) uint64 {
		v := decode(code)
		if relu && v>>15 == 1 {
			v = 0
		}
		return v
	}
	return c.unaryOf(b32, b16, func(x uint64) uint64 { return one(x>>8)<<16 | one(x&0xFF) })
}

// smallFormat is a format of FP8 codes: how finite numbers become codes, and how
// codes become halves.
type smallFormat struct {
	format
	code func(v float64) uint64
	half func(code uint64) uint64
}

var smallFormats = map[string]smallFormat{
	"e4m3x2": {
		e4m3Format,
		func(v float64) uint64 { return uint64(scale.EncodeE4M3(v, scale.Saturate)) },
		func(code uint64) uint64 { return number{'f', 16}.encode(scale.E4M3(code).Float64()) },
	},
	"e5m2x2": {
		e5m2Format,
		// A code is the upper half of the float16 of its number.
		func(v float64) uint64 { return number{'f', 16}.encode(v) >> 8 },
		func(code uint64) uint64 { return number{'f', 16}.encode(float64(scale.FP16(code << 8).Float32())) },
	},
}

// nan8 is the NaN that a conversion to FP8 gives for any.
const nan8 = 0x7F

// encodeSmall rounds to nearest even; what is beyond the largest number becomes it.
func (v *conversion) encodeSmall(to string, x float64) uint64 {
	if math.IsNaN(x) {
		return nan8
	}
	f := smallFormats[to]
	n := f.round(exactly{value: x}, math.RoundToEven)
	if v.relu && n <= 0 {
		return 0
	}
	return f.code(min(max(n, -f.most), f.most))
}
