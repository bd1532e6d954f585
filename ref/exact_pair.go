package ref

import "math"

// exactPair adds the terms of an Unrounded element in two float64 and a bound
// for what they miss. Nearly always that decides the rounding; where it does not,
// round says so and exactSum has the last word.
type exactPair struct {
	hi, lo float64
	lows   float64 // sum of the squares of what entered lo
}

// add adds dot*unit. unit, the product of two float32 scales and a power of two,
// is exact: it has at most 48 bits, at most 24 if one of the scales is a power of
// two (narrow).
func (p *exactPair) add(dot int64, unit float64, narrow bool) {
	switch {
	case uint64(dot+1<<53) > 1<<54:
		// More than float64 holds, of a block of more than 131,072 products.
		low := dot & (1<<32 - 1)
		p.addTerm(twoProduct(float64(dot-low), unit))
		p.addTerm(twoProduct(float64(low), unit))
	case narrow:
		p.addTerm(narrowProduct(dot, unit))
	default:
		p.addTerm(twoProduct(float64(dot), unit))
	}
}

// twoProduct returns RN(x*y) and its exact error.
func twoProduct(x, y float64) (product, err float64) {
	product = float64(x * y) // the conversion forbids fusing it into a sum
	return product, math.FMA(x, y, -product)
}

// narrowProduct is twoProduct for a dot below 2^53 and a unit of 24 bits, without an
// FMA, which amd64's baseline has to look for at run time: both halves of the dot
// times the unit are exact, and their sum's error is that of Dekker's fast sum.
func narrowProduct(dot int64, unit float64) (product, err float64) {
	low := dot & (1<<26 - 1)
	x, y := float64(float64(dot-low)*unit), float64(float64(low)*unit)
	product = x + y
	return product, y - (product - x)
}

// addTerm adds a term and its error.
func (p *exactPair) addTerm(term, termErr float64) {
	hi, err := twoSum(p.hi, term)
	low := err + termErr
	p.hi = hi
	p.lo += low
	p.lows += float64(low * low)
}

// toOdd returns the sum of the given number of terms rounded to odd, good for a
// later rounding by round, and false if what lo lost leaves two roundings possible
// or something is not finite.
func (p *exactPair) toOdd(terms int, round func(float64) float32) (float64, bool) {
	if p.lows == 0 {
		sum := addToOdd(p.hi, p.lo)
		return sum, sum-sum == 0
	}
	// By Cauchy and Schwarz the magnitudes that entered lo add up to at most the
	// root of 2*terms*lows. Each addition to lo, and each that made what is added,
	// loses at most 2^-53 of that; doubled for the roundings of lows itself and of
	// these lines.
	n := float64(4*terms + 4)
	slack := float64(n * math.Sqrt(n*p.lows) * 0x1p-52)
	below, above := addToOdd(p.hi, p.lo-slack), addToOdd(p.hi, p.lo+slack)
	same := math.Float32bits(round(below)) == math.Float32bits(round(above))
	return below, same && below-below == 0
}
