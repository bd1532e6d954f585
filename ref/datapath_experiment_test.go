package ref_test

import (
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// drawDatapath draws any datapath that Check lets pass, real or not.
func drawDatapath(rng *rand.Rand) ref.Datapath {
	return ref.Datapath{
		Name:         "experiment",
		Grouping:     []ref.Grouping{ref.OneGroup, ref.Halves, ref.Interleaved}[rng.IntN(3)],
		FractionBits: 12 + rng.IntN(15), ResultBits: []int{1, 7, 10, 12, 13, 14, 22, 23}[rng.IntN(8)],
		ZeroExponent: []int{-100, -110, -126, -127, -132, -133, -134, -150}[rng.IntN(8)],
		AddsCLast:    rng.IntN(3) == 0, NormalizesSubnormals: rng.IntN(2) == 0,
		TakesScales: rng.IntN(3) == 0,
	}
}

// The one algorithm has to be right for datapaths one bit off a real chip too:
// they are what an unknown chip is compared with.
func TestDatapathExperiments(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range rounds(3000) {
		d := drawDatapath(rng)
		in := drawMMA(rng, rng.IntN(len(mmaCategories)))
		if got, want := run(t, d, in), chipOf(d).mma(in.a[:], in.b[:], in.sa, in.sb, in.c); got != want {
			t.Fatalf("%+v of %x: %08x, want %08x", d, in, got, want)
		}
	}
}

func TestMatMulOfExperimentsIsElement(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for range rounds(3000) {
		checkFast(t, rng, drawExperiment(t, rng), 64)
	}
}

func drawExperiment(t testing.TB, rng *rand.Rand) problem {
	r := ref.Recipe{Datapath: drawDatapath(rng), Output: scale.Float32}
	if r.Datapath.TakesScales {
		r.Scaling = ref.InMMA
	} else {
		r.KPerPartial, r.Scaling = 32<<rng.IntN(3), ref.ProductFirst
	}
	k := drawK(rng)
	s := shape{rows: 1 + rng.IntN(5), k: k, br: 1, bk: drawBlock(rng, r, k), e8: true, tame: rng.IntN(2) == 0}
	return makeProblem(t, rng, s, s, r)
}

// An exact datapath has no other fields: whatever they hold, it is ExactSum or an
// error.
func TestExactDatapathIgnoresTheRest(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	for range rounds(300) {
		d := drawDatapath(rng)
		d.Exact = true
		for _, r := range []ref.Recipe{
			{Datapath: d, Scaling: ref.Unrounded},
			{Datapath: d, Scaling: ref.InMMA},
			{Datapath: d, Scaling: ref.ActThenWeight, KPerPartial: 64},
		} {
			s := shape{rows: 5, k: 130, br: 1, bk: 64, e8: true, tame: true}
			p := makeProblem(t, rng, s, s, r)
			if r.Check(p.x, p.y) != nil {
				continue
			}
			checkFast(t, rng, p, 25)
			p.recipe.Datapath = ref.ExactSum
			want := mustElement(t, p, 4, 4)
			p.recipe = r
			if got := mustElement(t, p, 4, 4); !sameBits(got, want) {
				t.Fatalf("%+v: %08x, ExactSum says %08x", d, floatBits(got), floatBits(want))
			}
		}
	}
}
