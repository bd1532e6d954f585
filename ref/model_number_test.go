package ref_test

import "math/big"

// number is an IEEE value in full: a NaN, an infinity, or a rational with a
// sign that also zero has.
type number struct {
	nan, inf, neg bool
	mag           *big.Rat // the magnitude, unless nan or inf
}

var (
	ratZero = new(big.Rat)
	notANum = number{nan: true}
)

// pow2 is 2^e as a rational.
func pow2(e int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(2), big.NewInt(int64(max(e, -e))), nil)
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// signed is x's rational with its sign; it is zero for both zeros.
func (x number) signed() *big.Rat {
	if x.neg {
		return new(big.Rat).Neg(x.mag)
	}
	return x.mag
}

func (x number) isZero() bool { return !x.nan && !x.inf && x.mag.Sign() == 0 }

// fromRat gives a rational the sign that it has; zero is +0.
func fromRat(r *big.Rat) number {
	return number{neg: r.Sign() < 0, mag: new(big.Rat).Abs(r)}
}

// floating describes a binary floating-point format: how many fraction bits, and
// the exponents of the smallest and of the largest normal.
type floating struct{ fraction, minExp, maxExp int }

var (
	single = floating{23, -126, 127}
	brain  = floating{7, -126, 127}
	half   = floating{10, -14, 15}
	e8m13  = floating{13, -126, 127} // a float32 whose low ten bits are zero
)

// ilog2 is the largest e with 2^e <= r, for positive r, found by search.
func ilog2(r *big.Rat) int {
	e := r.Num().BitLen() - r.Denom().BitLen()
	for pow2(e).Cmp(r) > 0 {
		e--
	}
	for pow2(e+1).Cmp(r) <= 0 {
		e++
	}
	return e
}

// quotient divides a non-negative rational by 2^e into a whole number and a rest
// in units of 2^e.
func quotient(r *big.Rat, e int) (*big.Int, *big.Rat) {
	q := new(big.Rat).Quo(r, pow2(e))
	whole := new(big.Int).Quo(q.Num(), q.Denom())
	return whole, q.Sub(q, new(big.Rat).SetInt(whole))
}

// quantum is the exponent of the last place of f around magnitude r.
func (f floating) quantum(r *big.Rat) int {
	return max(ilog2(r), f.minExp) - f.fraction
}

func (f floating) overflowed(units *big.Int, quantum int) bool {
	v := new(big.Rat).SetInt(units)
	return v.Mul(v, pow2(quantum)).Cmp(pow2(f.maxExp+1)) >= 0
}

// nearest rounds to nearest, ties to even, once. Zero keeps its sign.
func (f floating) nearest(x number) number {
	if x.nan || x.inf || x.mag.Sign() == 0 {
		return x
	}
	q := f.quantum(x.mag)
	units, rest := quotient(x.mag, q)
	switch rest.Cmp(big.NewRat(1, 2)) {
	case 1:
		units.Add(units, big.NewInt(1))
	case 0:
		units.Add(units, new(big.Int).And(units, big.NewInt(1)))
	}
	return f.assemble(x.neg, units, q)
}

// truncated rounds toward zero; from 2^(maxExp+1) on it is infinite all the same.
func (f floating) truncated(x number) number {
	if x.nan || x.inf || x.mag.Sign() == 0 {
		return x
	}
	q := f.quantum(x.mag)
	units, _ := quotient(x.mag, q)
	return f.assemble(x.neg, units, q)
}

func (f floating) assemble(neg bool, units *big.Int, quantum int) number {
	if f.overflowed(units, quantum) {
		return number{inf: true, neg: neg}
	}
	v := new(big.Rat).SetInt(units)
	return number{neg: neg, mag: v.Mul(v, pow2(quantum))}
}

// single's bits, read by the definition of binary32.
func fromBits(b uint32) number {
	neg, exp, fraction := b>>31 == 1, int(b>>23&0xFF), int64(b&0x7FFFFF)
	switch {
	case exp == 0xFF && fraction != 0:
		return notANum
	case exp == 0xFF:
		return number{inf: true, neg: neg}
	case exp == 0:
		v := big.NewRat(fraction, 1)
		return number{neg: neg, mag: v.Mul(v, pow2(-149))}
	}
	v := big.NewRat(1<<23+fraction, 1)
	return number{neg: neg, mag: v.Mul(v, pow2(exp-150))}
}

// bits writes a number that binary32 holds; a NaN is 0x7FFFFFFF.
func (x number) bits() uint32 {
	var sign uint32
	if x.neg {
		sign = 1 << 31
	}
	switch {
	case x.nan:
		return 0x7FFFFFFF
	case x.inf:
		return sign | 0x7F800000
	case x.mag.Sign() == 0:
		return sign
	}
	e := max(ilog2(x.mag), -126)
	units, rest := quotient(x.mag, e-23)
	if rest.Sign() != 0 || units.BitLen() > 24 {
		panic("the model made a number that binary32 does not hold")
	}
	u := uint32(units.Uint64())
	if u < 1<<23 {
		return sign | u
	}
	return sign | uint32(e+127)<<23 | u&0x7FFFFF
}

// product is the exact product, with IEEE's rules for infinities and zeros.
func product(x, y number) number {
	if x.nan || y.nan || x.inf && y.isZero() || y.inf && x.isZero() {
		return notANum
	}
	neg := x.neg != y.neg
	if x.inf || y.inf {
		return number{inf: true, neg: neg}
	}
	return number{neg: neg, mag: new(big.Rat).Mul(x.mag, y.mag)}
}

// sum is the exact sum; -0 only where both are -0.
func sum(x, y number) number {
	switch {
	case x.nan || y.nan || x.inf && y.inf && x.neg != y.neg:
		return notANum
	case x.inf:
		return x
	case y.inf:
		return y
	}
	r := new(big.Rat).Add(x.signed(), y.signed())
	if r.Sign() == 0 {
		return number{neg: x.neg && y.neg && x.isZero() && y.isZero(), mag: ratZero}
	}
	return fromRat(r)
}

// The float32 operations of a recipe, each rounded once.
func mul32(x, y number) number    { return single.nearest(product(x, y)) }
func add32(x, y number) number    { return single.nearest(sum(x, y)) }
func fma32(x, y, z number) number { return single.nearest(sum(product(x, y), z)) }
