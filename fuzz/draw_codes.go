package fuzz

import "math/rand/v2"

// one is the code of 1.
const one = 0x38

// A flavour draws codes of one kind.
type flavour func(rng *rand.Rand) byte

var flavours = []flavour{
	finiteCode,
	bell(one),
	bell(0x60),
	subnormalCode,
	func(rng *rand.Rand) byte { return sign(rng) | 0x7E - byte(rng.IntN(3)) }, // the largest
	func(rng *rand.Rand) byte { return 0x7E - byte(rng.IntN(2)) },             // the largest, of one sign
	func(rng *rand.Rand) byte { return sign(rng) | byte(rng.IntN(16))<<3 },    // powers of two
	weirdCode,
	sparseCode,
}

func sign(rng *rand.Rand) byte { return byte(rng.Uint32()) & 0x80 }

func finiteCode(rng *rand.Rand) byte { return sign(rng) | byte(rng.IntN(0x7F)) }

func subnormalCode(rng *rand.Rand) byte { return sign(rng) | byte(rng.IntN(12)) }

var weirdCodes = []byte{0x00, 0x80, 0x01, 0x81, 0x07, 0x87, 0x08, 0x88, one, one | 0x80, 0x77, 0x78, 0x7E, 0xFE}

func weirdCode(rng *rand.Rand) byte { return weirdCodes[rng.IntN(len(weirdCodes))] }

func sparseCode(rng *rand.Rand) byte {
	if rng.IntN(8) > 0 {
		return sign(rng)
	}
	return finiteCode(rng)
}

// bell draws magnitudes around a code, those far away becoming rare: four dice
// are enough of a bell.
func bell(middle int) flavour {
	return func(rng *rand.Rand) byte {
		spread := rng.IntN(16) + rng.IntN(16) + rng.IntN(16) + rng.IntN(16) - 30
		return sign(rng) | byte(min(max(middle+spread, 0), 0x7E))
	}
}

// draw fills a side with codes of one flavour.
func (s Side) draw(rng *rand.Rand, f flavour) {
	s.eachCode(func(int, int, byte) byte { return f(rng) })
}

// drawAny fills a side with codes of some flavour.
func (s Side) drawAny(rng *rand.Rand) { s.draw(rng, flavours[rng.IntN(len(flavours))]) }

// sprinkleNaN puts a NaN into few rows, so that most elements are numbers.
func (s Side) sprinkleNaN(rng *rand.Rand) {
	for _, row := range s.Codes {
		if len(row) > 0 && rng.IntN(6) == 0 {
			row[rng.IntN(len(row))] = 0x7F | sign(rng)
		}
	}
}

// sprinkleZeros makes rows, or stretches of rows, zeros of both signs.
func (s Side) sprinkleZeros(rng *rand.Rand) {
	for _, row := range s.Codes {
		if len(row) == 0 || rng.IntN(3) > 0 {
			continue
		}
		from := rng.IntN(2) * rng.IntN(len(row))
		minus := byte(rng.IntN(2)) * 0x80
		for k := from; k < len(row); k++ {
			row[k] = minus
		}
	}
}
