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

func TestSuiteOnSM120(t *testing.T) { fuzz.Run(t, fast{recipe: mma(ref.SM120)}) }
