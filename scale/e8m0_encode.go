package scale

import (
	"fmt"
	"math"
)

// Rounding names how a value between two powers of two becomes an E8M0 code.
// The zero value is not a rounding: libraries disagree (CUDA rounds up,
// ml_dtypes and torch to nearest), so a caller has to say.
type Rounding uint8

// The roundings of E8M0.
const (
	RoundUp          Rounding = iota + 1 // smallest power of two not below the value
	RoundFloor                           // largest power of two not above the value
	RoundNearestEven                     // nearest; a tie (1.5*2^e) goes to the even code
	RoundNearestAway                     // nearest; a tie goes to the larger power of two
)

func (r Rounding) String() string {
	switch r {
	case RoundUp:
		return "up"
	case RoundFloor:
		return "floor"
	case RoundNearestEven:
		return "nearest-even"
	case RoundNearestAway:
		return "nearest-away"
	}
	return fmt.Sprintf("Rounding(%d)", uint8(r))
}

func (r Rounding) valid() bool { return r >= RoundUp && r <= RoundNearestAway }

// Overflow names what becomes of a value that the target format cannot hold.
// The zero value is not a choice.
type Overflow uint8

// The two ways to treat a value out of range.
const (
	Saturate    Overflow = iota + 1 // the nearest finite end of the range
	OverflowNaN                     // NaN
)

func (o Overflow) String() string {
	switch o {
	case Saturate:
		return "saturate"
	case OverflowNaN:
		return "nan"
	}
	return fmt.Sprintf("Overflow(%d)", uint8(o))
}

func (o Overflow) valid() bool { return o == Saturate || o == OverflowNaN }

// EncodeE8M0 rounds x once to a power of two. Pass a float32 through float64:
// that conversion is exact.
//
//   - RoundUp gives the smallest code not below x, so anything in (0, 2^-127],
//     and also 0 and -0, is 0x00; it overflows above 2^127.
//   - RoundFloor gives the largest code not above x, so every finite x of at
//     least 2^127 is 0xFE; it underflows below 2^-127.
//   - The nearest roundings look at the exponents without bounds: 1.5*2^127 is
//     a tie between 0xFE and 2^128, and only the latter is out of range.
//   - Out of range: Saturate gives 0xFE above and 0x00 below; OverflowNaN
//     gives 0xFF for both. Zero is below the range unless RoundUp.
//   - +Inf is above the range in every rounding: 0xFE or 0xFF.
//   - Negative values, -Inf and NaN give 0xFF in both modes: a scale has no
//     sign, and no power of two is a faithful stand-in for a negative one.
//   - An undefined Rounding or Overflow gives 0xFF.
func EncodeE8M0(x float64, r Rounding, o Overflow) E8M0 {
	if !r.valid() || !o.valid() || math.IsNaN(x) || x < 0 {
		return NaNE8M0
	}
	if math.IsInf(x, 1) {
		return above(o)
	}
	if x == 0 {
		if r == RoundUp {
			return 0x00
		}
		return below(o)
	}
	return clampExponent(roundExponent(x, r), r, o)
}

// roundExponent returns e such that 2^e is x rounded by r, on exponents
// without bounds. x is positive and finite.
func roundExponent(x float64, r Rounding) int {
	fraction, e := math.Frexp(x) // x = fraction * 2^e, fraction in [0.5, 1)
	e--
	fraction *= 2
	switch {
	case r == RoundUp && fraction > 1,
		r == RoundNearestAway && fraction >= 1.5,
		r == RoundNearestEven && fraction > 1.5,
		r == RoundNearestEven && fraction == 1.5 && (e+127)&1 != 0:
		e++
	}
	return e
}

func clampExponent(e int, r Rounding, o Overflow) E8M0 {
	switch {
	case e > 127 && r == RoundFloor:
		return 0xFE
	case e > 127:
		return above(o)
	case e < -127 && r == RoundUp:
		return 0x00
	case e < -127:
		return below(o)
	}
	return E8M0(e + 127)
}

func above(o Overflow) E8M0 {
	if o == Saturate {
		return 0xFE
	}
	return NaNE8M0
}

func below(o Overflow) E8M0 {
	if o == Saturate {
		return 0x00
	}
	return NaNE8M0
}
