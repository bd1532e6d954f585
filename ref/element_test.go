package ref_test

import (
	"math/rand/v2"
	"testing"
)

// Element against the models, over every recipe.
func TestElementIsTheModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	compared, normal, seen := 0, 0, map[string]int{}
	for range rounds(4000) {
		p := drawProblem(t, rng, 1+rng.IntN(5), 1+rng.IntN(5), drawK(rng))
		for range 2 {
			m, n := rng.IntN(p.a.rows), rng.IntN(p.b.rows)
			got, want := mustElement(t, p, m, n), element(p.a, p.b, p.recipe, m, n)
			if !sameAs(got, want) {
				t.Fatalf("%v: C[%d,%d] is %08x, want %08x", p, m, n, floatBits(got), want.bits())
			}
			compared++
			if !want.nan && !want.inf && want.mag.Cmp(pow2(-126)) >= 0 {
				normal++
			}
			seen[p.recipe.Datapath.Name+" "+p.recipe.Scaling.String()]++
		}
	}
	t.Log(compared, "elements,", normal, "of them normal:", seen)
	if normal < compared/2 {
		t.Errorf("only %d of %d elements are normal numbers", normal, compared)
	}
	if want := 4*7 + 1 + 1; len(seen) != want {
		t.Errorf("%d pairs of datapath and scaling, want %d", len(seen), want)
	}
}

// drawK draws tails on both sides of what is special: a step of 32, a panel or
// block of 128.
func drawK(rng *rand.Rand) int {
	if rng.IntN(2) == 0 {
		return 1 + rng.IntN(130)
	}
	return max(1, []int{31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 160, 191, 192, 255, 256, 257, 320}[rng.IntN(17)])
}
