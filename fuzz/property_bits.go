package fuzz

import (
	"math"

	"blockfp8/ref"
	"blockfp8/scale"
)

// bits: the result is what the oracle gives under the recipe, in every bit.
func bits(x exam, p Problem) error {
	got, err := x.ask(p)
	if err != nil {
		return err
	}
	return right(p, got, "the result is not the recipe's")
}

func right(p Problem, got answer, what string) error {
	want, err := expect(p, got.recipe)
	if err != nil {
		return err
	}
	return compare(p, got.recipe, what, got.c, want)
}

// withinBound: the result is as close to the exact one as the recipe's error bound
// says. This asks nothing of the oracle but exact arithmetic.
func withinBound(x exam, p Problem) error {
	got, err := x.ask(p)
	if err != nil || got.c.Rows == 0 || got.c.Cols == 0 {
		return err
	}
	a, b, err := p.Operands()
	if err != nil {
		return err
	}
	for i := range someElements {
		m, n := pickElement(p, i)
		exact, err := ref.Element(a, b, ref.Exact(scale.Float32), m, n)
		if err != nil {
			return err
		}
		bound, err := bothBounds(a, b, got.recipe, m, n)
		if err != nil {
			return err
		}
		c := got.c.Row(m)[n]
		if math.IsInf(bound, 1) || math.Abs(float64(c)-float64(exact)) <= bound {
			continue
		}
		return withRecipe(violated(p, "C[%d,%d] is %g, %g exactly: farther away than the recipe's bound of %g", m, n, c, exact, bound), got.recipe)
	}
	return nil
}

// bothBounds adds the bound of the exact result's own rounding to that of r.
func bothBounds(a, b ref.Operand, r ref.Recipe, m, n int) (float64, error) {
	own, err := ref.Bound(a, b, ref.Exact(scale.Float32), m, n)
	if err != nil {
		return 0, err
	}
	bound, err := ref.Bound(a, b, r, m, n)
	return bound + own, err
}
