package scale_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

func oneScale(v float32) scale.Grid {
	return must(scale.NewFP32Grid(scale.RowMajor(1, 1, 1, 1), []float32{v}))
}

func TestToE8M0Exact(t *testing.T) {
	for c := range 255 {
		g, err := oneScale(float32(math.Ldexp(1, c-127))).ToE8M0()
		if err != nil {
			t.Errorf("2^%d: %v", c-127, err)
			continue
		}
		wantCodes(t, fmt.Sprintf("2^%d", c-127), g.Codes(), []scale.E8M0{scale.E8M0(c)})
	}
	for _, bits := range []uint32{0x7FC00000, 0xFFC00000, 0x7F800001} {
		g := must(oneScale(f32(bits)).ToE8M0())
		wantCodes(t, "NaN", g.Codes(), []scale.E8M0{0xFF})
	}
}

func TestToE8M0Inexact(t *testing.T) {
	for _, v := range []float64{
		1.5, 3, 0.75, above32(1), below32(1), 0x1p-128, 0x1p-149, 0x1.8p-127, above32(0x1p-127), 0x1.8p127, math.MaxFloat32,
		0, math.Copysign(0, -1), -1, -0x1p-127, math.Inf(1), math.Inf(-1),
	} {
		_, err := oneScale(float32(v)).ToE8M0()
		wantMismatch(t, err, scale.ErrInexact)
	}
}

// One bad scale anywhere fails the whole conversion; in padding it does not.
func TestToE8M0LooksAtUsedScalesOnly(t *testing.T) {
	l := scale.ColMajor(3, 2, 1, 1, 4)
	used := map[int]bool{0: true, 1: true, 2: true, 4: true, 5: true, 6: true}
	for i := range 9 {
		values := []float32{1, 2, 4, 1, 8, 16, 32, 1, 1}
		values[i] = 1.5
		g, err := must(scale.NewFP32Grid(l, values)).ToE8M0()
		if used[i] {
			wantMismatch(t, err, scale.ErrInexact)
			continue
		}
		if err != nil {
			t.Errorf("scale %d is padding: %v", i, err)
			continue
		}
		wantCodes(t, "dense", g.Codes(), []scale.E8M0{0x7F, 0x82, 0x80, 0x83, 0x81, 0x84})
	}
}

func TestToFP32Modes(t *testing.T) {
	g := must(scale.NewE8M0Grid(scale.RowMajor(1, 4, 1, 1), []scale.E8M0{0x00, 0x7F, 0xFE, 0xFF}))
	for _, c := range []struct {
		mode scale.UpcastMode
		want [4]uint32
	}{
		{scale.OCP, [4]uint32{0x00400000, 0x3F800000, 0x7F000000, 0x7FC00000}},
		{scale.Shift, [4]uint32{0x00000000, 0x3F800000, 0x7F000000, 0x7F800000}},
	} {
		got := must(g.ToFP32(c.mode))
		if got.IsE8M0() || len(got.Values()) != 4 {
			t.Fatalf("%v: got %v", c.mode, got)
		}
		for i, v := range got.Values() {
			wantBits32(t, c.mode.String(), v, c.want[i])
		}
	}
	_, err := g.ToFP32(2)
	wantMismatch(t, err, scale.ErrOption)
}

// Conversions keep every scale where it was, for every storage order, and give
// a dense row-major grid of their own.
func TestConversionsKeepEveryScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		codes := make([]scale.E8M0, l.Len()+3)
		for i := range codes {
			codes[i] = scale.E8M0(rapid.Byte().Draw(t, "code"))
		}
		before := append([]scale.E8M0(nil), codes...)
		g := must(scale.NewE8M0Grid(l, codes))
		fp32 := must(g.ToFP32(scale.OCP))
		for name, got := range map[string]scale.Grid{"ToFP32": fp32, "ToE8M0": must(g.ToE8M0()), "there and back": must(fp32.ToE8M0())} {
			checkDense(t, name, got, l)
			for row := range l.Rows {
				for col := range l.Cols {
					if got, want := slowAt(got, row, col), slowAt(g, row, col); !sameScale(got, want) {
						t.Fatalf("%s of %v: element (%d, %d): got %g, want %g", name, l, row, col, got, want)
					}
				}
			}
		}
		wantCodes(t, "the source", codes, before)
		if out := must(g.ToE8M0()).Codes(); len(out) > 0 && &out[0] == &codes[0] {
			t.Error("ToE8M0 returned the source's storage")
		}
	})
}

func checkDense(t tb, name string, g scale.Grid, l scale.Layout) {
	t.Helper()
	got := g.Layout()
	if got.Rows != l.Rows || got.Cols != l.Cols || got.BlockRows != l.BlockRows || got.BlockCols != l.BlockCols || got.RowOffset != l.RowOffset {
		t.Errorf("%s of %v is over another operand: %v", name, l, got)
	}
	if n := len(g.Codes()) + len(g.Values()); n != l.GridRows()*l.GridCols() || got.Len() != n {
		t.Errorf("%s of %v is not dense: %d scales, %v", name, l, n, got)
	}
	if l.GridCols() > 1 && (got.ColStride != 1 || got.RowStride != l.GridCols()) {
		t.Errorf("%s of %v is not row-major: %v", name, l, got)
	}
}

func TestRequantizeLiterals(t *testing.T) {
	for _, c := range []struct {
		old   float32
		code  scale.E4M3
		r     scale.Rounding
		scale scale.E8M0
		want  scale.E4M3
	}{
		{1.5, 0x40, up, 0x80, 0x3C},   // 1.5 * 2 = 3 = 2 * 1.5
		{1.5, 0x40, down, 0x7F, 0x44}, // 3 = 1 * 3
		{1.5, 0x7E, up, 0x80, 0x7A},   // 672 = 2 * 336, a tie between 320 and 352: 0x7A is even
		{1.5, 0x7E, down, 0x7F, 0x7E}, // 672 is past 448
		{1.5, 0xFE, down, 0x7F, 0xFE},
		{1, 0x7E, up, 0x7F, 0x7E},
		{1.5, 0x80, up, 0x80, 0x80}, // -0 stays
		{1.5, 0x01, up, 0x80, 0x01}, // 1.5 * 2^-9 = 2 * 0.75 * 2^-9
		{1.25, 0x01, up, 0x80, 0x01},
		{0.5, 0x08, even, 0x7E, 0x08},
		{0x1p-140, 0x7E, up, 0x00, 0x16}, // 448 * 2^-13 = 1.75 * 2^-5
		{0, 0x7E, up, 0x00, 0x00},
		{0, 0xFE, up, 0x00, 0x80},
	} {
		codes, g, err := scale.RequantizeE8M0([]scale.E4M3{c.code}, 1, oneScale(c.old), c.r)
		if err != nil {
			t.Errorf("scale %g, code %#02x: %v", c.old, uint8(c.code), err)
			continue
		}
		what := fmt.Sprintf("scale %g, code %#02x, rounding %d", c.old, uint8(c.code), c.r)
		wantCodes(t, what, codes, []scale.E4M3{c.want})
		wantCodes(t, what, g.Codes(), []scale.E8M0{c.scale})
	}
}

func TestRequantizeNaNScaleMarksItsBlock(t *testing.T) {
	for _, r := range roundings {
		_, g, err := scale.RequantizeE8M0([]scale.E4M3{0x38}, 1, oneScale(f32(0x7FC00000)), r)
		if err != nil {
			t.Fatal(err)
		}
		wantCodes(t, "NaN scale", g.Codes(), []scale.E8M0{0xFF})
	}
}

// Infinite and negative scales, and those that round above 2^127, have no stand-in
// among the powers of two: saturating would change the numbers without a word.
func TestRequantizeRefusesScalesWithoutStandIn(t *testing.T) {
	for _, c := range []struct {
		bits      uint32
		roundings []scale.Rounding
	}{
		{0x7F800000, roundings},                        // +Inf
		{0xFF800000, roundings},                        // -Inf
		{0xBF800000, roundings},                        // -1
		{0x80000001, roundings},                        // -2^-149
		{0x7F000001, []scale.Rounding{up}},             // just above 2^127
		{0x7F400000, []scale.Rounding{up, away}},       // 1.5*2^127
		{0x7F7FFFFF, []scale.Rounding{up, away, even}}, // the largest float32
	} {
		for _, r := range c.roundings {
			codes, _, err := scale.RequantizeE8M0([]scale.E4M3{0x7E}, 1, oneScale(f32(c.bits)), r)
			if !errors.Is(err, scale.ErrInexact) || codes != nil {
				t.Errorf("scale %#08x, rounding %v: got %v, %v, want ErrInexact", c.bits, r, codes, err)
			}
		}
	}
	_, g, err := scale.RequantizeE8M0([]scale.E4M3{0x38}, 1, oneScale(f32(0x7F400000)), even)
	if err != nil {
		t.Fatal(err)
	}
	wantCodes(t, "1.5*2^127 to even", g.Codes(), []scale.E8M0{0xFE})
}

func TestRequantizeKeepsNaN(t *testing.T) {
	codes, _, err := scale.RequantizeE8M0([]scale.E4M3{0x7F, 0xFF}, 2, must(scale.NewFP32Grid(scale.RowMajor(1, 2, 1, 2), []float32{1.5})), up)
	if err != nil || !codes[0].IsNaN() || !codes[1].IsNaN() {
		t.Errorf("got %v, %v", codes, err)
	}
}

func TestRequantizeErrors(t *testing.T) {
	g := must(scale.NewFP32Grid(scale.RowMajor(2, 3, 1, 3), []float32{1, 1}))
	codes := make([]scale.E4M3, 6)
	for _, c := range []struct {
		name   string
		codes  []scale.E4M3
		stride int
		r      scale.Rounding
		kind   error
	}{
		{"undefined rounding", codes, 3, 0, scale.ErrOption},
		{"rounding past the last", codes, 3, 5, scale.ErrOption},
		{"short stride", codes, 2, up, scale.ErrStride},
		{"negative stride", codes, -3, up, scale.ErrStride},
		{"short codes", codes[:5], 3, up, scale.ErrShape},
		{"short codes of a longer stride", codes, 4, up, scale.ErrShape},
		{"no codes", nil, 3, up, scale.ErrShape},
		{"huge stride", codes, math.MaxInt, up, scale.ErrShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := scale.RequantizeE8M0(c.codes, c.stride, g, c.r)
			wantMismatch(t, err, c.kind)
			if c.kind != scale.ErrOption {
				wantMismatch(t, scale.CheckCodes(c.codes, c.stride, g), c.kind)
			}
		})
	}
	if err := scale.CheckCodes(make([]scale.E4M3, 7), 4, g); err != nil {
		t.Errorf("7 codes hold two rows of 3 with stride 4: %v", err)
	}
}

// Every new code is the nearest E4M3 to code*old/new, in exact rationals.
func TestRequantizeMatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		values := make([]float32, l.Len())
		for i := range values {
			bits := rapid.Uint32Range(1, 0x7EFFFFFF).Draw(t, "scale") // positive, to 2^127
			if rapid.Bool().Draw(t, "tame") {
				bits = 0x3F000000 + bits&0x01FFFFFF // 0.5 to 8
			}
			values[i] = f32(bits)
		}
		g := must(scale.NewFP32Grid(l, values))
		stride := l.Cols + rapid.IntRange(0, 3).Draw(t, "padding")
		codes := make([]scale.E4M3, l.Rows*stride)
		for i := range codes {
			codes[i] = scale.E4M3(rapid.Byte().Draw(t, "code"))
		}
		r := rapid.SampledFrom(roundings).Draw(t, "rounding")
		out, to, err := scale.RequantizeE8M0(codes, stride, g, r)
		if err != nil {
			t.Fatal(err)
		}
		checkDense(t, "RequantizeE8M0", to, l)
		for row := range l.Rows {
			for col := range l.Cols {
				old, code := slowAt(g, row, col), codes[row*stride+col]
				i := blockOf(row, l.BlockRows, l.RowOffset)*max(1, l.GridCols()) + blockOf(col, l.BlockCols, 0)
				if got, want := to.Codes()[i], modelE8M0(float64(old), r, sat); got != want {
					t.Fatalf("scale %g, rounding %d: got %#02x, want %#02x", old, r, uint8(got), uint8(want))
				}
				if got, want := out[row*l.Cols+col], requantized(code, old, to.Codes()[i]); got != want && !(got.IsNaN() && want.IsNaN()) {
					t.Fatalf("scale %g to %#02x, code %#02x: got %#02x, want %#02x", old, uint8(to.Codes()[i]), uint8(code), uint8(got), uint8(want))
				}
			}
		}
	})
}

// requantized searches the nearest code to code*old*2^(127-new).
func requantized(code scale.E4M3, old float32, to scale.E8M0) scale.E4M3 {
	if magnitude := int(code & 0x7F); magnitude != 0x7F {
		x := new(big.Rat).Mul(rat(e4m3Model.value(magnitude)), rat(float64(old)))
		x.Mul(x, ratPow2(127-int(to)))
		best := 0
		for best < 0x7E {
			side := x.Cmp(rat(e4m3Model.mids[best]))
			if side < 0 || side == 0 && best%2 == 0 {
				break
			}
			best++
		}
		return scale.E4M3(best) | code&0x80
	}
	return code
}
