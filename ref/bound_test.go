package ref_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

func mustBound(t testing.TB, p problem, m, n int) float64 {
	t.Helper()
	v, err := ref.Bound(p.x, p.y, p.recipe, m, n)
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	if !(v >= 0) {
		t.Fatalf("%v: bound of C[%d,%d] is %g", p, m, n, v)
	}
	return v
}

// usedBound is |recipe - exact| over Bound, by the models' exact value. It fails
// the test above 1.
func usedBound(t testing.TB, p problem, m, n int) float64 {
	t.Helper()
	bound := mustBound(t, p, m, n)
	got, exact := fromBits(floatBits(mustElement(t, p, m, n))), exactElement(p.a, p.b, m, n)
	if math.IsInf(bound, 1) {
		return 0
	}
	if got.nan || got.inf || exact.nan || exact.inf {
		t.Fatalf("%v: bound of C[%d,%d] is %g, the result %08x", p, m, n, bound, got.bits())
	}
	off := new(big.Rat).Sub(got.signed(), exact.signed())
	if off.Abs(off).Cmp(new(big.Rat).SetFloat64(bound)) > 0 {
		f, _ := off.Float64()
		t.Fatalf("%v: C[%d,%d] is off by %g, the bound is %g", p, m, n, f, bound)
	}
	if bound == 0 {
		return 0
	}
	f, _ := off.Quo(off, new(big.Rat).SetFloat64(bound)).Float64()
	return f
}

func TestBoundHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	finite := 0
	for range rounds(4000) {
		p := drawProblem(t, rng, 2, 2, drawK(rng))
		m, n := rng.IntN(2), rng.IntN(2)
		usedBound(t, p, m, n)
		if !math.IsInf(mustBound(t, p, m, n), 1) {
			finite++
		}
	}
	if finite < rounds(4000)/2 {
		t.Errorf("only %d of %d bounds are finite", finite, rounds(4000))
	}
}

// The inputs that hurt an MMA, chained, with scales of 1 and with scales that put
// sums among the subnormals. Some must use a good part of the bound: a bound that
// nothing comes near proves nothing.
func TestBoundIsUsed(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, d := range ref.Datapaths() {
		if d.Exact {
			continue
		}
		worst := 0.0
		for range rounds(1200) {
			k := 32 * (1 + rng.IntN(4))
			a, b := everywhere(0, 1, k, 1, 128, []uint32{0x7F}), everywhere(0, 1, k, 1, 128, []uint32{0x7F})
			category := rng.IntN(len(mmaCategories))
			for from := 0; from < k; from += 32 {
				in := drawMMA(rng, category)
				copy(a.codes[0][from:], in.a[:])
				copy(b.codes[0][from:], in.b[:])
			}
			if rng.IntN(3) == 0 {
				s := uint32(127 - 140 + rng.IntN(20) + 60)
				a.scales, b.scales = [][]uint32{{s}}, [][]uint32{{127 - 60}}
			}
			r := ref.F32ScaleMMA(d, 128, scale.Float32)
			if d.TakesScales {
				r = ref.UE8M0MX(scale.Float32)
			}
			p := problem{a: a, b: b, recipe: r}
			p.x, p.y = a.operand(t, rng), b.operand(t, rng)
			worst = max(worst, usedBound(t, p, 0, 0))
		}
		t.Logf("%s: %.3f of the bound", d.Name, worst)
		if worst < 1.0/16 {
			t.Errorf("%s: no input uses more than %.4f of the bound", d.Name, worst)
		}
	}
}

// A bound that forgives a wrong scale or a gain of 5 % is of no use. Codes of one
// sign, so that nothing cancels.
func TestBoundSeesMistakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	for range rounds(40) {
		for _, r := range recipesFor(128) {
			r.Output = formats[rng.IntN(2)]
			a := plainOf(1, 512, 1, 128, func(int, int) byte { return 0x28 + byte(rng.IntN(0x18)) }, []uint32{0x7F, 0x7F, 0x7F, 0x7F})
			b := plainOf(1, 512, 1, 128, func(int, int) byte { return 0x28 + byte(rng.IntN(0x18)) }, []uint32{0x7F, 0x7F, 0x7F, 0x7F})
			p := problem{a: a, b: b, recipe: r}
			p.x, p.y = a.operand(t, rng), b.operand(t, rng)
			v, _ := exactElement(a, b, 0, 0).mag.Float64()
			if bound := mustBound(t, p, 0, 0); !(bound < 0.045*v) {
				t.Fatalf("%v: the bound %g of %g forgives a gain of 5 %%", r, bound, v)
			}
			usedBound(t, p, 0, 0)
		}
	}
}

// The exact recipe is off by half a last place at most: literal bounds, with room
// for a part in 2^40.
func TestBoundOfExact(t *testing.T) {
	for i, want := range []float64{0x1p-24, 0x1p-8, 0x1p-11} {
		a, b := everywhere(one, 1, 1, 1, 1, []uint32{0x7F}), everywhere(one, 1, 1, 1, 1, []uint32{0x7F})
		p := problem{a: a, b: b, recipe: ref.Exact(formats[i])}
		p.x, p.y = a.operand(t, newRand()), b.operand(t, newRand())
		if got := mustBound(t, p, 0, 0); got < want || got > want*(1+0x1p-39) {
			t.Errorf("%v: bound of 1 is %g, want %g", formats[i], got, want)
		}
	}
}

// Where nothing can be said the bound is infinite, not NaN and not an error.
func TestBoundIsInfinite(t *testing.T) {
	for _, test := range []struct {
		what   string
		code   byte
		as, bs uint32
	}{
		{"NaN code", 0x7F, 0x7F, 0x7F},
		{"NaN scale", one, 0xFF, 0x7F},
		{"NaN scale of zeros", 0, 0x7F, 0xFF},
		{"overflow", one, 0xFE, 0x81},
	} {
		a, b := everywhere(test.code, 1, 32, 1, 128, []uint32{test.as}), everywhere(one, 1, 32, 1, 128, []uint32{test.bs})
		for _, r := range allRecipes() {
			p := problem{a: a, b: b, recipe: r}
			p.x, p.y = a.operand(t, newRand()), b.operand(t, newRand())
			if got := mustBound(t, p, 0, 0); !math.IsInf(got, 1) {
				t.Errorf("%s: %v: bound %g", test.what, r, got)
			}
		}
	}
}
