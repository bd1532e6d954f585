package fuzz

import (
	"math"

	"blockfp8/ref"
)

// fewProducts is how much is computed one element at a time, the literal way. Of
// larger results that is done to some elements.
const (
	fewProducts  = 20_000
	someElements = 12
)

// expect returns what the oracle says. The fast and the literal half of package
// ref are held to each other on the way, so that the fast one can be examined too.
func expect(p Problem, r ref.Recipe) (ref.Matrix, error) {
	a, b, err := p.Operands()
	if err != nil {
		return ref.Matrix{}, err
	}
	c := ref.NewMatrix(a.Rows(), b.Rows())
	if c.Rows*c.Cols*a.K() <= fewProducts {
		return c, literally(c, a, b, r)
	}
	if err := ref.MatMul(c, a, b, r); err != nil {
		return c, err
	}
	for i := range someElements {
		m, n := pickElement(p, i)
		v, err := ref.Element(a, b, r, m, n)
		if err != nil {
			return c, err
		}
		c.Row(m)[n] = v // if they differ, the literal one is right
	}
	return c, nil
}

func literally(c ref.Matrix, a, b ref.Operand, r ref.Recipe) error {
	for m := range c.Rows {
		for n := range c.Cols {
			v, err := ref.Element(a, b, r, m, n)
			if err != nil {
				return err
			}
			c.Row(m)[n] = v
		}
	}
	return nil
}

// pickElement is the corners of C first, then elements that the problem chooses.
func pickElement(p Problem, i int) (m, n int) {
	rows, cols := p.A.Rows, p.B.Rows
	switch i {
	case 0:
		return 0, 0
	case 1:
		return rows - 1, cols - 1
	}
	at := mix(p.Choice + uint64(i))
	return int((at >> 32) % uint64(rows)), int((at & math.MaxUint32) % uint64(cols))
}

// mix scatters the bits of a number (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
