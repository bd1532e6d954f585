package ref_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
)

// checkFast multiplies into a guarded matrix and compares every element, or
// where there are too many some, with Element.
func checkFast(t testing.TB, rng *rand.Rand, p problem, some int) {
	t.Helper()
	c := newGuarded(rng, p.a.rows, p.b.rows)
	if err := ref.MatMul(c.Matrix, p.x, p.y, p.recipe); err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	c.intact(t, p)
	check := func(m, n int) {
		if got, want := c.Row(m)[n], mustElement(t, p, m, n); !sameBits(got, want) {
			t.Fatalf("%v: C[%d,%d] is %08x, Element says %08x", p, m, n, floatBits(got), floatBits(want))
		}
	}
	if c.Rows*c.Cols <= some {
		for i := range c.Rows * c.Cols {
			check(i/c.Cols, i%c.Cols)
		}
		return
	}
	check(0, 0)
	check(c.Rows-1, c.Cols-1)
	for range some {
		check(rng.IntN(c.Rows), rng.IntN(c.Cols))
	}
}

func TestMatMulIsElement(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 71))
	for range 2500 {
		checkFast(t, rng, drawProblem(t, rng, 1+rng.IntN(9), 1+rng.IntN(9), drawK(rng)), 100)
	}
}

// Sizes around the edges of strips (4 and 2 rows), steps (32), panels and tiles
// (128), and twice those.
func TestMatMulIsElementAtEdges(t *testing.T) {
	sizes := []int{1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 256, 257}
	for i, m := range sizes {
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(m), 9))
			for j, n := range sizes {
				k := sizes[(i+j+rng.IntN(2))%len(sizes)]
				checkFast(t, rng, drawProblem(t, rng, m, n, k), 400)
			}
		})
	}
}

// Every tail of K, with every datapath.
func TestMatMulIsElementForEveryK(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for k := 0; k <= 300; k++ {
		checkFast(t, rng, drawProblem(t, rng, 1+rng.IntN(6), 1+rng.IntN(6), k), 36)
	}
}

// K beyond what is real, to see that sums do not outgrow their integers: the
// largest codes, with one sign.
func TestMatMulIsElementForLongK(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, d := range ref.Datapaths() {
		r := ref.F32ScaleMMA(d, 1<<17, 0)
		switch {
		case d.TakesScales:
			r = ref.UE8M0MX(0)
		case d.Exact:
			r = ref.Exact(0)
		}
		k := 1<<17 + 33
		s := shape{rows: 2, k: k, br: 1, bk: 1 << 17, e8: true, tame: true}
		p := makeProblem(t, rng, s, s, r)
		for i := range p.a.codes {
			for k := range p.a.codes[i] {
				p.a.codes[i][k], p.b.codes[i][k] = 0x7E, 0x7E
			}
		}
		p.x, p.y = p.a.operand(t, rng), p.b.operand(t, rng)
		checkFast(t, rng, p, 4)
	}
}
