package scale

import (
	"math"
	"unsafe"
)

// E4M3 is an 8-bit float with a sign, four exponent bits of bias 7 and three
// fraction bits, the "fn" variant: no infinities, NaN at 0x7F and 0xFF, largest
// value 448 (OCP 8-bit floating point v1.0). Any byte is a valid E4M3.
type E4M3 uint8

const (
	// NaNE4M3 is the positive NaN; 0xFF is the negative one.
	NaNE4M3 E4M3 = 0x7F
	// MaxE4M3 is the largest finite value.
	MaxE4M3 = 448.0

	signE4M3 E4M3 = 0x80
)

// IsNaN reports whether v is 0x7F or 0xFF.
func (v E4M3) IsNaN() bool { return v&0x7F == NaNE4M3 }

// Float32 returns the exact value. -0 (0x80) keeps its sign; both NaN codes
// give the quiet NaN 0x7FC00000.
func (v E4M3) Float32() float32 { return float32(v.Float64()) }

// Float64 returns the exact value, with -0 and NaN as in Float32.
func (v E4M3) Float64() float64 { return e4m3Values[v] }

// e4m3Values holds the value of every code: decoding is the inner loop of the
// quantisers and of the oracle.
var e4m3Values = func() (values [256]float64) {
	for code := range values {
		values[code] = decodeE4M3(E4M3(code))
	}
	return values
}()

func decodeE4M3(v E4M3) float64 {
	if v.IsNaN() {
		return math.Float64frombits(0x7FF80000_00000000)
	}
	exponent, fraction := int(v>>3&15), float64(v&7)
	magnitude := fraction * pow2(-9) // subnormal
	if exponent > 0 {
		magnitude = (8 + fraction) * pow2(exponent-10)
	}
	if v&signE4M3 != 0 {
		return math.Copysign(magnitude, -1)
	}
	return magnitude
}

// E4M3s returns b's bytes as codes, without a copy: both slices share memory.
func E4M3s(b []byte) []E4M3 { return unsafe.Slice((*E4M3)(unsafe.SliceData(b)), len(b)) }

// E8M0s returns b's bytes as codes, without a copy: both slices share memory.
func E8M0s(b []byte) []E8M0 { return unsafe.Slice((*E8M0)(unsafe.SliceData(b)), len(b)) }
