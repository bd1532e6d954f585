package ref

import "math"

// exactPair adds the terms of an Unrounded element in two float64 and a bound
// for what they miss. Nearly always that decides the rounding; where it does not,
// round says so and exactSum has the last word.
type exactPair struct {
	hi, lo float64
	lows   float64 // sum of the squares of what entered lo
}

// add adds dot*2^-18*product. product, of two float32 scales, is exact: it has at
// most 48 bits. So is dot below 2^53; a longer one, of a block of more than
// 131,072 products, is added in two pieces.
func (p *exactPair) add(dot int64, product float64) {
	if uint64(dot+1<<53) > 1<<54 {
		low := dot & (1<<32 - 1)
		p.addExact(float64(dot-low), product)
		dot = low
	}
	p.addExact(float64(dot), product)
}

func (p *exactPair) addExact(dot, product float64) {
	x := dot * 0x1p-18
	term := float64(x * product) // the conversion forbids fusing it into a sum
	termErr := math.FMA(x, product, -term)
	hi, err := twoSum(p.hi, term)
	p.hi = hi
	p.lo += err + termErr
	p.lows += float64(err*err) + float64(termErr*termErr)
}

// toOdd returns the sum of the given number of terms rounded to odd, good for a
// later rounding by round, and
// false if what lo lost leaves two roundings possible or something is not finite.
func (p *exactPair) toOdd(terms int, round func(float64) float32) (float64, bool) {
	if p.lows == 0 {
		sum := addToOdd(p.hi, p.lo)
		return sum, sum-sum == 0
	}
	// By Cauchy and Schwarz the magnitudes that entered lo add up to at most the
	// root of 4*terms*lows. Each addition to lo, and each that made what is added,
	// loses at most 2^-53 of that; doubled for the roundings of lows itself and of
	// these lines.
	n := float64(4*terms + 4)
	slack := float64(n * math.Sqrt(n*p.lows) * 0x1p-52)
	below, above := addToOdd(p.hi, p.lo-slack), addToOdd(p.hi, p.lo+slack)
	same := math.Float32bits(round(below)) == math.Float32bits(round(above))
	return below, same && below-below == 0
}
