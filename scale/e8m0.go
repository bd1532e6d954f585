package scale

import "math"

// E8M0 is a power-of-two scale: code c is 2^(c-127) for c in 0x00..0xFE, and
// 0xFF is NaN. It has no sign, no zero and no infinity (OCP MX v1.0, 5.4.1).
// Any byte is a valid E8M0; the zero value is 2^-127.
type E8M0 uint8

// NaNE8M0 is the only NaN of E8M0.
const NaNE8M0 E8M0 = 0xFF

// quietNaN is the NaN that every decoder of this package returns. One fixed
// quiet payload survives float32 <-> float64 conversions, a signalling one
// does not.
const quietNaN = 0x7FC00000

// IsNaN reports whether s is 0xFF.
func (s E8M0) IsNaN() bool { return s == NaNE8M0 }

// Float32 returns the exact value. 0x00 is the subnormal 2^-127 (bits
// 0x00400000), 0xFF the quiet NaN 0x7FC00000.
func (s E8M0) Float32() float32 { return math.Float32frombits(s.float32Bits()) }

func (s E8M0) float32Bits() uint32 {
	switch s {
	case 0x00:
		return 0x00400000 // 2^-127 lies below the normal range of float32
	case NaNE8M0:
		return quietNaN
	}
	return uint32(s) << 23
}

// Float64 returns the exact value; 0xFF is NaN.
func (s E8M0) Float64() float64 {
	if s.IsNaN() {
		return math.Float64frombits(0x7FF80000_00000000)
	}
	return math.Float64frombits(uint64(int(s)-127+1023) << 52)
}

// BF16 returns the exact value: bfloat16 has float32's exponents, so 0x00 is
// the subnormal 0x0040 and 0xFF the quiet NaN 0x7FC0.
func (s E8M0) BF16() BF16 { return BF16(s.float32Bits() >> 16) }

// FP16 returns the value rounded to nearest even, because float16 spans only
// 2^-24 to 2^15: 2^-25 and below become 0, 2^16 and above +Inf.
func (s E8M0) FP16() FP16 { return FP16FromFloat32(s.Float32()) }

// Inverse returns 1/s, which E8M0 always holds: code 254-c. NaN stays NaN.
// The inverse of 0xFE is 0x00, that is 2^-127 and not zero.
func (s E8M0) Inverse() E8M0 {
	if s.IsNaN() {
		return NaNE8M0
	}
	return 254 - s
}
