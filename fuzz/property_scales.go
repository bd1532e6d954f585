package fuzz

import (
	"math"

	"blockfp8/scale"
)

// doubling: with one block of K left, doubling its scale doubles the result, bit
// for bit. No oracle is needed for that.
func doubling(x exam, p Problem) error {
	if p.B.gridCols() == 0 {
		return ErrUnsupported
	}
	p = p.tamed()
	block := p.choices().IntN(p.B.gridCols())
	p.A.eachCode(func(_, k int, c byte) byte {
		if k/p.B.BlockCols != block {
			return 0
		}
		return c
	})
	once, err := x.ask(p)
	if err != nil {
		return err
	}
	q := p.clone()
	q.B.eachScale(func(_, j int, bits uint32) uint32 {
		if j != block {
			return bits
		}
		return q.B.doubled(bits)
	})
	twice, err := x.ask(q)
	if err != nil {
		return err
	}
	for m := range once.c.Rows {
		for n, v := range once.c.Row(m) {
			if w := twice.c.Row(m)[n]; canDouble(v, p.Output) && w != 2*v {
				return withRecipe(violated(q, "C[%d,%d] was %g and is %g with the scale of K block %d doubled", m, n, v, w, block), twice.recipe)
			}
		}
	}
	return nil
}

// canDouble leaves out what fp16 cannot double exactly: subnormals, which may have
// been rounded, and numbers near its end.
func canDouble(v float32, f scale.Format) bool {
	v = float32(math.Abs(float64(v)))
	return f != scale.Float16 || v >= 0x1p-14 && v < 32000
}

// tamed is the problem with numbers near 1: finite codes, and scales whose
// products neither overflow nor underflow.
func (p Problem) tamed() Problem {
	p = p.finite()
	for _, s := range []Side{p.A, p.B} {
		s.eachScale(func(_, _ int, bits uint32) uint32 {
			if s.hasE8M0() {
				return 120 + bits%14
			}
			return (120+(bits>>23)%14)<<23 | bits&0x7FFFFF
		})
	}
	return p
}

// finite is the problem without NaN and infinity: the largest codes and the scale 1
// stand for them.
func (p Problem) finite() Problem {
	p = p.clone()
	for _, s := range []Side{p.A, p.B} {
		s.eachCode(func(_, _ int, c byte) byte { return finiteOf(c) })
		s.eachScale(func(_, _ int, bits uint32) uint32 {
			if s.hasE8M0() && bits == 0xFF || !s.hasE8M0() && bits>>23&0xFF == 0xFF {
				return s.scaleOne()
			}
			return bits
		})
	}
	return p
}

// finiteOf is a code, the largest in place of NaN.
func finiteOf(c byte) byte {
	if c&0x7F == 0x7F {
		return c & 0xFE
	}
	return c
}

// doubled is a scale near 1, times 2.
func (s Side) doubled(bits uint32) uint32 {
	if s.hasE8M0() {
		return bits + 1
	}
	return bits + 1<<23
}

// scaleTypes: E8M0 scales and the float32 scales of the same values give the same
// bits wherever the recipe is the same: converting them early, late or never is no
// difference.
func scaleTypes(x exam, p Problem) error {
	const both = E8M0Scales | FP32Scales
	p = p.clone()
	if x.limits.ScalesA.has(E8M0Scales) {
		p.A = p.A.withE8M0()
	}
	if x.limits.ScalesB.has(E8M0Scales) {
		p.B = p.B.withE8M0()
	}
	before, err := x.ask(p)
	if err != nil {
		return err
	}
	q := p
	if x.limits.ScalesA == both && p.Choice%3 != 0 {
		q.A = p.A.withFP32()
	}
	if x.limits.ScalesB == both && p.Choice%3 != 1 {
		q.B = p.B.withFP32()
	}
	after, err := x.ask(q)
	if err != nil || before.recipe != after.recipe {
		return err
	}
	return compare(q, after.recipe, "float32 scales have other bits than E8M0 scales of the same values", after.c, before.c)
}

// withE8M0 is the side with E8M0 scales: the exponents of float32 ones.
func (s Side) withE8M0() Side {
	if s.hasE8M0() {
		return s
	}
	out := s
	out.E8M0, out.FP32 = table[Hex](s.gridRows(), s.gridCols()), nil
	for i, row := range s.FP32 {
		for j, b := range row {
			out.E8M0[i][j] = byte(b >> 23)
		}
	}
	return out
}

// withFP32 is the side with the float32 values of its E8M0 scales.
func (s Side) withFP32() Side {
	if !s.hasE8M0() {
		return s
	}
	out := s
	out.FP32, out.E8M0 = table[[]Bits](s.gridRows(), s.gridCols()), nil
	for i, row := range s.E8M0 {
		for j, c := range row {
			out.FP32[i][j] = Bits(upcastBits(c))
		}
	}
	return out
}

// upcastBits is the float32 of an E8M0 code by the format's definition, 2^(c-127):
// all but the smallest have a place in the exponent field, and 0xFF is NaN.
func upcastBits(c byte) uint32 {
	switch c {
	case 0x00:
		return 0x00400000
	case 0xFF:
		return 0x7FC00000
	}
	return uint32(c) << 23
}
