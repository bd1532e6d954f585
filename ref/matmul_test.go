package ref_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

func quickOperand(t *testing.T, rng *rand.Rand, rows, k, br, bk, kind int, e8 bool) ref.Operand {
	codes := make([]scale.E4M3, rows*k)
	for i := range codes {
		switch kind {
		case 0:
			codes[i] = scale.E4M3(rng.IntN(256))
			if codes[i].IsNaN() && rng.IntN(200) != 0 {
				codes[i] = 0x38
			}
		case 1:
			codes[i] = scale.EncodeE4M3(rng.NormFloat64()*100, scale.Saturate)
		case 2:
			codes[i] = scale.E4M3(rng.IntN(2)*128 + rng.IntN(12))
		case 3:
			codes[i] = scale.E4M3(rng.IntN(2)*128 + 0x7e - rng.IntN(3))
		}
	}
	l := scale.RowMajor(rows, k, br, bk)
	var g scale.Grid
	var err error
	if e8 {
		s := make([]scale.E8M0, l.Len())
		for i := range s {
			s[i] = scale.E8M0(120 + rng.IntN(12))
			if rng.IntN(4) == 0 {
				s[i] = scale.E8M0(rng.IntN(256))
			}
		}
		g, err = scale.NewE8M0Grid(l, s)
	} else {
		s := make([]float32, l.Len())
		for i := range s {
			s[i] = float32(math.Exp(rng.NormFloat64()))
			if rng.IntN(10) == 0 {
				s[i] = math.Float32frombits(rng.Uint32())
			}
		}
		g, err = scale.NewFP32Grid(l, s)
	}
	if err != nil {
		t.Fatal(err)
	}
	o, err := ref.NewOperand(codes, k, g)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestQuick(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		m, n, k := 1+rng.IntN(10), 1+rng.IntN(10), rng.IntN(400)
		e8 := rng.IntN(2) == 0
		a := quickOperand(t, rng, m, k, 1, 128, rng.IntN(4), e8)
		b := quickOperand(t, rng, n, k, 1+rng.IntN(7), 128, rng.IntN(4), e8)
		d := ref.Datapaths()[rng.IntN(8)]
		r := ref.Recipe{Datapath: d, KPerPartial: 32 << rng.IntN(3), Scaling: ref.Scaling(rng.IntN(4)), Splits: rng.IntN(3), Output: scale.Format(rng.IntN(3))}
		if rng.IntN(5) == 0 {
			r = ref.Exact(r.Output)
		}
		if d.TakesScales {
			r = ref.UE8M0MX(r.Output)
			if !e8 {
				continue
			}
		}
		c := ref.NewMatrix(m, n)
		if err := ref.MatMul(c, a, b, r); err != nil {
			t.Fatal(i, err)
		}
		for x := range m {
			for y := range n {
				w, err := ref.Element(a, b, r, x, y)
				if err != nil {
					t.Fatal(err)
				}
				g := c.Data[x*c.Stride+y]
				if math.Float32bits(w) != math.Float32bits(g) && !(w != w && g != g) {
					t.Fatal(i, r, m, n, k, x, y, fmt.Sprintf("%x %x", math.Float32bits(w), math.Float32bits(g)))
				}
			}
		}
	}
}
