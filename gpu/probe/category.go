package probe

import (
	"math"
	"math/rand/v2"

	"blockfp8/scale"
)

// category is a kind of tiles that hurts. draw gets a tile of ordinary ones and
// changes it; it draws bits, never floats.
type category struct {
	name string
	draw func(rng *rand.Rand, t *tile)
}

// categories are the kinds of input with which the published models were found and
// confirmed.
var categories = [...]category{
	{"finite codes, normal c", func(*rand.Rand, *tile) {}},
	{"any codes, any c", func(rng *rand.Rand, t *tile) {
		t.eachCode(func(code *scale.E4M3) { *code = scale.E4M3(rng.Uint32()) })
		t.eachC(func() uint32 { return rng.Uint32() })
	}},
	{"bell curve, c zero", func(rng *rand.Rand, t *tile) {
		drawBell(rng, t)
		t.eachC(func() uint32 { return 0 })
	}},
	{"bell curve, c near", func(rng *rand.Rand, t *tile) {
		e := drawBell(rng, t)
		t.eachC(func() uint32 { return drawFloat(rng, e-24, e+24) })
	}},
	{"cancellation", drawCancellation},
	{"subnormal codes", func(rng *rand.Rand, t *tile) {
		t.eachCode(func(code *scale.E4M3) { *code = drawSign(rng) | scale.E4M3(rng.IntN(8)) })
		t.eachC(func() uint32 { return drawFloat(rng, -60, -5) })
	}},
	{"sparse extremes", drawExtremes},
	{"huge, infinite, NaN c", func(rng *rand.Rand, t *tile) {
		special := [...]uint32{0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0x7FFFFFFF, 0xFFFFFFFF}
		t.eachC(func() uint32 {
			if rng.IntN(5) < 2 {
				return special[rng.IntN(len(special))]
			}
			return drawFloat(rng, 90, 127)
		})
	}},
	{"random bits of c", func(rng *rand.Rand, t *tile) { t.eachC(func() uint32 { return rng.Uint32() }) }},
	{"signed zeros", drawZeros},
	{"largest products", func(rng *rand.Rand, t *tile) {
		signs := scale.E4M3(rng.Uint32() & 0x80)
		t.eachCode(func(code *scale.E4M3) { *code = 0x7E - scale.E4M3(rng.IntN(3)) | drawSign(rng)&signs })
		t.eachC(func() uint32 { return drawFloat(rng, 0, 30) })
	}},
	{"alignment boundary", func(rng *rand.Rand, t *tile) {
		fractions := [...]scale.E4M3{0, 1, 7}
		top := rng.IntN(16)
		t.eachCode(func(code *scale.E4M3) {
			*code = drawSign(rng) | min(scale.E4M3(rng.IntN(top+1))<<3|fractions[rng.IntN(3)], 0x7E)
		})
		t.eachC(func() uint32 { return drawFloat(rng, -20, 45) })
	}},
	{"tiny negatives, one large", func(rng *rand.Rand, t *tile) {
		large := rng.IntN(depth)
		t.eachRow(func(row *codes, isA bool) {
			for k := range row {
				if row[k] = scale.E4M3(1 + rng.IntN(31)); isA {
					row[k] |= 0x80
				}
			}
			if row[large] = 0x7E; !isA {
				row[large] = scale.E4M3(0x60 + rng.IntN(31))
			}
		})
		t.eachC(func() uint32 { return uint32(rng.IntN(2)) * drawFloat(rng, -20, 18) })
	}},
	{"subnormal c", func(rng *rand.Rand, t *tile) {
		keep := [...]int{0, 2, 100}[rng.IntN(3)]
		for m := range t.a {
			for k := range t.a[m] {
				if rng.IntN(100) >= keep {
					t.a[m][k] = 0
				}
			}
		}
		t.eachC(func() uint32 { return rng.Uint32()&(1<<31) | uint32(rng.IntN(1<<23)>>rng.IntN(23)) })
	}},
	{"subnormal times large", func(rng *rand.Rand, t *tile) {
		for m := range t.a {
			for k := range t.a[m] {
				t.a[m][k] = drawSign(rng) | scale.E4M3(rng.IntN(8))
			}
		}
		t.eachC(func() uint32 { return drawFloat(rng, -28, 6) })
	}},
	{"one NaN", drawNaN},
}

func drawSign(rng *rand.Rand) scale.E4M3 { return scale.E4M3(rng.Uint32()) & 0x80 }

func drawFinite(rng *rand.Rand) scale.E4M3 { return drawSign(rng) | scale.E4M3(rng.IntN(0x7F)) }

// drawFloat draws the bits of a normal float32 with an exponent in [lo, hi] and any
// fraction.
func drawFloat(rng *rand.Rand, lo, hi int) uint32 {
	return rng.Uint32()&0x807FFFFF | uint32(lo+rng.IntN(hi-lo+1)+127)<<23
}

// drawBell draws codes whose magnitudes lie around a common one, others becoming
// rare fast. It returns the exponent of a usual product.
func drawBell(rng *rand.Rand, t *tile) (exponent int) {
	middle := 16 + rng.IntN(88)
	t.eachCode(func(code *scale.E4M3) {
		spread := 0
		for bits := rng.Uint32(); bits != 0; bits &= bits - 1 {
			spread++
		}
		*code = drawSign(rng) | scale.E4M3(min(max(middle+2*spread-32, 0), 0x7E))
	})
	return 2 * (middle/8 - 7)
}

// drawCancellation draws products that cancel but for a few, and a c that is about
// minus what is left of them.
func drawCancellation(rng *rand.Rand, t *tile) {
	order := rng.Perm(depth)
	t.eachRow(func(row *codes, isA bool) {
		half := *row
		for i := range depth / 2 {
			row[order[i]], row[order[i+depth/2]] = half[i], half[i]
			if isA {
				row[order[i+depth/2]] ^= 0x80
			}
		}
	})
	for range rng.IntN(4) {
		k := rng.IntN(depth)
		for m := range t.a {
			t.a[m][k] = drawFinite(rng)
		}
	}
	jitter := rng.IntN(3) == 0
	for i := range t.c {
		left := math.Float32bits(float32(t.dot(i/columns, i%columns)))
		t.c[i] = left ^ 1<<31
		switch {
		case rng.IntN(5) == 0 || left == 0:
			t.c[i] = 0
		case jitter:
			t.c[i] += uint32(rng.IntN(5)) - 2
		}
	}
}

func drawExtremes(rng *rand.Rand, t *tile) {
	extremes := [...]scale.E4M3{0x7E, 0xFE, 0x01, 0x81, 0x78, 0x08, 0x88, 0x38, 0x07, 0x0F, 0x77}
	t.eachRow(func(row *codes, isA bool) {
		rare := 2
		if isA {
			rare = 7
		}
		for k := range row {
			if row[k] = drawSign(rng); rng.IntN(rare) == 0 {
				row[k] = extremes[rng.IntN(len(extremes))]
			}
		}
	})
	t.eachC(func() uint32 { return uint32(rng.IntN(2)) * drawFloat(rng, -30, 20) })
}

// drawZeros draws products that are all zero, of any sign or all negative, or that
// are but for two which cancel.
func drawZeros(rng *rand.Rand, t *tile) {
	kind := rng.IntN(4)
	t.eachRow(func(row *codes, isA bool) {
		switch {
		case isA:
			for k := range row {
				if row[k] = drawSign(rng); kind == 1 {
					row[k] = 0x80
				}
			}
			if kind == 0 {
				row[0] = drawFinite(rng)
				row[1] = row[0] ^ 0x80
			}
		case kind == 0:
			row[1] = row[0]
		case kind == 1:
			for k := range row {
				row[k] &= 0x7F
			}
		}
	})
	t.eachC(func() uint32 {
		if rng.IntN(10) < 7 {
			return rng.Uint32() & (1 << 31)
		}
		return drawFloat(rng, -126, -100)
	})
}

func drawNaN(rng *rand.Rand, t *tile) {
	zeros := rng.IntN(3) == 0
	t.eachRow(func(row *codes, isA bool) {
		if !isA && zeros {
			*row = codes{} // NaN times zero
		}
		if rng.IntN(6) == 0 {
			row[rng.IntN(depth)] = 0x7F | drawSign(rng)
		}
	})
	t.eachC(func() uint32 {
		if rng.IntN(8) == 0 {
			return 0xFFC12345
		}
		return drawFloat(rng, -10, 20)
	})
}
