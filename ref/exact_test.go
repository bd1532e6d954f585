package ref_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// powers makes operands of blocks of one element: term i is sign * 2^(as+bs).
type power struct{ sign, as, bs int }

func powers(terms []power) (a, b plain) {
	a, b = plain{rows: 1, k: len(terms), br: 1, bk: 1}, plain{rows: 1, k: len(terms), br: 1, bk: 1}
	a.codes, b.codes = make([][]byte, 1), make([][]byte, 1)
	a.scales, b.scales = make([][]uint32, 1), make([][]uint32, 1)
	for _, t := range terms {
		code := byte(one)
		if t.sign < 0 {
			code |= 0x80
		}
		a.codes[0], b.codes[0] = append(a.codes[0], code), append(b.codes[0], one)
		a.scales[0] = append(a.scales[0], number{mag: pow2(t.as)}.bits())
		b.scales[0] = append(b.scales[0], number{mag: pow2(t.bs)}.bits())
	}
	return a, b
}

// far is a term that no format can see beside 1, except at a tie.
var (
	farAbove = power{+1, -100, -100}
	farBelow = power{-1, -100, -100}
)

// A rounding to float32 before the one to bf16 or fp16, or a lost far term, gives
// another result in each of these.
func TestExactRoundsOnce(t *testing.T) {
	p := func(e int) power { return power{+1, e, 0} }
	n := func(e int) power { return power{-1, e, 0} }
	tests := []struct {
		what            string
		terms           []power
		f32, bf16, fp16 uint32
	}{
		{"1", []power{p(0)}, 0x3F800000, 0x3F800000, 0x3F800000},
		{"a tie of bf16, decided by 2^-30", []power{p(0), p(-8), p(-30)}, 0x3F808000, 0x3F810000, 0x3F808000},
		{"a tie of bf16, decided by 2^-200", []power{p(0), p(-8), farAbove}, 0x3F808000, 0x3F810000, 0x3F808000},
		{"a tie of bf16 to even, down", []power{p(0), p(-8)}, 0x3F808000, 0x3F800000, 0x3F808000},
		{"a tie of bf16 to even, up", []power{p(0), p(-7), p(-8)}, 0x3F818000, 0x3F820000, 0x3F818000},
		{"a tie of bf16, decided by -2^-200", []power{p(0), p(-7), p(-8), farBelow}, 0x3F818000, 0x3F810000, 0x3F818000},
		{"a tie of float32 to even, down", []power{p(0), p(-24)}, 0x3F800000, 0x3F800000, 0x3F800000},
		{"a tie of float32 to even, up", []power{p(0), p(-23), p(-24)}, 0x3F800002, 0x3F800000, 0x3F800000},
		{"a tie of float32, decided by 2^-200", []power{farAbove, p(-24), p(0)}, 0x3F800001, 0x3F800000, 0x3F800000},
		{"a tie of float32, decided by -2^-200", []power{p(0), farBelow, p(-23), p(-24)}, 0x3F800001, 0x3F800000, 0x3F800000},
		{"a tie of float32, decided by 2^-254", []power{p(0), p(-24), {+1, -127, -127}}, 0x3F800001, 0x3F800000, 0x3F800000},
		{"a tie of float32, decided by 2^-298", []power{p(0), p(-24), {+1, -149, -149}}, 0x3F800001, 0x3F800000, 0x3F800000},
		{"negative, decided by -2^-200", []power{n(0), n(-24), farBelow}, 0xBF800001, 0xBF800000, 0xBF800000},
		{"a tie of fp16 to even", []power{p(0), p(-11)}, 0x3F801000, 0x3F800000, 0x3F800000},
		{"a tie of fp16, decided by 2^-200", []power{p(0), p(-11), farAbove}, 0x3F801000, 0x3F800000, 0x3F802000},

		{"what cancellation leaves", []power{{+1, 50, 50}, {-1, 50, 50}, p(-120)}, 0x03800000, 0x03800000, 0},
		{"what cancellation leaves in between", []power{{+1, 120, 100}, p(-120), {-1, 100, 120}}, 0x03800000, 0x03800000, 0},
		{"beyond float32 and back", []power{{+1, 127, 127}, p(0), {-1, 127, 127}}, 0x3F800000, 0x3F800000, 0x3F800000},
		{"exact cancellation is +0", []power{n(3), p(3)}, 0, 0, 0},

		{"smallest float32", []power{p(-149)}, 0x00000001, 0, 0},
		{"half of it is a tie to 0", []power{{+1, -75, -75}}, 0, 0, 0},
		{"half of it and more", []power{{+1, -75, -75}, farAbove}, 0x00000001, 0, 0},
		{"one and a half of it is a tie to two", []power{p(-149), {+1, -75, -75}}, 0x00000002, 0, 0},
		{"one and a half of it and less", []power{p(-149), {+1, -75, -75}, farBelow}, 0x00000001, 0, 0},
		{"minus half of it is a tie to -0", []power{{-1, -75, -75}}, 0x80000000, 0x80000000, 0x80000000},
		{"the least of all terms", []power{{-1, -149, -149}}, 0x80000000, 0x80000000, 0x80000000},
		{"smallest bf16", []power{p(-133)}, 0x00010000, 0x00010000, 0},
		{"half of the smallest bf16 and more", []power{p(-134), farAbove}, 0x00008000, 0x00010000, 0},
		{"half of the smallest bf16", []power{p(-134)}, 0x00008000, 0, 0},
		{"half of the smallest fp16", []power{p(-25)}, 0x33000000, 0x33000000, 0},
		{"half of the smallest fp16 and more", []power{p(-25), farAbove}, 0x33000000, 0x33000000, 0x33800000},
		{"three halves of the smallest fp16", []power{p(-24), p(-25)}, 0x33C00000, 0x33C00000, 0x34000000},

		{"half a unit past the largest float32", []power{{+1, 64, 64}, n(103)}, 0x7F800000, 0x7F800000, 0x7F800000},
		{"less than half a unit past it", []power{{+1, 64, 64}, n(103), farBelow}, 0x7F7FFFFF, 0x7F800000, 0x7F800000},
		{"half a unit past the largest bf16", []power{{+1, 64, 64}, n(119)}, 0x7F7F8000, 0x7F800000, 0x7F800000},
		{"less than half a unit past it, bf16", []power{{+1, 64, 64}, n(119), farBelow}, 0x7F7F8000, 0x7F7F0000, 0x7F800000},
		{"65520 is infinite in fp16", []power{p(16), n(4)}, 0x477FF000, 0x47800000, 0x7F800000},
		{"less than 65520 is 65504", []power{p(16), n(4), farBelow}, 0x477FF000, 0x47800000, 0x477FE000},
		{"-2^254", []power{{-1, 127, 127}}, 0xFF800000, 0xFF800000, 0xFF800000},
	}
	for _, test := range tests {
		a, b := powers(test.terms)
		for i, want := range []uint32{test.f32, test.bf16, test.fp16} {
			r := ref.Exact(formats[i])
			if got := single11(t, a, b, r); floatBits(got) != want {
				t.Errorf("%s: %v: %08x, want %08x", test.what, formats[i], floatBits(got), want)
			}
			if got := element(a, b, r, 0, 0); got.bits() != want {
				t.Errorf("model: %s: %v: %08x, want %08x", test.what, formats[i], got.bits(), want)
			}
		}
	}
}

// The product of two full significands has 48 bits; all of them count.
func TestExactKeepsProductsOfScales(t *testing.T) {
	a := everywhere(one, 1, 2, 1, 1).withFP32([]uint32{0x3FFFFFFF, 0x407FFFFE})
	b := everywhere(one, 1, 2, 1, 1).withFP32([]uint32{0x3FFFFFFF, 0x3F800000})
	b.codes[0][1] = 0x80 | one
	// (2-2^-23)^2 - (4-2^-21) = 2^-46.
	if got := single11(t, a, b, ref.Exact(scale.Float32)); floatBits(got) != 0x28800000 {
		t.Errorf("%08x, want 28800000", floatBits(got))
	}
}

// The term of a block may have more bits than float64: 225/64 + 2^-18 times a
// product of 48 bits, in one block and taken away again in two others, leaves
// exactly the 2^-140 of the last.
func TestExactKeepsLongTerms(t *testing.T) {
	const s, u, far = 0x3FFFFFFF, 0x3FFFFFFD, 0x1C800000 // far is 2^-70
	for _, order := range [][4]int{{0, 1, 2, 3}, {3, 0, 1, 2}, {2, 1, 3, 0}, {1, 3, 0, 2}} {
		codesA := [4][2]byte{{0x3F, 0x01}, {0xBF, 0}, {0x81, 0}, {one, 0}}
		codesB := [4][2]byte{{0x3F, 0x01}, {0x3F, 0}, {0x01, 0}, {one, 0}}
		var as, bs []uint32
		for _, block := range order {
			as, bs = append(as, []uint32{s, s, s, far}[block]), append(bs, []uint32{u, u, u, far}[block])
		}
		a := plainOf(1, 8, 1, 2, func(_, k int) byte { return codesA[order[k/2]][k%2] }).withFP32(as)
		b := plainOf(1, 8, 1, 2, func(_, k int) byte { return codesB[order[k/2]][k%2] }).withFP32(bs)
		if got := floatBits(single11(t, a, b, ref.Exact(scale.Float32))); got != 0x00000200 {
			t.Errorf("order %v: %08x, want 00000200", order, got)
		}
	}
}

// nearTie draws terms that sum to the middle between two neighbours of a format,
// then perhaps a far term, and pairs of large terms that cancel.
func nearTie(rng *rand.Rand, f floating) (a, b plain) {
	a, b = plain{rows: 1, br: 1, bk: 1, codes: [][]byte{nil}, scales: [][]uint32{nil}}, plain{rows: 1, br: 1, bk: 1, codes: [][]byte{nil}, scales: [][]uint32{nil}}
	add := func(sign byte, as, bs uint32) {
		a.codes[0], b.codes[0] = append(a.codes[0], sign|one), append(b.codes[0], one)
		a.scales[0], b.scales[0] = append(a.scales[0], as), append(b.scales[0], bs)
	}
	sign := drawSign(rng)
	e := rng.IntN(200) - 100
	if f == half {
		e = rng.IntN(28) - 14
	}
	// A value of f, with its last bit set or not, and half of its last place.
	value := uint32(e+127)<<23 | rng.Uint32()&0x7FFFFF>>(23-f.fraction)<<(23-f.fraction)
	add(sign, value, 0x3F800000)
	add(sign, uint32(e-f.fraction-1+127)<<23, 0x3F800000)
	if rng.IntN(4) > 0 {
		add(drawSign(rng), uint32(1+rng.IntN(100))<<23|rng.Uint32()&0x7FFFFF, uint32(1+rng.IntN(100))<<23)
	}
	for range rng.IntN(4) {
		as, bs := uint32(100+rng.IntN(150))<<23|rng.Uint32()&0x7FFFFF, uint32(100+rng.IntN(150))<<23|rng.Uint32()&0x7FFFFF
		add(0x00, as, bs)
		add(0x80, bs, as)
	}
	k := len(a.codes[0])
	rng.Shuffle(k, func(i, j int) {
		a.codes[0][i], a.codes[0][j] = a.codes[0][j], a.codes[0][i]
		a.scales[0][i], a.scales[0][j] = a.scales[0][j], a.scales[0][i]
		b.scales[0][i], b.scales[0][j] = b.scales[0][j], b.scales[0][i]
	})
	a.k, b.k = k, k
	return a, b
}

func TestExactNearTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 28))
	for _, f := range formats {
		for range rounds(1500) {
			a, b := nearTie(rng, outputs[f])
			got, want := single11(t, a, b, ref.Exact(f)), element(a, b, ref.Exact(f), 0, 0)
			if !sameAs(got, want) {
				t.Fatalf("%v: scales %x and %x, codes %x: %08x, want %08x", f, a.scales, b.scales, a.codes, floatBits(got), want.bits())
			}
		}
	}
}

// Infinite, NaN, zero and negative scales follow IEEE arithmetic in every recipe
// that takes float32 scales: a dot is multiplied, then added.
func TestWeirdFP32Scales(t *testing.T) {
	const (
		inf, minusInf, nan = 0x7F800000, 0xFF800000, 0x7FC00000
		f1, minus2, minus0 = 0x3F800000, 0xC0000000, 0x80000000
	)
	ones := func(int) byte { return one }
	zeros := func(int) byte { return 0x80 }
	cancels := func(k int) byte { return one | byte(k%2)<<7 }
	minusOnes := func(int) byte { return 0x80 | one }
	tests := []struct {
		what   string
		code   func(k int) byte
		as, bs [2]uint32 // of two blocks of 32
		want   uint32
	}{
		{"infinite a", ones, [2]uint32{inf, f1}, [2]uint32{f1, f1}, inf},
		{"infinite b", ones, [2]uint32{f1, f1}, [2]uint32{f1, minusInf}, minusInf},
		{"infinite times negative", minusOnes, [2]uint32{inf, f1}, [2]uint32{minus2, f1}, inf},
		{"infinite times a zero dot", zeros, [2]uint32{inf, f1}, [2]uint32{f1, f1}, nan},
		{"infinite times a dot that cancels", cancels, [2]uint32{f1, f1}, [2]uint32{f1, inf}, nan},
		{"infinite times zero", ones, [2]uint32{inf, f1}, [2]uint32{0, f1}, nan},
		{"zero times infinite", ones, [2]uint32{minus0, f1}, [2]uint32{inf, f1}, nan},
		{"infinities of both signs", ones, [2]uint32{inf, minusInf}, [2]uint32{f1, f1}, nan},
		{"infinities of one sign", ones, [2]uint32{inf, minusInf}, [2]uint32{f1, minus2}, inf},
		{"NaN a", ones, [2]uint32{f1, nan}, [2]uint32{f1, f1}, nan},
		{"NaN b times a zero dot", zeros, [2]uint32{f1, f1}, [2]uint32{0xFFC12345, f1}, nan},
		{"zero mutes", ones, [2]uint32{0, f1}, [2]uint32{f1, f1}, 0x42000000},
		{"zero and -0 mute to +0", ones, [2]uint32{0, f1}, [2]uint32{minus2, minus0}, 0},
		{"negative scale of zeros is +0", zeros, [2]uint32{minus2, minus2}, [2]uint32{f1, f1}, 0},
		{"negative scales", ones, [2]uint32{minus2, f1}, [2]uint32{f1, minus2}, 0xC3000000},
		{"both negative", ones, [2]uint32{minus2, minus2}, [2]uint32{minus2, f1}, 0x42800000},
		{"subnormal scale", ones, [2]uint32{1, 0}, [2]uint32{f1, f1}, 0x00000020},
	}
	for _, test := range tests {
		code := func(_, k int) byte { return test.code(k) }
		a := plainOf(1, 64, 1, 32, code).withFP32(test.as[:])
		b := everywhere(one, 1, 64, 1, 32).withFP32(test.bs[:])
		for _, r := range recipesFor(32) {
			if r.Scaling == ref.InMMA {
				continue
			}
			for _, splits := range []int{1, 2} {
				if r.KPerPartial > 0 {
					r.Splits = splits
				}
				if got := single11(t, a, b, r); !sameBits(got, bitsFloat(test.want)) {
					t.Errorf("%s: %v: %08x, want %08x", test.what, r, floatBits(got), test.want)
				}
			}
		}
	}
}

// A block may be longer than any sum that is kept in one piece: an infinite
// scale multiplies the whole dot of its block, not pieces of it.
func TestInfiniteScaleOfLongBlock(t *testing.T) {
	const k = 1<<17 + 5
	for _, test := range []struct {
		what  string
		codes map[int]byte
		want  float32
	}{
		{"the dot's only term comes late", map[int]byte{k - 1: one}, float32(math.Inf(1))},
		{"pieces of both signs", map[int]byte{0: one, k - 1: 0x80 | 0x40}, float32(math.Inf(-1))},
		{"pieces that cancel", map[int]byte{0: one, k - 1: 0x80 | one}, float32(math.NaN())},
	} {
		a := plainOf(1, k, 1, k, func(_, i int) byte { return test.codes[i] }).withFP32([]uint32{0x7F800000})
		b := everywhere(one, 1, k, 1, k).withFP32([]uint32{0x3F800000})
		if got := single11(t, a, b, ref.Exact(scale.Float32)); !sameBits(got, test.want) {
			t.Errorf("%s: %g, want %g", test.what, got, test.want)
		}
	}
}

// Exact takes blocks of any size on both sides; where they do not line up, each
// product has its own pair of scales.
func TestExactWithBlocksThatDoNotLineUp(t *testing.T) {
	// a has 1, 2, 4 on blocks of 5, b has 1, 8, 64 on blocks of 7, K = 15:
	// 5*1*1 + 2*2*1 + 3*2*8 + 4*4*8 + 1*4*64.
	a := everywhere(one, 1, 15, 1, 5, []uint32{0x7F, 0x80, 0x81})
	b := everywhere(one, 1, 15, 1, 7, []uint32{0x7F, 0x82, 0x85})
	for _, f := range formats {
		got := single11(t, a, b, ref.Exact(f))
		want := map[scale.Format]float32{scale.Float32: 441, scale.BFloat16: 440, scale.Float16: 441}[f]
		if got != want {
			t.Errorf("%v: %g, want %g", f, got, want)
		}
	}
}
