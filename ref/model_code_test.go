package ref_test

import "math/big"

// An E4M3 byte is S.EEEE.FFF with bias 7: (-1)^S * 2^(E-7) * (1+F/8) for E > 0,
// (-1)^S * 2^-6 * F/8 for E = 0; S.1111.111 is NaN and there is no infinity.
var e4m3Numbers = func() (t [256]number) {
	for b := range t {
		e, f := b>>3&15, int64(b&7)
		if e == 15 && f == 7 {
			t[b] = notANum
			continue
		}
		v := big.NewRat(f, 8)
		if e > 0 {
			v.Add(v, big.NewRat(1, 1))
			v.Mul(v, pow2(e-7))
		} else {
			v.Mul(v, pow2(-6))
		}
		t[b] = number{neg: b>>7 == 1, mag: v}
	}
	return t
}()

// e4m3Exponent is Exp of the numerics: the stored exponent, with that of the
// smallest normal for subnormals, or the true one where they are normalised.
func e4m3Exponent(b byte, normalised bool) int {
	if normalised {
		return ilog2(e4m3Numbers[b].mag)
	}
	return max(int(b>>3&15), 1) - 7
}

// scaleNumber is a scale's value: 2^(c-127) for an E8M0 code c, NaN for 0xFF.
func scaleNumber(c byte) number {
	if c == 0xFF {
		return notANum
	}
	return number{mag: pow2(int(c) - 127)}
}
