package ref_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// problem is one multiplication, plain for the models and laid out for the
// package.
type problem struct {
	a, b   plain
	x, y   ref.Operand
	recipe ref.Recipe
}

func (p problem) String() string {
	return fmt.Sprintf("%v, %d splits: A %v, B %v", p.recipe, p.recipe.Splits, p.x, p.y)
}

// drawProblem draws a recipe, then operands that it takes.
func drawProblem(t testing.TB, rng *rand.Rand, m, n, k int) problem {
	t.Helper()
	r := drawRecipe(rng)
	e8 := r.Scaling == ref.InMMA || rng.IntN(2) == 0
	a := shape{rows: m, k: k, br: 1, bk: drawBlock(rng, r, k), e8: e8}
	b := shape{rows: n, k: k, br: []int{1, 2, 7, 32, 128}[rng.IntN(5)], bk: drawBlock(rng, r, k), e8: e8}
	if rng.IntN(8) == 0 {
		b.e8 = r.Scaling == ref.InMMA || !e8
		a.br = 1 + rng.IntN(130)
	}
	a.tame = rng.IntN(5) < 2
	b.tame = a.tame
	a.off, b.off = rng.IntN(a.br), rng.IntN(b.br)*rng.IntN(2)
	return makeProblem(t, rng, a, b, r)
}

func makeProblem(t testing.TB, rng *rand.Rand, a, b shape, r ref.Recipe) problem {
	t.Helper()
	p := problem{a: a.draw(rng), b: b.draw(rng), recipe: r}
	p.x, p.y = p.a.operand(t, rng), p.b.operand(t, rng)
	return p
}

// drawRecipe draws from all that Check lets pass: every datapath with every
// scaling that it can have.
func drawRecipe(rng *rand.Rand) ref.Recipe {
	all := ref.Datapaths()
	r := ref.Recipe{Datapath: all[rng.IntN(len(all))], Output: []scale.Format{scale.Float32, scale.BFloat16, scale.Float16}[rng.IntN(3)]}
	switch {
	case r.Datapath.TakesScales:
		r.Scaling = ref.InMMA
	case r.Datapath.Exact && rng.IntN(3) > 0:
		r.Scaling = ref.Unrounded
	default:
		r.Scaling = []ref.Scaling{ref.ActThenWeight, ref.ActThenWeightUnfused, ref.ProductFirst, ref.ProductFirstUnfused}[rng.IntN(4)]
		r.KPerPartial = []int{32, 32, 64, 96, 128, 128, 256}[rng.IntN(7)]
		if r.Datapath.Exact {
			r.KPerPartial += rng.IntN(2) * rng.IntN(9)
		}
		r.Splits = []int{0, 0, 1, 2, 3, 7}[rng.IntN(6)]
	}
	return r
}

// drawBlock draws a block length along K that a recipe allows.
func drawBlock(rng *rand.Rand, r ref.Recipe, k int) int {
	switch unit := r.KPerPartial; {
	case rng.IntN(8) == 0:
		return max(1, k) + rng.IntN(9) // one block, of any length
	case r.Scaling == ref.Unrounded:
		return []int{1, 3, 32, 33, 48, 128, 128}[rng.IntN(7)]
	case r.Scaling == ref.InMMA:
		return []int{32, 32, 64, 96, 128}[rng.IntN(5)]
	default:
		return unit * []int{1, 1, 1, 2, 3}[rng.IntN(5)]
	}
}

func bitsFloat(b uint32) float32 { return math.Float32frombits(b) }
func floatBits(v float32) uint32 { return math.Float32bits(v) }

// sameAs compares a result with a model's, NaN by class.
func sameAs(got float32, want number) bool {
	if want.nan {
		return got != got
	}
	return math.Float32bits(got) == want.bits()
}

func mustElement(t testing.TB, p problem, m, n int) float32 {
	t.Helper()
	v, err := ref.Element(p.x, p.y, p.recipe, m, n)
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	return v
}

const guard = 0x7FEBCDEF // a NaN that nothing here computes

// guarded is a matrix in the middle of guard words, with some between its rows.
type guarded struct {
	ref.Matrix
	all []float32
}

func newGuarded(rng *rand.Rand, rows, cols int) guarded {
	stride, before := cols+rng.IntN(2)*rng.IntN(9), rng.IntN(5)
	stride = max(stride, 1)
	n := 0
	if rows > 0 && cols > 0 {
		n = (rows-1)*stride + cols
	}
	all := make([]float32, before+n+1+rng.IntN(9))
	for i := range all {
		all[i] = bitsFloat(guard)
	}
	return guarded{ref.Matrix{Rows: rows, Cols: cols, Stride: stride, Data: all[before : before+n]}, all}
}

// intact fails the test if anything but elements was written, or an element was
// not.
func (g guarded) intact(t testing.TB, what fmt.Stringer) {
	t.Helper()
	kept := 0
	for _, v := range g.all {
		if floatBits(v) == guard {
			kept++
		}
	}
	if want := len(g.all) - g.Rows*g.Cols; kept != want {
		t.Fatalf("%v: %d guard words left, want %d", what, kept, want)
	}
}
