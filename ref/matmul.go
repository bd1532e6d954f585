package ref

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"blockfp8/scale"
)

// MatMul computes C = A * B^T into dst: element (m, n) is what [Element] returns
// for it. It uses all GOMAXPROCS cores, and the result does not depend on how
// many there are.
//
// dst is [a.Rows(), b.Rows()] with any row stride; memory of dst outside those
// elements is not touched. M = 0 and N = 0 do nothing but the checks, K = 0 gives
// +0. dst must not overlap the operands. Errors are those of Recipe.Check and
// scale.ErrShape or ErrStride for dst; dst is untouched then.
//
// Beyond dst it needs memory for one tile of A, of B and of sums per core, never a
// decoded copy of an operand.
//
//	for m := range M {
//		for n := range N {
//			dst[m][n] = Element(a, b, r, m, n)
//		}
//	}
func MatMul(dst Matrix, a, b Operand, r Recipe) error {
	if err := r.Check(a, b); err != nil {
		return err
	}
	if err := dst.validate("destination"); err != nil {
		return err
	}
	if dst.Rows != a.Rows() || dst.Cols != b.Rows() {
		return &scale.Mismatch{
			Kind: scale.ErrShape, What: "destination",
			Want: fmt.Sprintf("[%d,%d]", a.Rows(), b.Rows()), Got: fmt.Sprintf("[%d,%d]", dst.Rows, dst.Cols),
		}
	}
	if dst.Rows > 0 && dst.Cols > 0 {
		newSchedule(dst, a, b, r).run()
	}
	return nil
}

// Tiles are wide enough that decoding an operand is cheap beside multiplying it,
// and small enough that strips and sums stay in a core's cache.
const maxTile = 128

// schedule hands tiles of C to workers.
type schedule struct {
	dst          Matrix
	a, b         Operand
	r            Recipe
	aNaN         []bool
	rows, cols   int // extent of a tile
	across, down int // number of tiles along N and M
	next         atomic.Int64
}

func newSchedule(dst Matrix, a, b Operand, r Recipe) *schedule {
	s := &schedule{dst: dst, a: a, b: b, r: r, aNaN: nanRows(a, 0, a.Rows())}
	s.rows, s.cols = min(maxTile, dst.Rows), min(maxTile, dst.Cols)
	s.down = (dst.Rows + s.rows - 1) / s.rows
	// Narrower tiles where there would be too few for all cores.
	for s.cols > 8 && s.down*((dst.Cols+s.cols-1)/s.cols) < 2*runtime.GOMAXPROCS(0) {
		s.cols /= 2
	}
	s.across = (dst.Cols + s.cols - 1) / s.cols
	return s
}

func (s *schedule) run() {
	workers := min(runtime.GOMAXPROCS(0), s.across*s.down)
	var group sync.WaitGroup
	for range workers {
		group.Go(s.work)
	}
	group.Wait()
}

func (s *schedule) work() {
	t := newTile(s.r, s.a, s.b, s.aNaN, s.rows, s.cols)
	for {
		i := int(s.next.Add(1)) - 1
		if i >= s.across*s.down {
			return
		}
		m, n := i/s.across*s.rows, i%s.across*s.cols
		t.compute(s.dst, m, min(m+s.rows, s.dst.Rows), n, min(n+s.cols, s.dst.Cols))
	}
}
