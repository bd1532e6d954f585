package fuzz

import (
	"fmt"
	"math/rand/v2"

	"blockfp8/ref"
)

// batch: a row of C depends on its row of A only, whatever other rows there are.
func batch(x exam, p Problem) error {
	whole, err := x.ask(p)
	if err != nil || p.A.Rows == 0 {
		return err
	}
	rng := p.choices()
	for range 3 {
		from := rng.IntN(p.A.Rows)
		to := from + 1 + rng.IntN(2)*rng.IntN(p.A.Rows-from)
		q := p
		q.A = p.A.rows(from, to)
		if err := samePart(x, q, whole, fmt.Sprintf("rows %d to %d of A alone", from, to-1), from, 0); err != nil {
			return err
		}
	}
	return nil
}

// shards: the rows of B multiplied in parts give the parts of the whole, wherever
// they are cut.
func shards(x exam, p Problem) error {
	whole, err := x.ask(p)
	if err != nil || p.B.Rows == 0 {
		return err
	}
	cut := p.choices().IntN(p.B.Rows + 1)
	cut -= cut % x.limits.StepN
	if x.limits.WholeBlocks {
		cut -= cut % leastCommonMultiple(p.B.BlockRows, x.limits.StepN)
	}
	for _, ends := range [][2]int{{0, cut}, {cut, p.B.Rows}} {
		q := p
		q.B = p.B.rows(ends[0], ends[1])
		if err := samePart(x, q, whole, fmt.Sprintf("the shard from row %d of B to %d", ends[0], ends[1]), 0, ends[0]); err != nil {
			return err
		}
	}
	return nil
}

// samePart asks for a part of a problem and compares it with the whole's elements
// from (m, n) on. Parts outside the limits are left out.
func samePart(x exam, q Problem, whole answer, what string, m, n int) error {
	if !x.limits.take(q) {
		return nil
	}
	part, err := x.ask(q)
	if err != nil {
		return err
	}
	if err := sameRecipe(q, what, part, whole); err != nil {
		return err
	}
	return compare(q, part.recipe, what+" has other bits than in the whole", part.c, window(whole.c, m, n, q.A.Rows, q.B.Rows))
}

// window is the part of c of so many rows and columns from (m, n) on.
func window(c ref.Matrix, m, n, rows, cols int) ref.Matrix {
	w := ref.Matrix{Rows: rows, Cols: cols, Stride: c.Stride}
	if rows > 0 && cols > 0 {
		w.Data = c.Data[m*c.Stride+n : (m+rows-1)*c.Stride+n+cols]
	}
	return w
}

// order: rows of A and B in another order give elements in another order.
func order(x exam, p Problem) error {
	whole, err := x.ask(p)
	if err != nil {
		return err
	}
	rng := p.choices()
	rows, cols := p.A.shuffled(rng), p.B.shuffled(rng)
	q := p
	q.A, q.B = p.A.reordered(rows), p.B.reordered(cols)
	got, err := x.ask(q)
	if err != nil {
		return err
	}
	want := ref.NewMatrix(p.A.Rows, p.B.Rows)
	for i := range want.Rows {
		for j := range want.Cols {
			want.Row(i)[j] = whole.c.Row(rows[i])[cols[j]]
		}
	}
	return compare(q, got.recipe, "rows in another order have other bits", got.c, want)
}

// shuffled is an order of rows in which each stays with its scales.
func (s Side) shuffled(rng *rand.Rand) []int {
	order := make([]int, s.Rows)
	for i := range order {
		order[i] = i
	}
	if s.BlockRows == 1 {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		return order
	}
	for from := 0; from < s.Rows; {
		to := min(s.Rows, from+s.BlockRows-(s.RowOffset+from)%s.BlockRows)
		block := order[from:to]
		rng.Shuffle(len(block), func(i, j int) { block[i], block[j] = block[j], block[i] })
		from = to
	}
	return order
}
