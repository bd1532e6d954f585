package ref_test

import (
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// mutant is a wrong kernel: it makes a result from the right operands.
type mutant struct {
	name string
	make func(t *testing.T, p problem) ref.Matrix
}

// onResult is a kernel that is right up to its last step.
func onResult(name string, change func(v float32, f scale.Format) float32) mutant {
	return mutant{name, func(t *testing.T, p problem) ref.Matrix {
		c := multiply(t, p.x, p.y, p.recipe)
		for i, v := range c.Data {
			c.Data[i] = change(v, p.recipe.Output)
		}
		return c
	}}
}

// onScales is a kernel that takes B's scales from the wrong places.
func onScales(name string, wrong func(b plain, i, j int) uint32) mutant {
	return mutant{name, func(t *testing.T, p problem) ref.Matrix {
		b := p.b
		b.scales = make([][]uint32, len(p.b.scales))
		for i, row := range p.b.scales {
			for j := range row {
				b.scales[i] = append(b.scales[i], wrong(p.b, i, j))
			}
		}
		return multiply(t, p.x, b.operand(t, newRand()), p.recipe)
	}}
}

var mutants = []mutant{
	onResult("zero output", func(float32, scale.Format) float32 { return 0 }),
	onResult("negated", func(v float32, _ scale.Format) float32 { return -v }),
	onResult("gain of 1.05", func(v float32, f scale.Format) float32 { return f.Round(float64(v) * 1.05) }),
	onScales("last scale dropped", func(b plain, i, j int) uint32 {
		if j == len(b.scales[i])-1 {
			return unitScale(b)
		}
		return b.scales[i][j]
	}),
	onScales("grid transposed", func(b plain, i, j int) uint32 { return b.scales[j][i] }),
	onScales("next block of K", func(b plain, i, j int) uint32 { return b.scales[i][(j+1)%len(b.scales[i])] }),
	onScales("next block of N", func(b plain, i, j int) uint32 { return b.scales[(i+1)%len(b.scales)][j] }),
	onScales("scales of block 0 for all", func(b plain, _, _ int) uint32 { return b.scales[0][0] }),
	onScales("no scales", func(b plain, _, _ int) uint32 { return unitScale(b) }),
}

func unitScale(b plain) uint32 {
	if b.e8 {
		return 0x7F
	}
	return 0x3F800000
}

// mutantProblem has a square grid of scales that all differ, none of them 1, and
// codes of any sign.
func mutantProblem(t *testing.T, rng *rand.Rand, r ref.Recipe, bk int, e8 bool) problem {
	k := 3*bk - rng.IntN(bk-1) - 1
	a := shape{rows: 5, k: k, br: 1, bk: bk, e8: e8, tame: true}.draw(rng)
	b := shape{rows: 90, k: k, br: 32, bk: bk, e8: e8, tame: true}.draw(rng)
	for i := range a.codes {
		for j := range a.codes[i] {
			a.codes[i][j] = drawBell(rng, 0x38) | 1
		}
	}
	for i := range b.codes {
		for j := range b.codes[i] {
			b.codes[i][j] = drawBell(rng, 0x38) | 1
		}
	}
	for i, at := range rng.Perm(9) {
		s := []uint32{122, 123, 124, 125, 126, 128, 129, 130, 131}[at]
		if !e8 {
			s = s<<23 | rng.Uint32()&0x7FFFFF
		}
		b.scales[i/3][i%3] = s
	}
	p := problem{a: a, b: b, recipe: r}
	p.x, p.y = a.operand(t, rng), b.operand(t, rng)
	return p
}

// A comparison that cannot fail proves nothing. Every mutant must fail it, with every recipe, format and block size, and the
// right kernel must pass.
func TestCompareSeesMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 30))
	for _, bk := range []int{32, 128} {
		for _, r := range allRecipes() {
			if r.KPerPartial > 0 {
				r.KPerPartial = bk
			}
			for _, f := range formats {
				if brief() && f != formats[rng.IntN(3)] {
					continue
				}
				r.Output = f
				p := mutantProblem(t, rng, r, bk, r.Scaling == ref.InMMA || rng.IntN(2) == 0)
				right := multiply(t, p.x, p.y, r)
				want := modelMatrix(p)
				if report, err := ref.Compare(right, want, f); err != nil || !report.Equal() {
					t.Fatalf("the right kernel fails: %v, %v", report, err)
				}
				for _, m := range mutants {
					report, err := ref.Compare(m.make(t, p), right, f)
					if err != nil || report.Equal() {
						t.Errorf("%v: %s passes (%v)", p, m.name, err)
						continue
					}
					if report.MaxULP == 0 || len(report.First) == 0 {
						t.Errorf("%v: %s: no first difference in %+v", p, m.name, report)
					}
				}
			}
		}
	}
}

// modelMatrix is the first column by the models, the rest by Element.
func modelMatrix(p problem) ref.Matrix {
	c := ref.NewMatrix(p.a.rows, p.b.rows)
	for m := range c.Rows {
		for n := range c.Cols {
			if n == 0 {
				c.Row(m)[n] = bitsFloat(element(p.a, p.b, p.recipe, m, n).bits())
				continue
			}
			c.Row(m)[n], _ = ref.Element(p.x, p.y, p.recipe, m, n)
		}
	}
	return c
}

// One wrong row or one wrong element among many is seen, where
// a mean or a cosine over the matrix is blind.
func TestCompareFindsOneWrongElement(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 31))
	p := mutantProblem(t, rng, ref.Triton(ref.SM120, 128, scale.BFloat16), 128, true)
	right := multiply(t, p.x, p.y, p.recipe)
	for m := range right.Rows {
		for n := range right.Cols {
			wrong := multiply(t, p.x, p.y, p.recipe)
			wrong.Row(m)[n] = bitsFloat(floatBits(wrong.Row(m)[n]) ^ 1<<16)
			report, err := ref.Compare(wrong, right, scale.BFloat16)
			if err != nil || report.Different != 1 || report.First[0].M != m || report.First[0].N != n || report.MaxULP != 1 {
				t.Fatalf("[%d,%d]: %+v, %v", m, n, report, err)
			}
		}
	}
}
