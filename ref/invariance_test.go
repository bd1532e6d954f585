package ref_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"blockfp8/ref"
)

// multiply multiplies into a dense matrix.
func multiply(t testing.TB, x, y ref.Operand, r ref.Recipe) ref.Matrix {
	t.Helper()
	c := ref.NewMatrix(x.Rows(), y.Rows())
	if err := ref.MatMul(c, x, y, r); err != nil {
		t.Fatalf("%v: %v", r, err)
	}
	return c
}

// sameMatrix compares in every bit, NaN by class.
func sameMatrix(t testing.TB, what string, p problem, got, want ref.Matrix) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%s: [%d,%d] against [%d,%d]", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	for m := range got.Rows {
		for n := range got.Cols {
			if !sameBits(got.Row(m)[n], want.Row(m)[n]) {
				t.Fatalf("%s: %v: C[%d,%d] is %x, want %x", what, p, m, n, got.Row(m)[n], want.Row(m)[n])
			}
		}
	}
}

// part is a window on rows [m0,m1) and columns [n0,n1).
func part(c ref.Matrix, m0, m1, n0, n1 int) ref.Matrix {
	p := ref.Matrix{Rows: m1 - m0, Cols: n1 - n0, Stride: c.Stride}
	if p.Rows > 0 && p.Cols > 0 {
		p.Data = c.Data[m0*c.Stride+n0 : (m1-1)*c.Stride+n1]
	}
	return p
}

func TestCoresDoNotMatter(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rng := rand.New(rand.NewPCG(1, 10))
	for range rounds(24) {
		p := drawProblem(t, rng, 1+rng.IntN(200), 1+rng.IntN(200), drawK(rng))
		runtime.GOMAXPROCS(1)
		want := multiply(t, p.x, p.y, p.recipe)
		for _, cores := range []int{2, 3, 16, 61} {
			runtime.GOMAXPROCS(cores)
			sameMatrix(t, "other number of cores", p, multiply(t, p.x, p.y, p.recipe), want)
		}
	}
}

// A row alone, a few rows, and all rows: the same bits.
func TestBatchDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 11))
	for range 60 {
		p := drawProblem(t, rng, 64, 1+rng.IntN(40), drawK(rng))
		all := multiply(t, p.x, p.y, p.recipe)
		for range 6 {
			from := rng.IntN(64)
			to := min(64, from+1+rng.IntN(3)*rng.IntN(20))
			x, err := p.x.SliceRows(from, to)
			if err != nil {
				t.Fatal(err)
			}
			sameMatrix(t, "fewer rows of A", p, multiply(t, x, p.y, p.recipe), part(all, from, to, 0, p.b.rows))
		}
	}
}

// Shards of B's rows, cut anywhere, also inside blocks and twice.
func TestShardsOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 12))
	for range rounds(300) {
		n := 2 + rng.IntN(150)
		p := drawProblem(t, rng, 1+rng.IntN(5), n, drawK(rng))
		all := multiply(t, p.x, p.y, p.recipe)
		cut := rng.IntN(n + 1)
		for _, ends := range [][2]int{{0, cut}, {cut, n}} {
			y, err := p.y.SliceRows(ends[0], ends[1])
			if err != nil {
				t.Fatal(err)
			}
			sameMatrix(t, "shard", p, multiply(t, p.x, y, p.recipe), part(all, 0, p.a.rows, ends[0], ends[1]))
			if again := rng.IntN(y.Rows() + 1); again > 0 {
				z, err := y.SliceRows(again-1, y.Rows())
				if err != nil {
					t.Fatal(err)
				}
				sameMatrix(t, "shard of a shard", p, multiply(t, p.x, z, p.recipe), part(all, 0, p.a.rows, ends[0]+again-1, ends[1]))
			}
		}
	}
}

// A recipe with splits is the sum, in order, of the recipe without on shards of K.
func TestShardsOfK(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 13))
	for _, splits := range []int{2, 3, 5} {
		for _, partials := range []int{1, 2, 3, 4, 5, 6, 7, 11} {
			k := 64*partials - rng.IntN(64)
			r := ref.Recipe{Datapath: ref.SM120, KPerPartial: 64, Splits: splits}
			s := shape{rows: 3, k: k, br: 1, bk: 64, tame: true}
			p := makeProblem(t, rng, s, s, r)
			each := (partials + splits - 1) / splits * 64
			sums := make([]number, 9)
			for from := 0; from < k; from += each {
				x, err := p.x.SliceK(from, min(from+each, k))
				if err != nil {
					t.Fatal(err)
				}
				y, err := p.y.SliceK(from, min(from+each, k))
				if err != nil {
					t.Fatal(err)
				}
				r.Splits = 0
				shard := multiply(t, x, y, r)
				for i, v := range shard.Data {
					if sums[i].mag == nil {
						sums[i] = fromBits(floatBits(v))
						continue
					}
					sums[i] = add32(sums[i], fromBits(floatBits(v)))
				}
			}
			whole := multiply(t, p.x, p.y, p.recipe)
			for i, want := range sums {
				if !sameAs(whole.Data[i], want) {
					t.Fatalf("%v: element %d is %x, shards sum to %08x", p, i, whole.Data[i], want.bits())
				}
			}
		}
	}
}

// Rows of A and B in another order give the elements in another order.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 14))
	for range 60 {
		m, n := 1+rng.IntN(20), 1+rng.IntN(20)
		p := drawProblem(t, rng, m, n, drawK(rng))
		all := multiply(t, p.x, p.y, p.recipe)
		rows, cols := rng.Perm(m), rng.Perm(n)
		x, y := p.a.reordered(rows).operand(t, rng), p.b.reordered(cols).operand(t, rng)
		got := multiply(t, x, y, p.recipe)
		want := ref.NewMatrix(m, n)
		for i := range m {
			for j := range n {
				want.Row(i)[j] = all.Row(rows[i])[cols[j]]
			}
		}
		sameMatrix(t, "reordered", p, got, want)
	}
}

// reordered is p with row i taken from order[i] and a scale row for each.
func (p plain) reordered(order []int) plain {
	q := plain{rows: p.rows, k: p.k, br: 1, bk: p.bk, e8: p.e8}
	for _, r := range order {
		q.codes = append(q.codes, p.codes[r])
		q.scales = append(q.scales, p.scales[(p.off+r)/p.br])
	}
	return q
}

// Many readers of one operand at once, for the race detector too.
func TestOperandsAreShared(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	p := drawProblem(t, rng, 20, 30, 200)
	want := multiply(t, p.x, p.y, p.recipe)
	got := make([]ref.Matrix, 16)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() {
			got[i] = ref.NewMatrix(20, 30)
			if err := ref.MatMul(got[i], p.x, p.y, p.recipe); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, c := range got {
		sameMatrix(t, "concurrent", p, c, want)
	}
}
