package scale

import "math"

// BF16 is bfloat16: the upper half of a float32.
type BF16 uint16

// Float32 returns the exact value. A NaN keeps its sign and payload.
func (v BF16) Float32() float32 { return math.Float32frombits(uint32(v) << 16) }

// BF16FromFloat32 rounds to nearest, ties to even. Values that round past the
// largest finite bfloat16 become infinite; a NaN becomes the quiet NaN 0x7FC0
// with its sign.
func BF16FromFloat32(x float32) BF16 {
	bits := math.Float32bits(x)
	if bits&0x7FFFFFFF > 0x7F800000 {
		return BF16(bits>>16)&0x8000 | 0x7FC0
	}
	even := bits >> 16 & 1
	return BF16((bits + 0x7FFF + even) >> 16)
}

// BF16FromFloat64 rounds once, to nearest, ties to even.
func BF16FromFloat64(x float64) BF16 { return BF16FromFloat32(roundToOdd(x)) }
