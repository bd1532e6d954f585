package fuzz

import (
	"sync"

	"blockfp8/ref"
)

// padding: how operands lie in memory, and what lies between, is no matter.
func padding(x exam, p Problem) error {
	before, err := x.ask(p)
	if err != nil {
		return err
	}
	q := p
	for _, s := range []*Side{&q.A, &q.B} {
		if s.Placement == (Placement{}) && !x.limits.Dense {
			s.Placement = Placement{CodePadding: 1 + int(p.Choice%16), ScalePadding: 3, Finite: p.Choice&16 != 0, ColMajor: p.Choice&32 != 0}
		} else {
			s.Placement = Placement{}
		}
	}
	after, err := x.ask(q)
	if err != nil {
		return err
	}
	if err := sameRecipe(q, "another placement in memory", after, before); err != nil {
		return err
	}
	return compare(q, after.recipe, "another placement in memory has other bits", after.c, before.c)
}

// repeats: the same call gives the same bits, also beside others.
func repeats(x exam, p Problem) error {
	first, err := x.ask(p)
	if err != nil {
		return err
	}
	again := make([]answer, 4)
	errs := make([]error, len(again))
	ask := func(i int) { again[i], errs[i] = x.ask(p) }
	if x.limits.Concurrent {
		inParallel(len(again), ask)
	} else {
		for i := range again {
			ask(i)
		}
	}
	for i, a := range again {
		if errs[i] != nil {
			return errs[i]
		}
		if err := compare(p, a.recipe, "the same call again has other bits", a.c, first.c); err != nil {
			return err
		}
	}
	return nil
}

func inParallel(n int, do func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { do(i) })
	}
	group.Wait()
}

// memory: what an operand's memory held before is forgotten: old scales and codes
// are never served.
func memory(x exam, p Problem) error {
	a, b, err := p.place()
	if err != nil {
		return err
	}
	if _, err := x.askIn(p, a, b); err != nil {
		return err
	}
	q := p.changed()
	a.fill(q.A)
	b.fill(q.B)
	got, err := x.askIn(q, a, b)
	if err != nil {
		return err
	}
	return right(q, got, "after the operands' memory was overwritten, the result is not the recipe's")
}

// changed is the problem with other numbers of the same shapes: other scales of B,
// other codes of B, or other scales of A.
func (p Problem) changed() Problem {
	q := p.clone()
	switch p.Choice % 3 {
	case 0:
		q.B.eachScale(func(_, _ int, bits uint32) uint32 { return q.B.another(bits) })
	case 1:
		q.B.eachCode(func(_, _ int, c byte) byte { return c ^ 0x80 })
	default:
		q.A.eachScale(func(_, _ int, bits uint32) uint32 { return q.A.another(bits) })
	}
	return q
}

// another is a scale with another value, other than unset.
func (s Side) another(bits uint32) uint32 {
	switch {
	case s.hasE8M0() && bits < 0xFE:
		return bits + 1
	case s.hasE8M0():
		return 0x7F
	}
	return bits ^ 1<<23
}

// keptWeights: a kept weight gives the bits of the operand that it was made of,
// then those of its update, and is an error once it is closed.
func keptWeights(x exam, p Problem) error {
	_, b, err := p.place()
	if err != nil {
		return err
	}
	var w Weight
	if err := guardPanic(p, "Keep", func() (err error) { w, err = x.impl.(Keeper).Keep(b.operand); return err }); err != nil {
		return err
	}
	q := p.changed()
	err = multiplyKept(x, p, w, "a kept weight")
	if err == nil {
		_, b, err = q.place()
	}
	if err == nil {
		err = guardPanic(q, "Update", func() error { return w.Update(b.operand) })
		b.fill(p.B) // the operand's memory is the caller's again
	}
	if err == nil {
		err = multiplyKept(x, q, w, "an updated weight")
	}
	if closing := guardPanic(p, "Close", w.Close); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return closedRefuses(p, w)
}

// multiplyKept multiplies a kept weight and compares with the oracle.
func multiplyKept(x exam, p Problem, w Weight, what string) error {
	a, b, err := p.place()
	if err != nil {
		return err
	}
	r, err := x.recipe(p, a.operand, b.operand)
	if err != nil {
		return err
	}
	c, err := x.watch(p, a, b, func(dst ref.Matrix) error { return w.Multiply(dst, a.operand, p.Output) })
	if err != nil {
		return err
	}
	return right(p, answer{recipe: r, c: c}, "the result of "+what+" is not the recipe's")
}

func closedRefuses(p Problem, w Weight) error {
	a, _, err := p.place()
	if err != nil {
		return err
	}
	g := newGuarded(p)
	if err := guardPanic(p, "Multiply of a closed weight", func() error { return w.Multiply(g.Matrix, a.operand, p.Output) }); isViolation(err) {
		return err
	} else if err == nil {
		return violated(p, "a closed weight multiplies")
	}
	return nil
}
