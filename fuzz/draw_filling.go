package fuzz

import "math/rand/v2"

// fillings are the kinds of numbers that a problem may have. Those that find most
// stand more than once.
var fillings = []func(rng *rand.Rand, p Problem){
	ordinary, ordinary, wild, wild, distinct, distinct, atBoundary, atBoundary, atBoundary,
	cancelling, oneHot, zeroRows, withNaN,
}

func ordinary(rng *rand.Rand, p Problem) {
	for _, s := range []Side{p.A, p.B} {
		s.drawAny(rng)
		s.tameScales(rng)
	}
}

func wild(rng *rand.Rand, p Problem) {
	for _, s := range []Side{p.A, p.B} {
		s.drawAny(rng)
		s.wildScales(rng)
	}
	if rng.IntN(3) == 0 { // one wild side with a tame one: results stay numbers
		[]Side{p.A, p.B}[rng.IntN(2)].tameScales(rng)
	}
}

func distinct(rng *rand.Rand, p Problem) {
	plain := []flavour{func(*rand.Rand) byte { return one }, bell(one)}[rng.IntN(2)]
	for _, s := range []Side{p.A, p.B} {
		s.draw(rng, plain)
		s.distinctScales(rng)
	}
}

// withNaN has a NaN in some rows, now and then against nothing but zeros.
func withNaN(rng *rand.Rand, p Problem) {
	wild(rng, p)
	p.A.sprinkleNaN(rng)
	p.B.sprinkleNaN(rng)
	if zeros := rng.IntN(3); zeros < 2 {
		other := []Side{p.B, p.A}[zeros]
		other.eachCode(func(_, _ int, c byte) byte {
			if c&0x7F == 0x7F {
				return c
			}
			return c & 0x80
		})
	}
}

func zeroRows(rng *rand.Rand, p Problem) {
	wild(rng, p)
	p.A.sprinkleZeros(rng)
	p.B.sprinkleZeros(rng)
}

// cancelling makes pairs of products whose sum is 0 or close to it.
func cancelling(rng *rand.Rand, p Problem) {
	ordinary(rng, p)
	for _, row := range p.A.Codes {
		for k := 1; k < len(row); k += 2 {
			row[k] = row[k-1] ^ 0x80
			if rng.IntN(16) == 0 && row[k]&0x7F < 0x7E {
				row[k]++
			}
		}
	}
	for _, row := range p.B.Codes {
		for k := 1; k < len(row); k += 2 {
			row[k] = row[k-1]
		}
	}
}

// oneHot leaves one product per row of A and block of K.
func oneHot(rng *rand.Rand, p Problem) {
	wild(rng, p)
	p.B.drawAny(rng)
	for _, row := range p.A.Codes {
		for from := 0; from < len(row); from += p.A.BlockCols {
			block := row[from:min(from+p.A.BlockCols, len(row))]
			hot := rng.IntN(len(block))
			for k := range block {
				if k != hot {
					block[k] = 0
				}
			}
		}
	}
}

// atBoundary puts large products over small ones that reach just as far down as an
// MMA keeps: the number of its fraction bits decides the result. Often the large
// ones cancel, so that nothing else is left.
func atBoundary(rng *rand.Rand, p Problem) {
	p.A.tameScales(rng)
	p.B.tameScales(rng)
	const top = 16 // the exponent of the largest products
	keeps := []int{13, 13, 25, 25, 20}[rng.IntN(5)]
	every := []int{32, 16, 64, 128}[rng.IntN(4)] // a large pair in so many products
	first, cancels := rng.IntN(every-2), rng.IntN(3) > 0
	for k := range p.A.K {
		a, b := 8, 8
		if at := k % every; at != first && at != first+1 {
			a, b = splitExponent(rng, top-keeps+rng.IntN(4)-2)
		}
		p.A.column(rng, k, a)
		p.B.column(rng, k, b)
		if cancels && k > 0 && k%every == first+1 {
			for _, row := range p.A.Codes {
				row[k] = row[k-1] ^ 0x80
			}
			for _, row := range p.B.Codes {
				row[k] = row[k-1]
			}
		}
	}
}

// splitExponent finds exponents of two codes, -9 to 8, that add up to e.
func splitExponent(rng *rand.Rand, e int) (a, b int) {
	e = max(e, -18)
	lo, hi := max(-9, e-8), min(8, e+9)
	a = lo + rng.IntN(hi-lo+1)
	return a, e - a
}

// column gives every row a code of one binade at k; exponents below -6 are
// subnormals.
func (s Side) column(rng *rand.Rand, k, exponent int) {
	for _, row := range s.Codes {
		magnitude := byte(1) << max(0, exponent+9) // a subnormal's leading bit
		if exponent >= -6 {
			magnitude = byte(exponent+7)<<3 | byte(rng.IntN(8))
		}
		row[k] = sign(rng) | min(magnitude, 0x7E)
	}
}
