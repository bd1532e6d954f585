package ref

import "math"

// exactPair adds the terms of an Unrounded element in two float64 and a bound
// for what they miss. Nearly always that decides the rounding; where it does not,
// round says so and exactSum has the last word.
type exactPair struct {
	hi, lo float64
	slack  float64 // at least |sum - (hi+lo)|
}

// add adds dot*2^-18*product. dot is below 2^53 and product, of two float32
// scales, has at most 48 bits: both are exact.
func (p *exactPair) add(dot int64, product float64) {
	x := float64(dot) * 0x1p-18
	term := x * product
	termErr := math.FMA(x, product, -term)
	hi, err := twoSum(p.hi, term)
	p.hi = hi
	if err == 0 && termErr == 0 {
		return
	}
	err, lost := twoSum(err, termErr)
	lo, lost2 := twoSum(p.lo, err)
	p.lo = lo
	if lost != 0 || lost2 != 0 {
		p.slack += math.Abs(lost) + math.Abs(lost2)
	}
}

// toOdd returns the sum rounded to odd, good for a later rounding by round, and
// false if slack leaves two roundings possible or something is not finite.
func (p *exactPair) toOdd(round func(float64) float32) (float64, bool) {
	if p.slack == 0 {
		sum := addToOdd(p.hi, p.lo)
		return sum, sum-sum == 0
	}
	// Doubled, and with a share of lo, for the roundings of these lines.
	slack := 2*p.slack + math.Abs(p.lo)*0x1p-50
	below, above := addToOdd(p.hi, p.lo-slack), addToOdd(p.hi, p.lo+slack)
	same := math.Float32bits(round(below)) == math.Float32bits(round(above))
	return below, same && below-below == 0
}
