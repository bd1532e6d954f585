package probe

import (
	"math/rand/v2"

	"blockfp8/gpu"
	"blockfp8/scale"
)

// The extents of an instruction's tile, but its rows.
const (
	depth   = 32
	columns = 8
)

// codes is a row of A or a column of B.
type codes = [depth]scale.E4M3

// tile is the operands of one instruction.
type tile struct {
	a, b   []codes
	sa, sb []scale.E8M0
	c      []uint32 // row by row
}

// drawTiles draws count tiles of an instruction from each category.
func drawTiles(i gpu.Instruction, count int, seed uint64) gpu.Tiles {
	var all gpu.Tiles
	for n, c := range categories {
		rng := rand.New(rand.NewPCG(seed, uint64(n)))
		for range count {
			t := drawTile(rng, i.Rows(), c)
			all.A, all.B, all.C = append(all.A, t.a...), append(all.B, t.b...), append(all.C, t.c...)
			all.SA, all.SB = append(all.SA, t.sa...), append(all.SB, t.sb...)
		}
	}
	return all
}

// tileAt returns tile n of rows rows.
func tileAt(t gpu.Tiles, n, rows int) tile {
	return tile{
		a: t.A[n*rows : (n+1)*rows], b: t.B[n*columns : (n+1)*columns], c: t.C[n*rows*columns : (n+1)*rows*columns],
		sa: t.SA[n*rows : (n+1)*rows], sb: t.SB[n*columns : (n+1)*columns],
	}
}

func drawTile(rng *rand.Rand, rows int, c category) tile {
	t := tile{
		a: make([]codes, rows), b: make([]codes, columns), c: make([]uint32, rows*columns),
		sa: make([]scale.E8M0, rows), sb: make([]scale.E8M0, columns),
	}
	t.eachCode(func(code *scale.E4M3) { *code = drawFinite(rng) })
	t.eachC(func() uint32 { return drawFloat(rng, -10, 20) })
	c.draw(rng, &t)
	drawScales(rng, &t)
	return t
}

// drawScales draws scales around 1, equal to 1, such that products lie around the
// smallest subnormal, of the codes with a meaning of their own, or any.
func drawScales(rng *rand.Rand, t *tile) {
	around := func(s []scale.E8M0, from, n int) {
		for i := range s {
			s[i] = scale.E8M0(min(max(from+rng.IntN(n), 0), 255))
		}
	}
	special := [...]scale.E8M0{0x00, 0x01, 0x7F, 0xFE, 0xFF}
	switch rng.IntN(10) {
	case 0, 1, 2, 3:
		around(t.sa, 110, 35)
		around(t.sb, 110, 35)
	case 4:
		around(t.sa, 127, 1)
		around(t.sb, 127, 1)
	case 5:
		from := rng.IntN(100)
		around(t.sa, from, 8)
		around(t.sb, 254-149-from-20, 24)
		if rng.IntN(2) == 0 {
			t.eachC(func() uint32 { return 0 })
		}
	case 6:
		for _, s := range [...][]scale.E8M0{t.sa, t.sb} {
			for i := range s {
				s[i] = special[rng.IntN(len(special))]
			}
		}
	default:
		around(t.sa, 0, 256)
		around(t.sb, 0, 256)
	}
}

func (t *tile) eachRow(do func(row *codes, isA bool)) {
	for m := range t.a {
		do(&t.a[m], true)
	}
	for n := range t.b {
		do(&t.b[n], false)
	}
}

func (t *tile) eachCode(do func(code *scale.E4M3)) {
	t.eachRow(func(row *codes, _ bool) {
		for k := range row {
			do(&row[k])
		}
	})
}

func (t *tile) eachC(draw func() uint32) {
	for i := range t.c {
		t.c[i] = draw()
	}
}

// dot is the exact sum of the products of row m and column n, which hold no NaN:
// all are multiples of 2^-18 and below 2^23.
func (t *tile) dot(m, n int) float64 {
	var sum float64
	for k, code := range t.a[m] {
		sum += float64(code.Float64() * t.b[n][k].Float64())
	}
	return sum
}
