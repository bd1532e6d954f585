package scale_test

import (
	"math"
	"math/big"
	"sort"

	"blockfp8/scale"
)

// floatModel is a small binary float by definition: a sign, exponent bits of
// some bias and fraction bits. It rounds by search among midpoints, which
// float64 holds exactly for every format here.
type floatModel struct {
	fractionBits, bias int
	overflow           int       // first magnitude code that is not finite
	mids               []float64 // mids[c] lies half way between codes c and c+1
}

var (
	e4m3Model = newFloatModel(3, 7, 0x7F)
	bf16Model = newFloatModel(7, 127, 0x7F80)
	fp16Model = newFloatModel(10, 15, 0x7C00)
)

func newFloatModel(fractionBits, bias, overflow int) floatModel {
	m := floatModel{fractionBits: fractionBits, bias: bias, overflow: overflow}
	for code := range overflow {
		m.mids = append(m.mids, (m.value(code)+m.value(code+1))/2)
	}
	return m
}

// value is the definition. For the overflow code it gives the number that
// would be next if the exponent had no bound: rounding to nearest needs it.
func (m floatModel) value(code int) float64 {
	exponent, fraction := code>>m.fractionBits, code&(1<<m.fractionBits-1)
	if exponent == 0 {
		return math.Ldexp(float64(fraction), 1-m.bias-m.fractionBits)
	}
	return math.Ldexp(float64(1<<m.fractionBits+fraction), exponent-m.bias-m.fractionBits)
}

// past says whether a magnitude rounds to more than code: beyond the midpoint,
// or on it if code is odd.
func (m floatModel) past(code int, magnitude float64) bool {
	return magnitude > m.mids[code] || magnitude == m.mids[code] && code%2 == 1
}

// nearest returns the magnitude code nearest to a magnitude that is not NaN, or
// the overflow code.
func (m floatModel) nearest(magnitude float64) int {
	return sort.Search(len(m.mids), func(code int) bool { return !m.past(code, magnitude) })
}

// modelE4M3 is the contract of EncodeE4M3 for defined overflows.
func modelE4M3(x float64, o scale.Overflow) scale.E4M3 {
	code := 0x7F
	if x == x {
		code = e4m3Model.nearest(math.Abs(x))
		if code == 0x7F && o == scale.Saturate {
			code = 0x7E
		}
	}
	if math.Float64bits(x)>>63 == 1 {
		code |= 0x80
	}
	return scale.E4M3(code)
}

// modelE4M3Of rounds the exact quotient x/s once, s positive. A midpoint has 5
// significant bits and s 24, so their product is exact and no division is
// needed.
func modelE4M3Of(x, s float32) scale.E4M3 {
	if x != x || math.IsInf(float64(x), 0) {
		return modelE4M3(math.Copysign(math.NaN(), float64(int32(math.Float32bits(x))|1)), scale.Saturate)
	}
	magnitude := math.Abs(float64(x))
	code := sort.Search(126, func(code int) bool {
		mid := e4m3Model.mids[code] * float64(s)
		return magnitude < mid || magnitude == mid && code%2 == 0
	})
	if math.Signbit(float64(x)) {
		code |= 0x80
	}
	return scale.E4M3(code)
}

// modelE8M0 is the contract of EncodeE8M0 for defined options, by search among
// the powers of two from 2^-130 to 2^130: past those nothing changes.
func modelE8M0(x float64, r scale.Rounding, o scale.Overflow) scale.E8M0 {
	switch {
	case x != x || x < 0:
		return 0xFF
	case x == 0 && r == scale.RoundUp:
		return 0x00
	case x < 0x1p-130 && r != scale.RoundUp:
		return outside(0x00, o)
	case x > 0x1p130 && !(r == scale.RoundFloor && !math.IsInf(x, 1)):
		return outside(0xFE, o)
	}
	floor, up := -131, 131
	for e := -130; e <= 130; e++ {
		power := math.Ldexp(1, e)
		if power <= x {
			floor = max(floor, e)
		}
		if power >= x {
			up = min(up, e)
		}
	}
	e := chosen(x, floor, up, r)
	switch {
	case e < -127 && r == scale.RoundUp:
		return 0x00 // 2^-127 is the smallest code not below x
	case e < -127:
		return outside(0x00, o)
	case e > 127 && r == scale.RoundFloor:
		return 0xFE // the largest code not above x
	case e > 127:
		return outside(0xFE, o)
	}
	return scale.E8M0(127 + e)
}

// chosen picks between 2^floor <= x <= 2^up; both distances are exact.
func chosen(x float64, floor, up int, r scale.Rounding) int {
	under, over := x-math.Ldexp(1, floor), math.Ldexp(1, up)-x
	even := up
	if (floor+127)%2 == 0 {
		even = floor
	}
	switch {
	case r == scale.RoundFloor:
		return floor
	case r == scale.RoundUp:
		return up
	case under < over:
		return floor
	case under > over || r == scale.RoundNearestAway:
		return up
	}
	return even
}

func outside(end scale.E8M0, o scale.Overflow) scale.E8M0 {
	if o == scale.Saturate {
		return end
	}
	return 0xFF
}

// ratPow2 returns 2^e.
func ratPow2(e int) *big.Rat {
	one, power := big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return new(big.Rat).SetFrac(one, power)
	}
	return new(big.Rat).SetInt(power)
}

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// quotient32 rounds a/b to float32, once.
func quotient32(a, b float64) float32 {
	q, _ := new(big.Rat).Quo(rat(a), rat(b)).Float32()
	return q
}

// blockOf counts blocks by walking, without a division: element i of a line
// whose first block has already lost offset elements.
func blockOf(i, block, offset int) int {
	n := 0
	for offset += i; offset >= block; offset -= block {
		n++
	}
	return n
}
