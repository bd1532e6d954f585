package ref_test

import (
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

const one = 0x38 // the code of 1

// everywhere is an operand full of one code, with the given E8M0 scales.
func everywhere(code byte, rows, k, br, bk int, scales ...[]uint32) plain {
	return plainOf(rows, k, br, bk, func(int, int) byte { return code }, scales...)
}

func plainOf(rows, k, br, bk int, code func(r, k int) byte, scales ...[]uint32) plain {
	p := plain{rows: rows, k: k, br: br, bk: bk, e8: true, scales: scales, codes: make([][]byte, rows)}
	for r := range p.codes {
		p.codes[r] = make([]byte, k)
		for i := range p.codes[r] {
			p.codes[r][i] = code(r, i)
		}
	}
	return p
}

// fp32 is p with float32 scales of the same values.
func (p plain) fp32() plain {
	scales := make([][]uint32, len(p.scales))
	for i, row := range p.scales {
		for _, c := range row {
			scales[i] = append(scales[i], scaleNumber(byte(c)).bits())
		}
	}
	p.e8, p.scales = false, scales
	return p
}

// withFP32 is p with other scales, float32 by their bits.
func (p plain) withFP32(scales ...[]uint32) plain {
	p.e8, p.scales = false, scales
	return p
}

// repeated is n equal rows.
func repeated(n int, row ...uint32) [][]uint32 {
	rows := make([][]uint32, n)
	for i := range rows {
		rows[i] = row
	}
	return rows
}

// recipesFor are all recipes for a block length, with one and with half a block
// per partial.
func recipesFor(bk int) []ref.Recipe {
	var all []ref.Recipe
	for _, r := range allRecipes() {
		if r.KPerPartial == 0 {
			all = append(all, r)
			continue
		}
		r.KPerPartial = bk
		all = append(all, r)
		if bk%64 == 0 {
			r.KPerPartial = bk / 2
			all = append(all, r)
		}
	}
	return all
}

// single11 multiplies two operands of one row and returns the element, having
// asked both Element and MatMul.
func single11(t *testing.T, a, b plain, r ref.Recipe) float32 {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	p := problem{a: a, b: b, recipe: r}
	p.x, p.y = a.operand(t, rng), b.operand(t, rng)
	c := multiply(t, p.x, p.y, r)
	if e := mustElement(t, p, 0, 0); !sameBits(e, c.Data[0]) {
		t.Fatalf("%v: MatMul says %08x, Element %08x", p, floatBits(c.Data[0]), floatBits(e))
	}
	return c.Data[0]
}

var formats = []scale.Format{scale.Float32, scale.BFloat16, scale.Float16}

// newRand is a generator for what must not matter, such as memory layouts.
func newRand() *rand.Rand { return rand.New(rand.NewPCG(99, 99)) }
