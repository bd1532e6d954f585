package fuzz

import "math/rand/v2"

// weird scales over-draw what a scale should not be.
var (
	weirdE8M0 = []uint32{0x00, 0x00, 0x01, 0x34, 0x7F, 0xFE, 0xFF}
	weirdFP32 = []uint32{
		0x00000000, 0x80000000, 0x00000001, 0x00400000, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000,
		0x3F800001, 0x3F7FFFFF, 0x7F000000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345,
	}
)

// tameScales are around 1.
func (s Side) tameScales(rng *rand.Rand) {
	s.eachScale(func(int, int, uint32) uint32 { return s.tameScale(rng) })
}

func (s Side) tameScale(rng *rand.Rand) uint32 {
	if s.hasE8M0() {
		return 120 + uint32(rng.IntN(14))
	}
	return (119+uint32(rng.IntN(14)))<<23 | rng.Uint32()>>9
}

// wildScales are around 1, anything, tiny so that results underflow, or weird.
func (s Side) wildScales(rng *rand.Rand) {
	kind := rng.IntN(4)
	s.eachScale(func(int, int, uint32) uint32 {
		switch kind {
		case 0:
			return s.anyScale(rng)
		case 1:
			return s.smallScale(rng)
		case 2:
			return s.weirdScale(rng)
		}
		if rng.IntN(6) == 0 {
			return s.weirdScale(rng)
		}
		return s.tameScale(rng)
	})
}

// unset marks a float32 scale that was never loaded; a grid with one is refused.
const unset = 0xFF7FFFFF

func (s Side) anyScale(rng *rand.Rand) uint32 {
	if s.hasE8M0() {
		return rng.Uint32() & 0xFF
	}
	if bits := rng.Uint32(); bits != unset {
		return bits
	}
	return 0
}

// smallScale makes products of both sides lie around the smallest float32.
func (s Side) smallScale(rng *rand.Rand) uint32 {
	exponent := 48 + uint32(rng.IntN(16))
	if s.hasE8M0() {
		return exponent
	}
	return exponent<<23 | rng.Uint32()>>9
}

func (s Side) weirdScale(rng *rand.Rand) uint32 {
	if s.hasE8M0() {
		return weirdE8M0[rng.IntN(len(weirdE8M0))]
	}
	return weirdFP32[rng.IntN(len(weirdFP32))]
}

// distinctScales gives every block a power of two of its own, as far as there are
// some: any mix-up of blocks shows.
func (s Side) distinctScales(rng *rand.Rand) {
	order := rng.Perm(25)
	next := 0
	s.eachScale(func(int, int, uint32) uint32 {
		exponent := 115 + uint32(order[next%len(order)])
		next++
		if s.hasE8M0() {
			return exponent
		}
		return exponent << 23
	})
}
