package fuzz

import "blockfp8/ref"

// refusals: operands that do not fit are an error, and nothing is written.
func refusals(x exam, p Problem) error {
	a, b, err := p.place()
	if err != nil {
		return err
	}
	if _, err := x.askIn(p, a, b); err != nil { // only of problems that it takes
		return err
	}
	shorter := p.A.cols(0, 0)
	if p.A.K > 1 {
		shorter = p.A.cols(0, p.A.K-1)
	}
	otherK, err := shorter.place()
	if err != nil {
		return err
	}
	for _, wrong := range []struct {
		what       string
		a, b       ref.Operand
		rows, cols int
	}{
		{"A with another K than B", otherK.operand, b.operand, 0, 0},
		{"A without scales", ref.Operand{}, b.operand, 0, 0},
		{"B without scales", a.operand, ref.Operand{}, 0, 0},
		{"a result with a row too many", a.operand, b.operand, 1, 0},
		{"a result with a column too many", a.operand, b.operand, 0, 1},
	} {
		if p.A.K == 0 && wrong.what == "A with another K than B" {
			continue
		}
		if err := refused(x, p, wrong.what, wrong.a, wrong.b, wrong.rows, wrong.cols); err != nil {
			return err
		}
	}
	return nil
}

func refused(x exam, p Problem, what string, a, b ref.Operand, moreRows, moreCols int) error {
	q := p
	q.A.Rows, q.B.Rows = p.A.Rows+moreRows, p.B.Rows+moreCols
	g := newGuarded(q)
	err := guardPanic(p, "Multiply of "+what, func() error { return x.impl.Multiply(g.Matrix, a, b, p.Output) })
	switch {
	case isViolation(err):
		return err
	case err == nil:
		return violated(p, "%s is multiplied without an error", what)
	case !g.untouched():
		return violated(p, "%s is an error (%v), and yet something was written", what, err)
	}
	return nil
}
