package ref_test

import (
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// shape is what a drawn operand looks like before its bits are drawn.
type shape struct {
	rows, k, br, bk, off int
	e8                   bool
	tame                 bool // no NaN, and scales near 1
}

// draw fills a shape with codes and scales. Each operand has one flavour of each,
// so that products of two are of many kinds.
func (s shape) draw(rng *rand.Rand) plain {
	p := plain{rows: s.rows, k: s.k, br: s.br, bk: s.bk, off: s.off, e8: s.e8}
	codes, scales := codeFlavours[rng.IntN(len(codeFlavours))], rng.IntN(4)
	if s.tame {
		scales = 0
	}
	p.codes = make([][]byte, s.rows)
	for r := range p.codes {
		p.codes[r] = make([]byte, s.k)
		for k := range p.codes[r] {
			p.codes[r][k] = codes(rng)
		}
		if !s.tame && s.k > 0 && rng.IntN(25) == 0 {
			p.codes[r][rng.IntN(s.k)] = 0x7F | drawSign(rng)
		}
	}
	for range rng.IntN(3) { // stretches of zeros
		if s.rows > 0 && s.k > 0 {
			r, k := rng.IntN(s.rows), rng.IntN(s.k)
			for ; k < s.k && rng.IntN(64) != 0; k++ {
				p.codes[r][k] = drawSign(rng)
			}
		}
	}
	p.scales = make([][]uint32, (s.off+s.rows+s.br-1)/s.br)
	for i := range p.scales {
		p.scales[i] = make([]uint32, (s.k+s.bk-1)/s.bk)
		for j := range p.scales[i] {
			p.scales[i][j] = drawScale(rng, s.e8, scales)
		}
	}
	return p
}

var codeFlavours = []func(*rand.Rand) byte{
	drawFinite,
	func(rng *rand.Rand) byte { return drawBell(rng, 0x38) },
	func(rng *rand.Rand) byte { return drawBell(rng, 0x60) },
	func(rng *rand.Rand) byte { return drawSign(rng) | byte(rng.IntN(12)) },
	func(rng *rand.Rand) byte { return drawSign(rng) | 0x7E - byte(rng.IntN(3)) },
	func(rng *rand.Rand) byte { return 0x7E - byte(rng.IntN(2)) },
	func(rng *rand.Rand) byte { return drawSign(rng) | byte(rng.IntN(16))<<3 },
	func(rng *rand.Rand) byte {
		if rng.IntN(8) > 0 {
			return drawSign(rng)
		}
		return drawFinite(rng)
	},
}

// weirdScales over-draws what a scale should not be.
var (
	weirdE8M0 = []uint32{0x00, 0x01, 0x34, 0x7F, 0xFE, 0xFF}
	weirdFP32 = []uint32{
		0x00000000, 0x80000000, 0x00000001, 0x00400000, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000,
		0x3F800001, 0x3F7FFFFF, 0x7F000000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345,
	}
)

// drawScale draws near 1, anything, or something weird now and then or always.
func drawScale(rng *rand.Rand, e8 bool, flavour int) uint32 {
	weird := flavour == 3 || flavour == 2 && rng.IntN(6) == 0
	switch {
	case e8 && weird:
		return weirdE8M0[rng.IntN(len(weirdE8M0))]
	case e8 && flavour == 1:
		return rng.Uint32() & 0xFF
	case e8:
		return uint32(120 + rng.IntN(14))
	case weird:
		return weirdFP32[rng.IntN(len(weirdFP32))]
	case flavour == 1:
		if s := rng.Uint32(); s != 0xFF7FFFFF { // which means that it was never set
			return s
		}
		return 0
	}
	return drawC(rng, -8, 6) &^ (1 << 31)
}

// operand lays p out in memory: any strides, both orientations, NaN in every
// place that belongs to no code and no scale.
func (p plain) operand(t testing.TB, rng *rand.Rand) ref.Operand {
	t.Helper()
	stride := p.k + rng.IntN(2)*rng.IntN(40)
	codes := make([]scale.E4M3, max(0, p.rows-1)*stride+p.k+rng.IntN(2)*rng.IntN(40))
	for i := range codes {
		codes[i] = scale.E4M3(0x7F | i<<7&0x80)
	}
	for r, row := range p.codes {
		for k, c := range row {
			codes[r*stride+k] = scale.E4M3(c)
		}
	}
	o, err := ref.NewOperand(codes, stride, p.grid(t, rng))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (p plain) grid(t testing.TB, rng *rand.Rand) scale.Grid {
	t.Helper()
	down, across := len(p.scales), (p.k+p.bk-1)/p.bk
	l := scale.Layout{Rows: p.rows, Cols: p.k, BlockRows: p.br, BlockCols: p.bk, RowOffset: p.off}
	switch rng.IntN(3) {
	case 0: // rows of scales, perhaps padded
		l.RowStride, l.ColStride = max(1, across+rng.IntN(2)*rng.IntN(5)), 1
	case 1: // columns of scales, perhaps padded
		l.RowStride, l.ColStride = 1, max(1, down+rng.IntN(2)*rng.IntN(5))
	case 2: // every second or third
		gap := 2 + rng.IntN(2)
		l.RowStride, l.ColStride = max(1, gap*across+rng.IntN(3)), gap
	}
	n := max(0, down-1)*l.RowStride + max(0, across-1)*l.ColStride + 1 + rng.IntN(4)
	var g scale.Grid
	var err error
	if p.e8 {
		s := make([]scale.E8M0, n)
		for i := range s {
			s[i] = 0xFF
		}
		p.eachScale(func(i, j int, bits uint32) { s[i*l.RowStride+j*l.ColStride] = scale.E8M0(bits) })
		g, err = scale.NewE8M0Grid(l, s)
	} else {
		s := make([]float32, n)
		for i := range s {
			s[i] = []float32{scale.UnsetScale, bitsFloat(0x7FC00000)}[i%2]
		}
		p.eachScale(func(i, j int, bits uint32) { s[i*l.RowStride+j*l.ColStride] = bitsFloat(bits) })
		g, err = scale.NewFP32Grid(l, s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (p plain) eachScale(visit func(i, j int, bits uint32)) {
	for i, row := range p.scales {
		for j, s := range row {
			visit(i, j, s)
		}
	}
}
