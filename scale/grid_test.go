package scale_test

import (
	"math"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

func TestGridAt(t *testing.T) {
	l := scale.RowMajor(256, 384, 128, 128)
	e8m0 := must(scale.NewE8M0Grid(l, []scale.E8M0{0x00, 0x7F, 0x80, 0x7E, 0xFE, 0xFF}))
	fp32 := must(scale.NewFP32Grid(l, []float32{1, 2, 3, 4, 5, -6}))
	for _, c := range []struct {
		row, col int
		e8m0     uint32
		fp32     float32
	}{
		{0, 0, 0x00400000, 1},
		{0, 1, 0x3F800000, 2},
		{0, 2, 0x40000000, 3},
		{1, 0, 0x3F000000, 4},
		{1, 1, 0x7F000000, 5},
		{1, 2, 0x7FC00000, -6},
	} {
		wantBits32(t, "E8M0 At", e8m0.At(c.row, c.col), c.e8m0)
		wantBits32(t, "FP32 At", fp32.At(c.row, c.col), math.Float32bits(c.fp32))
	}
	if !e8m0.IsE8M0() || fp32.IsE8M0() || !e8m0.IsSet() || !fp32.IsSet() {
		t.Error("the grids do not know what they hold")
	}
	if e8m0.Layout() != l || fp32.Layout() != l {
		t.Error("Layout is not the one given")
	}
}

// The grid refers to the storage it was given, padding included.
func TestGridSharesStorage(t *testing.T) {
	l := scale.RowMajor(2, 2, 1, 1)
	codes, values := []scale.E8M0{1, 2, 3, 4, 5}, []float32{1, 2, 3, 4, 5}
	e8m0, fp32 := must(scale.NewE8M0Grid(l, codes)), must(scale.NewFP32Grid(l, values))
	if got := e8m0.Codes(); len(got) != 5 || &got[0] != &codes[0] || e8m0.Values() != nil {
		t.Error("Codes is not the storage given")
	}
	if got := fp32.Values(); len(got) != 5 || &got[0] != &values[0] || fp32.Codes() != nil {
		t.Error("Values is not the storage given")
	}
}

func TestNewGridErrors(t *testing.T) {
	l := scale.RowMajor(256, 512, 128, 128)                                                                    // 8 scales
	strided := scale.Layout{Rows: 256, Cols: 512, BlockRows: 128, BlockCols: 128, RowStride: 10, ColStride: 2} // 17 scales
	for _, c := range []struct {
		name   string
		layout scale.Layout
		n      int // -1: nil
		kind   error
	}{
		{"enough", l, 8, nil},
		{"more", l, 9, nil},
		{"one short", l, 7, scale.ErrShape},
		{"empty", l, 0, scale.ErrShape},
		{"nil", l, -1, scale.ErrUnsetScale},
		{"strided", strided, 17, nil},
		{"strided, one short", strided, 16, scale.ErrShape},
		{"nil for nothing", scale.RowMajor(0, 512, 128, 128), -1, nil},
		{"empty for nothing", scale.RowMajor(256, 0, 128, 128), 0, nil},
		{"bad layout before nil", scale.Layout{}, -1, scale.ErrBlock},
		{"bad strides", scale.Layout{Rows: 256, Cols: 512, BlockRows: 128, BlockCols: 128, RowStride: 1, ColStride: 1}, 8, scale.ErrStride},
		{"far too short", scale.Layout{Rows: 2, Cols: 1, BlockRows: 1, BlockCols: 1, RowStride: 1 << 40, ColStride: 1}, 8, scale.ErrShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			var codes []scale.E8M0
			var values []float32
			if c.n >= 0 {
				codes, values = make([]scale.E8M0, c.n), make([]float32, c.n)
			}
			e8m0, errE8M0 := scale.NewE8M0Grid(c.layout, codes)
			fp32, errFP32 := scale.NewFP32Grid(c.layout, values)
			if c.kind == nil {
				if errE8M0 != nil || errFP32 != nil || !e8m0.IsSet() || !fp32.IsSet() {
					t.Errorf("got %v and %v", errE8M0, errFP32)
				}
				return
			}
			wantMismatch(t, errE8M0, c.kind)
			wantMismatch(t, errFP32, c.kind)
			if e8m0.IsSet() || fp32.IsSet() {
				t.Error("a failed constructor returned a usable grid")
			}
		})
	}
}

// UnsetScale is refused in every block that the operand uses and only there.
func TestUnsetScaleWhereUsed(t *testing.T) {
	if bits := math.Float32bits(scale.UnsetScale); bits != 0xFF7FFFFF {
		t.Errorf("UnsetScale is %#08x, want 0xff7fffff", bits)
	}
	l := scale.ColMajor(3, 2, 1, 1, 4) // 3 used rows of 4 in each column
	used := map[int]bool{0: true, 1: true, 2: true, 4: true, 5: true, 6: true}
	for i := range 9 {
		values := []float32{1, 1, 1, 1, 1, 1, 1, 1, 1}
		values[i] = scale.UnsetScale
		_, err := scale.NewFP32Grid(l, values)
		if used[i] {
			wantMismatch(t, err, scale.ErrUnsetScale)
		} else if err != nil {
			t.Errorf("scale %d is padding: %v", i, err)
		}
	}
}

func TestFP32GridTakesEveryOtherValue(t *testing.T) {
	for _, bits := range append(weird32, 0xFF7FFFFE) {
		if bits == 0xFF7FFFFF {
			continue
		}
		g, err := scale.NewFP32Grid(scale.RowMajor(1, 1, 1, 1), []float32{f32(bits)})
		if err != nil {
			t.Errorf("%#08x: %v", bits, err)
			continue
		}
		if got := g.At(0, 0); !sameScale(got, f32(bits)) {
			t.Errorf("%#08x: At gives %g", bits, got)
		}
	}
}

// Everything that uses a zero Grid says that its scales are not set.
func TestZeroGridIsUnset(t *testing.T) {
	var g scale.Grid
	if g.IsSet() || g.IsE8M0() || g.Codes() != nil || g.Values() != nil {
		t.Error("the zero Grid holds something")
	}
	for name, use := range map[string]func() error{
		"CheckCodes":     func() error { return scale.CheckCodes(nil, 0, g) },
		"RequantizeE8M0": func() error { _, _, err := scale.RequantizeE8M0(nil, 0, g, scale.RoundUp); return err },
		"SliceRows":      func() error { _, err := g.SliceRows(0, 0); return err },
		"SliceRows(0,1)": func() error { _, err := g.SliceRows(0, 1); return err },
		"SliceCols":      func() error { _, err := g.SliceCols(0, 0); return err },
		"ToFP32":         func() error { _, err := g.ToFP32(scale.OCP); return err },
		"ToE8M0":         func() error { _, err := g.ToE8M0(); return err },
		"PackUE8M0":      func() error { _, err := scale.PackUE8M0(g); return err },
	} {
		t.Run(name, func(t *testing.T) {
			wantNoPanic(t, name, func() { wantMismatch(t, use(), scale.ErrUnsetScale) })
		})
	}
}

// Grids of empty operands keep their kind and go through everything.
func TestEmptyGrids(t *testing.T) {
	for _, l := range []scale.Layout{
		scale.RowMajor(0, 0, 128, 128), scale.RowMajor(0, 300, 128, 128), scale.RowMajor(300, 0, 128, 128),
	} {
		e8m0, fp32 := must(scale.NewE8M0Grid(l, nil)), must(scale.NewFP32Grid(l, nil))
		for _, g := range []scale.Grid{e8m0, fp32} {
			if part, err := g.SliceRows(0, l.Rows); err != nil || !part.IsSet() || part.IsE8M0() != g.IsE8M0() {
				t.Errorf("%v: SliceRows: %v", l, err)
			}
			if part, err := g.SliceCols(0, l.Cols); err != nil || !part.IsSet() || part.IsE8M0() != g.IsE8M0() {
				t.Errorf("%v: SliceCols: %v", l, err)
			}
			if to, err := g.ToFP32(scale.OCP); err != nil || !to.IsSet() || to.IsE8M0() {
				t.Errorf("%v: ToFP32: %v", l, err)
			}
			if to, err := g.ToE8M0(); err != nil || !to.IsE8M0() {
				t.Errorf("%v: ToE8M0: %v", l, err)
			}
			if codes, to, err := scale.RequantizeE8M0(nil, l.Cols, g, scale.RoundUp); err != nil || len(codes) != 0 || !to.IsE8M0() {
				t.Errorf("%v: RequantizeE8M0: %v", l, err)
			}
		}
		words, err := scale.PackUE8M0(e8m0)
		if err != nil || len(words) != 0 {
			t.Errorf("%v: PackUE8M0: %v, %v", l, words, err)
		}
		if g, err := scale.UnpackUE8M0(words, l); err != nil || !g.IsE8M0() {
			t.Errorf("%v: UnpackUE8M0: %v", l, err)
		}
	}
}

// drawGrid draws a grid over a drawn layout: E8M0 codes or float32 bits.
// Padding is poison in the sense of the caller.
func drawGrid(t *rapid.T, l scale.Layout) scale.Grid {
	if rapid.Bool().Draw(t, "e8m0") {
		codes := make([]scale.E8M0, l.Len())
		for i := range codes {
			codes[i] = scale.E8M0(rapid.Byte().Draw(t, "scale"))
		}
		return must(scale.NewE8M0Grid(l, codes))
	}
	values := make([]float32, l.Len())
	for i := range values {
		if values[i] = drawFloat32(t, "scale"); values[i] == scale.UnsetScale {
			values[i] = 1
		}
	}
	return must(scale.NewFP32Grid(l, values))
}

// slowAt is the scale of an element, straight from the storage.
func slowAt(g scale.Grid, row, col int) float32 {
	l := g.Layout()
	i := blockOf(row, l.BlockRows, l.RowOffset)*l.RowStride + blockOf(col, l.BlockCols, 0)*l.ColStride
	if !g.IsE8M0() {
		return g.Values()[i]
	}
	if c := g.Codes()[i]; c != 0xFF {
		return float32(math.Ldexp(1, int(c)-127))
	}
	return float32(math.NaN())
}

func TestGridSlicesMatchWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		g := drawGrid(t, l)
		// Two cuts, one within the other: the second starts from an offset.
		from := rapid.IntRange(0, l.Rows).Draw(t, "from")
		to := rapid.IntRange(from, l.Rows).Draw(t, "to")
		skip := rapid.IntRange(0, to-from).Draw(t, "skip")
		colFrom := rapid.IntRange(0, max(0, l.GridCols()-1)).Draw(t, "colFrom") * l.BlockCols
		part := must(must(must(g.SliceRows(from, to)).SliceRows(skip, to-from)).SliceCols(colFrom, l.Cols))
		if part.Layout().Rows != to-from-skip || part.Layout().Cols != l.Cols-colFrom {
			t.Fatalf("%v: the part is %v", l, part.Layout())
		}
		for row := range part.Layout().Rows {
			for col := range part.Layout().Cols {
				got, want := slowAt(part, row, col), slowAt(g, from+skip+row, colFrom+col)
				if !sameScale(got, want) {
					t.Fatalf("%v, element (%d, %d): got %g, want %g", part.Layout(), row, col, got, want)
				}
				if at := part.At((part.Layout().RowOffset+row)/l.BlockRows, col/l.BlockCols); !sameScale(at, want) {
					t.Fatalf("%v, element (%d, %d): At gives %g, want %g", part.Layout(), row, col, at, want)
				}
			}
		}
	})
}

func TestGridSliceErrors(t *testing.T) {
	for _, g := range []scale.Grid{
		must(scale.NewE8M0Grid(scale.RowMajor(256, 256, 128, 128), make([]scale.E8M0, 4))),
		must(scale.NewFP32Grid(scale.RowMajor(256, 256, 128, 128), make([]float32, 4))),
	} {
		_, err := g.SliceRows(0, 257)
		wantMismatch(t, err, scale.ErrShape)
		_, err = g.SliceCols(-128, 0)
		wantMismatch(t, err, scale.ErrShape)
		part, err := g.SliceCols(64, 192)
		wantMismatch(t, err, scale.ErrBlock)
		if part.IsSet() {
			t.Error("a failed slice is usable")
		}
	}
}
