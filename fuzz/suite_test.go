package fuzz_test

import (
	"testing"

	"blockfp8/fuzz"
	"blockfp8/ref"
	"blockfp8/scale"
)

// fast is the fast path of package ref under a family of recipes.
type fast struct {
	recipe func(blockK int, output scale.Format) ref.Recipe
	limits fuzz.Limits
}

func (f fast) Limits() fuzz.Limits { return f.limits }

func (f fast) Recipe(_, b ref.Operand, output scale.Format) (ref.Recipe, error) {
	return f.recipe(b.Grid().Layout().BlockCols, output), nil
}

func (f fast) Multiply(dst ref.Matrix, a, b ref.Operand, output scale.Format) error {
	if !b.Grid().IsSet() {
		return ref.MatMul(dst, a, b, ref.Exact(output)) // which says so
	}
	r, _ := f.Recipe(a, b, output)
	return ref.MatMul(dst, a, b, r)
}

// mma is the recipe of one scaled partial per block on a datapath.
func mma(d ref.Datapath) func(int, scale.Format) ref.Recipe {
	return func(blockK int, output scale.Format) ref.Recipe { return ref.F32ScaleMMA(d, blockK, output) }
}

// onlyE8M0 is what scales inside an MMA have to be.
var onlyE8M0 = fuzz.Limits{ScalesA: fuzz.E8M0Scales, ScalesB: fuzz.E8M0Scales}

// implementations are the fast path under recipes of all kinds.
var implementations = map[string]fast{
	"sm89":                {recipe: mma(ref.SM89)},
	"sm90mma":             {recipe: mma(ref.SM90MMA)},
	"sm90wgmma":           {recipe: mma(ref.SM90WGMMA)},
	"sm100":               {recipe: mma(ref.SM100)},
	"exact dots":          {recipe: mma(ref.ExactSum)},
	"exact":               {recipe: func(_ int, output scale.Format) ref.Recipe { return ref.Exact(output) }},
	"scales in the MMA":   {recipe: func(_ int, output scale.Format) ref.Recipe { return ref.UE8M0MX(output) }, limits: onlyE8M0},
	"scales first":        {recipe: scaled(ref.ProductFirst, 0)},
	"scales first, plain": {recipe: scaled(ref.ProductFirstUnfused, 0)},
	"three splits":        {recipe: scaled(ref.ActThenWeight, 3)},
}

func scaled(s ref.Scaling, splits int) func(int, scale.Format) ref.Recipe {
	return func(blockK int, output scale.Format) ref.Recipe {
		return ref.Recipe{Datapath: ref.SM120, KPerPartial: blockK, Scaling: s, Splits: splits, Output: output}
	}
}

// every is the step through a list: longer under -short, which is meant for the race
// detector.
func every(usual, short int) int {
	if testing.Short() {
		return short
	}
	return usual
}

// The default run, as it is for anyone.
func TestSuiteOnSM120(t *testing.T) { fuzz.Run(t, fast{recipe: mma(ref.SM120)}) }

func TestSuiteOnEveryRecipe(t *testing.T) {
	for name, impl := range implementations {
		t.Run(name, func(t *testing.T) { fuzz.RunWith(t, impl, fuzz.Options{Draws: 400}) })
	}
}
