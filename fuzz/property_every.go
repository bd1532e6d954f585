package fuzz

import (
	"errors"
	"math"
	"slices"

	"blockfp8/scale"
)

// smallest is a problem of the shortest K and of extents that the limits allow, all
// codes 0 and scales 1. The exhaustive properties fill its first column.
func (x exam) smallest(rows, cols int) Problem {
	k := x.limits.StepK
	block := slices.MinFunc(x.limits.Blocks, func(a, b Block) int { return a.Rows - b.Rows }) // for many scales
	p := Problem{
		A:      Side{Rows: min(x.limits.rows(rows), x.limits.MaxM), K: k, BlockRows: 1, BlockCols: block.Cols},
		B:      Side{Rows: roundUp(cols, x.limits.StepN, x.limits.MaxN), K: k, BlockRows: block.Rows, BlockCols: block.Cols},
		Output: x.limits.Outputs[0],
	}
	p.A.allocateOnes(x.limits.ScalesA)
	p.B.allocateOnes(x.limits.ScalesB)
	return p
}

// allocateOnes makes the tables with all scales 1, E8M0 if that is among the kinds.
func (s *Side) allocateOnes(kind ScaleKind) {
	if kind.has(E8M0Scales) {
		kind = E8M0Scales
	}
	s.allocate(kind)
	s.eachScale(func(int, int, uint32) uint32 { return s.scaleOne() })
}

// firstColumn sets the code of every row at k = 0.
func (s Side) firstColumn(code func(row int) byte) {
	for row, codes := range s.Codes {
		codes[0] = code(row)
	}
}

func (s Side) scaleOne() uint32 {
	if s.hasE8M0() {
		return 0x7F
	}
	return 0x3F800000
}

// everyScale: 1 times every E8M0 scale is 2^(code-127) for both operands, and NaN
// for 0xFF. Expected values are the format's definition.
func everyScale(x exam, _ Problem) error {
	for i, p := range []Problem{x.smallest(256, 1), x.smallest(1, 256)} {
		for _, s := range []Side{p.A, p.B} {
			s.firstColumn(func(int) byte { return one })
		}
		if s := *side(&p, i); s.hasE8M0() {
			if err := everyScaleOf(x, p, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// everyScaleOf puts as many codes at a time into the grid of a side as it has.
func everyScaleOf(x exam, p Problem, side Side) error {
	last := 0xFF
	if x.limits.Finite {
		last = 0xFE // 0xFF is NaN
	}
	for first := 0; first <= last; first += side.gridRows() {
		side.eachScale(func(i, _ int, _ uint32) uint32 { return uint32(min(first+i, last)) })
		got, err := x.ask(p)
		if err != nil {
			return err
		}
		for m := range got.c.Rows {
			for n, v := range got.c.Row(m) {
				a, b := p.A.scaleValue(m), p.B.scaleValue(n)
				if want := p.Output.Round(a * b); !sameBits(v, want) {
					return withRecipe(violated(p, "1 with the E8M0 scales %g of A and %g of B is %g, want %g", a, b, v, want), got.recipe)
				}
			}
		}
	}
	return nil
}

// scaleValue is the number of a row's first scale by the format's definition.
func (s Side) scaleValue(row int) float64 {
	at := (s.RowOffset + row) / s.BlockRows
	switch {
	case !s.hasE8M0():
		return float64(math.Float32frombits(uint32(s.FP32[at][0])))
	case s.E8M0[at][0] == 0xFF:
		return math.NaN()
	}
	return math.Ldexp(1, int(s.E8M0[at][0])-127)
}

// everyProduct: all 65,536 products of two codes, from the format's definition.
func everyProduct(x exam, _ Problem) error {
	p := x.smallest(256, 256)
	code := func(c int) byte { return byte(c) }
	if x.limits.Finite || x.limits.Tame {
		code = func(c int) byte { return finiteOf(byte(c)) }
	}
	for m := 0; m < 256; m += p.A.Rows {
		p.A.firstColumn(func(row int) byte { return code(m + row) })
		for n := 0; n < 256; n += p.B.Rows {
			p.B.firstColumn(func(row int) byte { return code(n + row) })
			if err := products(x, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func products(x exam, p Problem) error {
	got, err := x.ask(p)
	if err != nil {
		return err
	}
	for m := range got.c.Rows {
		for n, v := range got.c.Row(m) {
			a, b := p.A.Codes[m][0], p.B.Codes[n][0]
			// A sum that starts from +0 never is -0.
			if want := p.Output.Round(codeValue(a)*codeValue(b) + 0); !sameBits(v, want) {
				return withRecipe(violated(p, "code 0x%02X times code 0x%02X is %g, want %g", a, b, v, want), got.recipe)
			}
		}
	}
	return nil
}

// codeValue is the number of an E4M3 code by the format's definition.
func codeValue(c byte) float64 {
	exponent, fraction := int(c>>3&15), int(c&7)
	magnitude := math.Ldexp(float64(8+fraction), exponent-10)
	switch {
	case c&0x7F == 0x7F:
		return math.NaN()
	case exponent == 0:
		magnitude = math.Ldexp(float64(fraction), -9)
	}
	return math.Copysign(magnitude, 1-2*float64(c>>7))
}

// sameBits compares in every bit, NaN by class.
func sameBits(x, y float32) bool {
	return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
}

// upcastLaw: all 256 codes by themselves.
func upcastLaw(x exam, p Problem) error {
	codes, got := make([]scale.E8M0, 256), make([]float32, 256)
	for c := range codes {
		codes[c] = scale.E8M0(c)
	}
	err := guardPanic(p, "Upcast", func() error { return x.impl.(Upcaster).Upcast(got, codes) })
	if err != nil {
		return err
	}
	for c, v := range got {
		if want := math.Float32frombits(upcastBits(byte(c))); !sameBits(v, want) {
			return violated(p, "E8M0 code 0x%02X is upcast to %g (0x%08X), want %g (0x%08X)", c, v, math.Float32bits(v), want, math.Float32bits(want))
		}
	}
	return nil
}

// encodeLaw: floats of every exponent, with the fractions at which E4M3 rounds, and
// their neighbours. Codes are those of package scale, which is held to a model over
// all of float32.
func encodeLaw(x exam, p Problem) error {
	var values []float32
	for exponent := range uint32(256) {
		for fraction := range uint32(32) {
			at := exponent<<23 | fraction<<18
			for _, bits := range []uint32{at, at + 1, at ^ 0x3FFFF} {
				values = append(values, math.Float32frombits(bits), math.Float32frombits(bits|1<<31))
			}
		}
	}
	refused := 0
	for _, o := range []scale.Overflow{scale.Saturate, scale.OverflowNaN} {
		switch err := encodes(x, p, values, o); {
		case errors.Is(err, ErrUnsupported):
			refused++
		case err != nil:
			return err
		}
	}
	if refused == 2 {
		return ErrUnsupported
	}
	return nil
}

func encodes(x exam, p Problem, values []float32, o scale.Overflow) error {
	got := make([]scale.E4M3, len(values))
	err := guardPanic(p, "Encode", func() error { return x.impl.(Encoder).Encode(got, values, o) })
	if err != nil {
		return err
	}
	for i, v := range values {
		want := scale.EncodeE4M3FromFloat32(v, o)
		if got[i] != want && !(got[i].IsNaN() && want.IsNaN()) {
			return violated(p, "%g (0x%08X) is encoded as 0x%02X, want 0x%02X (%v)", v, math.Float32bits(v), uint8(got[i]), uint8(want), o)
		}
	}
	return nil
}
