package ref

import (
	"math/bits"

	"blockfp8/scale"
)

// zeroExponent stands for the exponent of a zero code: sums with it stay below
// every exponent of a non-zero product.
const zeroExponent = -200

// Tables over the 256 codes. fixed is the value in units of 2^-9, NaN counts as
// 0 (callers look for NaN first). exponents is the exponent as the hardware
// sees it, -6 for subnormals; normalizedExponents the exponent of the value
// itself.
var fixed, exponents, normalizedExponents = func() (fixed [256]int32, native, normalized [256]int16) {
	for i := range fixed {
		code := scale.E4M3(i)
		if code.IsNaN() {
			native[i], normalized[i] = zeroExponent, zeroExponent
			continue
		}
		fixed[i] = int32(code.Float64() * 512)
		normalized[i] = valueExponent(fixed[i])
		native[i] = normalized[i]
		if fixed[i] != 0 {
			native[i] = max(native[i], -6)
		}
	}
	return fixed, native, normalized
}()

func valueExponent(fixed int32) int16 {
	if fixed == 0 {
		return zeroExponent
	}
	return int16(bits.Len32(uint32(max(fixed, -fixed))) - 1 - 9)
}
