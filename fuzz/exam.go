package fuzz

import (
	"errors"
	"fmt"
	"runtime/debug"

	"blockfp8/ref"
)

// exam puts problems to an implementation and watches what it does.
type exam struct {
	impl   Implementation
	limits Limits
}

// answer is what an implementation made of a problem.
type answer struct {
	recipe ref.Recipe
	c      ref.Matrix
}

// ask multiplies in fresh memory.
func (x exam) ask(p Problem) (answer, error) {
	a, b, err := p.place()
	if err != nil {
		return answer{}, err
	}
	return x.askIn(p, a, b)
}

// askIn multiplies operands in memory that holds the problem. The recipe must
// take them, or the problem is not for this implementation.
func (x exam) askIn(p Problem, a, b *storage) (answer, error) {
	r, err := x.recipe(p, a.operand, b.operand)
	if err != nil {
		return answer{}, err
	}
	c, err := x.watch(p, a, b, func(dst ref.Matrix) error {
		return x.impl.Multiply(dst, a.operand, b.operand, p.Output)
	})
	return answer{recipe: r, c: c}, withRecipe(err, r)
}

func (x exam) recipe(p Problem, a, b ref.Operand) (ref.Recipe, error) {
	var r ref.Recipe
	err := guardPanic(p, "Recipe", func() (err error) {
		r, err = x.impl.Recipe(a, b, p.Output)
		return err
	})
	switch {
	case isViolation(err) || errors.Is(err, ErrUnsupported):
		return r, err
	case err != nil:
		return r, violated(p, "Recipe fails: %v", err)
	case r.Output != p.Output:
		return r, violated(p, "the recipe %v has output %v", r, r.Output)
	}
	if err := r.Check(a, b); err != nil {
		return r, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return r, nil
}

// watch has a multiplication write into guarded memory, and sees whether it
// touched what it should not.
func (x exam) watch(p Problem, a, b *storage, multiply func(dst ref.Matrix) error) (ref.Matrix, error) {
	g := newGuarded(p)
	err := guardPanic(p, "Multiply", func() error { return multiply(g.Matrix) })
	switch {
	case isViolation(err) || errors.Is(err, ErrUnsupported):
		return ref.Matrix{}, err
	case err != nil:
		return ref.Matrix{}, violated(p, "Multiply fails: %v", err)
	}
	if err := g.intact(p); err != nil {
		return ref.Matrix{}, err
	}
	return g.Matrix, unchanged(p, a, b)
}

// unchanged tells whether operands still hold the problem.
func unchanged(p Problem, a, b *storage) error {
	x, y, err := p.place()
	if err != nil {
		return err
	}
	if !a.same(x) || !b.same(y) {
		return violated(p, "Multiply wrote to an operand")
	}
	return nil
}

// guardPanic turns a panic of an implementation into a violation.
func guardPanic(p Problem, what string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = violated(p, "%s panics: %v\n%s", what, r, debug.Stack())
		}
	}()
	return f()
}

func isViolation(err error) bool {
	var v *violation
	return errors.As(err, &v)
}

// withRecipe notes in a violation which recipe it is about.
func withRecipe(err error, r ref.Recipe) error {
	var v *violation
	if errors.As(err, &v) {
		v.recipe = r
	}
	return err
}

// compare is nil if two results are equal in every bit. The violation is
// explained against the problem's operands.
func compare(p Problem, r ref.Recipe, what string, got, want ref.Matrix) error {
	report, err := ref.Compare(got, want, p.Output)
	v := &violation{problem: p, recipe: r, reason: what, report: report}
	if err != nil {
		v.reason += ": " + err.Error()
		return v
	}
	if report.Equal() {
		return nil
	}
	a, b, err := p.Operands()
	if err != nil {
		return err
	}
	if err := v.report.Explain(a, b, r); err != nil {
		return err
	}
	return v
}
