package ref_test

import (
	"math/bits"
	"math/rand/v2"
)

// mmaInput is what one MMA takes, as bits.
type mmaInput struct {
	a, b   [32]byte
	sa, sb byte
	c      uint32
}

// mmaCategories are inputs that hurt. They draw bits, never floats.
var mmaCategories = []struct {
	name string
	draw func(rng *rand.Rand) mmaInput
}{
	{"finite bytes, normal c", func(rng *rand.Rand) mmaInput { return finiteInput(rng) }},
	{"any bytes, any c", func(rng *rand.Rand) (in mmaInput) {
		for k := range 32 {
			in.a[k], in.b[k] = byte(rng.Uint32()), byte(rng.Uint32())
		}
		in.c = rng.Uint32()
		return in
	}},
	{"bell curve, c zero", func(rng *rand.Rand) mmaInput { return bellInput(rng) }},
	{"bell curve, c near", func(rng *rand.Rand) mmaInput {
		in := bellInput(rng)
		in.c = drawC(rng, -24, 25)
		return in
	}},
	{"cancellation", func(rng *rand.Rand) mmaInput {
		in := finiteInput(rng)
		for k := range 16 {
			in.a[k+16], in.b[k+16] = in.a[k]^0x80, in.b[k]
		}
		for range rng.IntN(4) {
			in.a[rng.IntN(32)] = drawFinite(rng)
		}
		rng.Shuffle(32, func(i, j int) {
			in.a[i], in.a[j] = in.a[j], in.a[i]
			in.b[i], in.b[j] = in.b[j], in.b[i]
		})
		// c is about minus the products' sum, so that little remains.
		left := fromRat(ratZero)
		for k := range 32 {
			left = sum(left, product(e4m3Numbers[in.a[k]], e4m3Numbers[in.b[k]]))
		}
		in.c = single.nearest(left).bits() ^ 1<<31
		if rng.IntN(3) == 0 && !left.isZero() {
			in.c += uint32(rng.IntN(5)) - 2
		}
		if rng.IntN(5) == 0 {
			in.c = 0
		}
		return in
	}},
	{"subnormal codes", func(rng *rand.Rand) (in mmaInput) {
		for k := range 32 {
			in.a[k], in.b[k] = drawSign(rng)|byte(rng.IntN(8)), drawSign(rng)|byte(rng.IntN(8))
		}
		in.c = drawC(rng, -60, -5)
		return in
	}},
	{"sparse extremes", func(rng *rand.Rand) (in mmaInput) {
		extremes := []byte{0x7E, 0xFE, 0x01, 0x81, 0x78, 0x08, 0x88, 0x38, 0x07, 0x0F, 0x77}
		for k := range 32 {
			in.a[k], in.b[k] = drawSign(rng), drawSign(rng)
			if rng.IntN(7) == 0 {
				in.a[k] = extremes[rng.IntN(len(extremes))]
			}
			if rng.IntN(2) == 0 {
				in.b[k] = extremes[rng.IntN(len(extremes))]
			}
		}
		if rng.IntN(2) == 0 {
			in.c = drawC(rng, -30, 20)
		}
		return in
	}},
	{"huge, infinite and NaN c", func(rng *rand.Rand) mmaInput {
		in := finiteInput(rng)
		special := []uint32{0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0x7FFFFFFF, 0xFFFFFFFF}
		if in.c = drawC(rng, 90, 127); rng.IntN(5) < 2 {
			in.c = special[rng.IntN(len(special))]
		}
		return in
	}},
	{"random bits of c", func(rng *rand.Rand) mmaInput {
		in := finiteInput(rng)
		in.c = rng.Uint32()
		return in
	}},
	{"signed zeros", func(rng *rand.Rand) mmaInput {
		in := finiteInput(rng)
		for k := range 32 {
			in.a[k] = drawSign(rng)
		}
		switch rng.IntN(4) {
		case 0: // two products that cancel
			in.a[0] = drawFinite(rng)
			in.a[1], in.b[1] = in.a[0]^0x80, in.b[0]
		case 1: // all products are -0
			for k := range 32 {
				in.a[k], in.b[k] = 0x80, in.b[k]&0x7F
			}
		}
		if in.c = drawC(rng, -126, -100); rng.IntN(10) < 7 {
			in.c = rng.Uint32() & (1 << 31)
		}
		return in
	}},
	{"largest products", func(rng *rand.Rand) (in mmaInput) {
		mixed := rng.IntN(2) == 0
		for k := range 32 {
			in.a[k], in.b[k] = 0x7E-byte(rng.IntN(3)), 0x7E-byte(rng.IntN(3))
			if mixed {
				in.a[k] |= drawSign(rng)
			}
		}
		in.c = drawC(rng, 0, 30)
		return in
	}},
	{"alignment boundary", func(rng *rand.Rand) (in mmaInput) {
		fractions := []byte{0, 1, 7}
		top := rng.IntN(16)
		for k := range 32 {
			in.a[k] = drawSign(rng) | byte(rng.IntN(top+1))<<3 | fractions[rng.IntN(3)]
			in.b[k] = drawSign(rng) | byte(rng.IntN(15))<<3 | fractions[rng.IntN(3)]
			if in.a[k]&0x7F == 0x7F {
				in.a[k]--
			}
		}
		in.c = drawC(rng, -20, 45)
		return in
	}},
	{"tiny negatives under one large", func(rng *rand.Rand) (in mmaInput) {
		for k := range 32 {
			in.a[k], in.b[k] = 0x80|byte(1+rng.IntN(31)), byte(1+rng.IntN(31))
		}
		k := rng.IntN(32)
		in.a[k], in.b[k] = 0x7E, byte(0x60+rng.IntN(31))
		if rng.IntN(2) == 0 {
			in.c = drawC(rng, -20, 18)
		}
		return in
	}},
	{"subnormal c", func(rng *rand.Rand) mmaInput {
		in := finiteInput(rng)
		keep := []int{0, 2, 100}[rng.IntN(3)]
		for k := range 32 {
			if rng.IntN(100) >= keep {
				in.a[k] = 0
			}
		}
		in.c = rng.Uint32()&(1<<31) | uint32(rng.IntN(1<<23)>>rng.IntN(23))
		return in
	}},
	{"subnormal times large", func(rng *rand.Rand) (in mmaInput) {
		for k := range 32 {
			in.a[k], in.b[k] = drawSign(rng)|byte(rng.IntN(8)), drawSign(rng)|byte(rng.IntN(0x7F))
		}
		in.c = drawC(rng, -28, 6)
		return in
	}},
	{"one NaN", func(rng *rand.Rand) mmaInput {
		in := finiteInput(rng)
		if rng.IntN(3) == 0 {
			in.b = [32]byte{} // NaN times zero
		}
		if rng.IntN(2) == 0 {
			in.a[rng.IntN(32)] = 0x7F | drawSign(rng)
		} else {
			in.b[rng.IntN(32)] = 0x7F | drawSign(rng)
		}
		if rng.IntN(5) == 0 {
			in.c = 0xFFC12345
		}
		return in
	}},
}

// drawMMA draws an input of a category with scales around 1, equal to 1, around
// the ends of float32, or any.
func drawMMA(rng *rand.Rand, category int) mmaInput {
	in := mmaCategories[category].draw(rng)
	switch rng.IntN(10) {
	case 0, 1, 2, 3:
		in.sa, in.sb = byte(110+rng.IntN(35)), byte(110+rng.IntN(35))
	case 4:
		in.sa, in.sb = 0x7F, 0x7F
	case 5: // products around the smallest subnormal
		in.sa = byte(rng.IntN(128))
		in.sb = byte(max(0, 254-149-int(in.sa)+rng.IntN(24)-16))
		if rng.IntN(2) == 0 {
			in.c = 0
		}
	case 6: // the weird codes
		weird := []byte{0x00, 0x01, 0x7F, 0xFE, 0xFF}
		in.sa, in.sb = weird[rng.IntN(5)], weird[rng.IntN(5)]
	default:
		in.sa, in.sb = byte(rng.Uint32()), byte(rng.Uint32())
	}
	return in
}

func drawSign(rng *rand.Rand) byte { return byte(rng.Uint32()) & 0x80 }

func drawFinite(rng *rand.Rand) byte { return drawSign(rng) | byte(rng.IntN(0x7F)) }

// drawC draws a float32 with an exponent in [lo, hi] and any fraction.
func drawC(rng *rand.Rand, lo, hi int) uint32 {
	return rng.Uint32()&0x807FFFFF | uint32(lo+rng.IntN(hi-lo+1)+127)<<23
}

func finiteInput(rng *rand.Rand) (in mmaInput) {
	for k := range 32 {
		in.a[k], in.b[k] = drawFinite(rng), drawFinite(rng)
	}
	in.c = drawC(rng, -10, 20)
	return in
}

// bellInput draws codes whose magnitudes lie around a common one, larger ones
// becoming rare fast.
func bellInput(rng *rand.Rand) (in mmaInput) {
	middle := 16 + rng.IntN(88)
	for k := range 32 {
		in.a[k], in.b[k] = drawBell(rng, middle), drawBell(rng, middle)
	}
	return in
}

func drawBell(rng *rand.Rand, middle int) byte {
	spread := bits.OnesCount32(rng.Uint32()) - 16
	return drawSign(rng) | byte(min(max(middle+2*spread, 0), 0x7E))
}
