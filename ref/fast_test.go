package ref_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
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
	for range rounds(2500) {
		checkFast(t, rng, drawProblem(t, rng, 1+rng.IntN(9), 1+rng.IntN(9), drawK(rng)), 100)
	}
}

// Sizes around the edges of strips (2, 4 and 8 rows), steps (32), panels and tiles
// (128), and twice those.
func TestMatMulIsElementAtEdges(t *testing.T) {
	sizes := []int{1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 127, 128, 129, 256, 257}
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

// Steps of K that hurt in different ways, one after another: what one leaves in c
// meets the next. Strips hold rows of one kind, as the windows of the fast path
// are those of strips.
func TestMatMulIsElementForHurtfulSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	for range rounds(3000) {
		r := drawRecipe(rng)
		k := 32 * (2 + rng.IntN(3))
		if r.KPerPartial > 0 {
			r.KPerPartial, r.Splits = 128, 0
		}
		zero := func(int, int) byte { return 0 }
		p := problem{recipe: r, a: plainOf(4, k, 1, 128, zero, repeated(4, 0x7F)...), b: plainOf(4, k, 1, 128, zero, repeated(4, 0x7F)...)}
		for from := 0; from < k; from += 32 {
			category := rng.IntN(len(mmaCategories))
			if name := mmaCategories[category].name; name == "any bytes, any c" || name == "one NaN" {
				continue // a NaN would hide the rest
			}
			for i := range 4 {
				copy(p.a.codes[i][from:], drawA(rng, category))
				copy(p.b.codes[i][from:], drawB(rng, category))
			}
		}
		p.x, p.y = p.a.operand(t, rng), p.b.operand(t, rng)
		checkFast(t, rng, p, 16)
	}
}

func drawA(rng *rand.Rand, category int) []byte {
	in := drawMMA(rng, category)
	return in.a[:]
}

func drawB(rng *rand.Rand, category int) []byte {
	in := drawMMA(rng, category)
	return in.b[:]
}

// 2^-12 in c, then a product 2^-9*256 of exponent 2: 13 bits reach down to 2^-11
// and c is gone. With 25 bits it stays.
func TestSubnormalCodesAlignLikeNormals(t *testing.T) {
	a := plainOf(1, 64, 1, 64, func(_, k int) byte { return map[int]byte{0: 0x08, 32: 0x01}[k] }, []uint32{0x7F}) // 2^-6, 2^-9
	b := plainOf(1, 64, 1, 64, func(_, k int) byte { return map[int]byte{0: 0x08, 32: 0x78}[k] }, []uint32{0x7F}) // 2^-6, 256
	for _, r := range recipesFor(64) {
		if r.KPerPartial == 32 {
			continue
		}
		want := uint32(0x3F001000) // 2^-1 + 2^-12
		if r.Datapath == ref.SM89 || r.Datapath == ref.SM90WGMMA {
			want = 0x3F000000
		}
		if got := floatBits(single11(t, a, b, r)); got != want {
			t.Errorf("%v: %08x, want %08x", r, got, want)
		}
	}
}

// K beyond what is real, to see that sums do not outgrow their integers: large
// codes, nearly all of one sign, and one product of the last place.
func TestMatMulIsElementForLongK(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const block, k = 1 << 18, 1<<18 + 33
	for _, d := range ref.Datapaths() {
		r := ref.F32ScaleMMA(d, block, scale.Float32)
		switch {
		case d.TakesScales:
			r = ref.UE8M0MX(scale.Float32)
		case d.Exact:
			r = ref.Exact(scale.Float32)
		}
		draw := func(_, i int) byte {
			if i == block-1 {
				return 0x01
			}
			return 0x7E - byte(rng.Uint32()&1)
		}
		p := problem{recipe: r, a: plainOf(1, k, 1, block, draw, []uint32{0x7F, 0x60}), b: plainOf(1, k, 1, block, draw, []uint32{0x7F, 0x60})}
		p.x, p.y = p.a.operand(t, rng), p.b.operand(t, rng)
		checkFast(t, rng, p, 4)
		if !d.Exact {
			continue
		}
		if got, want := mustElement(t, p, 0, 0), element(p.a, p.b, r, 0, 0); !sameAs(got, want) {
			t.Errorf("%v: %08x, want %08x", p, floatBits(got), want.bits())
		}
	}
}

// A sum that leaves 53 bits on its way, and one that just does not.
func TestExactOfLargeTermsThatCancel(t *testing.T) {
	for _, k := range []int{1 << 17, 1 << 19} {
		code := func(i int) byte {
			switch {
			case i == k/2:
				return 0x01
			case i < k/2:
				return 0x7E
			}
			return 0xFE
		}
		a := plainOf(1, k, 1, k, func(_, i int) byte { return code(i) }, []uint32{0x7F})
		b := plainOf(1, k, 1, k, func(_, i int) byte { return code(i) & 0x7F }, []uint32{0x7F})
		a.codes[0][0] = 0 // as many of either sign
		if got := single11(t, a, b, ref.Exact(scale.Float32)); got != 0x1p-18 {
			t.Errorf("K=%d: %g, want 2^-18", k, got)
		}
	}
}
