package ref_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// What Check rejects, with the sentinel and a word that the message must hold.
// MatMul and Element say the same and MatMul leaves dst alone.
func TestCheckRejects(t *testing.T) {
	blocks := func(k, bk int, fp32 bool) ref.Operand {
		p := everywhere(one, 2, k, 1, bk, repeated(2, make([]uint32, (k+bk-1)/bk)...)...)
		if fp32 {
			p = p.fp32()
		}
		return p.operand(t, newRand())
	}
	good := ref.F32ScaleMMA(ref.SM120, 128, scale.Float32)
	with := func(change func(r *ref.Recipe)) ref.Recipe {
		r := good
		change(&r)
		return r
	}
	a := blocks(256, 128, false)
	tests := []struct {
		what string
		a, b ref.Operand
		r    ref.Recipe
		kind error
		says string
	}{
		{"no scales of A", ref.Operand{}, a, good, scale.ErrUnsetScale, "A"},
		{"no scales of B", a, ref.Operand{}, good, scale.ErrUnsetScale, "B"},
		{"another K", a, blocks(255, 128, false), good, scale.ErrShape, "255"},
		{"another K, exactly", a, blocks(257, 128, false), ref.Exact(scale.Float32), scale.ErrShape, "257"},
		{"blocks of A too short", blocks(256, 64, false), a, good, scale.ErrBlock, "64"},
		{"blocks of B too short", a, blocks(256, 64, false), good, scale.ErrBlock, "64"},
		{"blocks no multiple of a partial", blocks(512, 192, false), blocks(512, 192, false), good, scale.ErrBlock, "192"},
		{"no partial", a, a, with(func(r *ref.Recipe) { r.KPerPartial = 0 }), scale.ErrBlock, "0"},
		{"negative partial", a, a, with(func(r *ref.Recipe) { r.KPerPartial = -32 }), scale.ErrBlock, "-32"},
		{"half an MMA", a, a, with(func(r *ref.Recipe) { r.KPerPartial = 16 }), scale.ErrBlock, "16"},
		{"an MMA and a half", a, a, with(func(r *ref.Recipe) { r.KPerPartial = 48 }), scale.ErrBlock, "48"},
		{"huge partial", a, a, with(func(r *ref.Recipe) { r.KPerPartial = math.MaxInt &^ 31 }), scale.ErrBlock, "partial"},
		{"unknown scaling", a, a, with(func(r *ref.Recipe) { r.Scaling = 6 }), scale.ErrOption, "scaling"},
		{"unknown scaling 255", a, a, with(func(r *ref.Recipe) { r.Scaling = 255 }), scale.ErrOption, "scaling"},
		{"unknown output", a, a, with(func(r *ref.Recipe) { r.Output = 3 }), scale.ErrOption, "output"},
		{"negative splits", a, a, with(func(r *ref.Recipe) { r.Splits = -1 }), scale.ErrOption, "-1"},
		{"scales for a datapath that takes none", a, a, ref.Recipe{Datapath: ref.SM120, Scaling: ref.InMMA}, scale.ErrOption, "in-mma"},
		{"no scales for one that does", a, a, ref.F32ScaleMMA(ref.SM120MX, 128, scale.Float32), scale.ErrOption, "in-mma"},
		{"unrounded on a chip", a, a, ref.Recipe{Datapath: ref.SM120, Scaling: ref.Unrounded}, scale.ErrOption, "sm120"},
		{"no datapath", a, a, with(func(r *ref.Recipe) { r.Datapath = ref.Datapath{} }), scale.ErrOption, "datapath"},
		{"unknown grouping", a, a, with(func(r *ref.Recipe) { r.Datapath.Grouping = 3 }), scale.ErrOption, "datapath"},
		{"too few bits", a, a, with(func(r *ref.Recipe) { r.Datapath.FractionBits = 11 }), scale.ErrOption, "11"},
		{"too many bits", a, a, with(func(r *ref.Recipe) { r.Datapath.FractionBits = 27 }), scale.ErrOption, "27"},
		{"more bits than float32", a, a, with(func(r *ref.Recipe) { r.Datapath.ResultBits = 24 }), scale.ErrOption, "24"},
		{"float32 scales in the MMA", blocks(256, 128, true), a, ref.UE8M0MX(scale.Float32), scale.ErrInexact, "A"},
		{"float32 scales in the MMA, B", a, blocks(256, 128, true), ref.UE8M0MX(scale.Float32), scale.ErrInexact, "B"},
		{"blocks that cut an MMA", a, blocks(256, 48, false), ref.UE8M0MX(scale.Float32), scale.ErrBlock, "48"},
		{"splits in the MMA", a, a, func() ref.Recipe { r := ref.UE8M0MX(scale.Float32); r.Splits = 2; return r }(), scale.ErrOption, "2"},
		{"splits of an exact sum", a, a, func() ref.Recipe { r := ref.Exact(scale.Float32); r.Splits = 2; return r }(), scale.ErrOption, "2"},
		{"partials of an exact sum", a, a, func() ref.Recipe { r := ref.Exact(scale.Float32); r.KPerPartial = 128; return r }(), scale.ErrBlock, "128"},
	}
	for _, test := range tests {
		c := ref.NewMatrix(2, 2)
		for i := range c.Data {
			c.Data[i] = bitsFloat(guard)
		}
		_, elementErr := ref.Element(test.a, test.b, test.r, 0, 0)
		_, boundErr := ref.Bound(test.a, test.b, test.r, 0, 0)
		for who, err := range map[string]error{
			"Check": test.r.Check(test.a, test.b), "MatMul": ref.MatMul(c, test.a, test.b, test.r), "Element": elementErr, "Bound": boundErr,
		} {
			var mismatch *scale.Mismatch
			if !errors.Is(err, test.kind) || !errors.As(err, &mismatch) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %s: %v, want %v that says %q", test.what, who, err, test.kind, test.says)
			}
		}
		for _, v := range c.Data {
			if floatBits(v) != guard {
				t.Errorf("%s: MatMul wrote to dst", test.what)
			}
		}
	}
}

// One block has no edges inside K: it may have any length.
func TestCheckTakesOneBlockOfAnyLength(t *testing.T) {
	for _, bk := range []int{100, 101, 1 << 30} {
		a, b := everywhere(one, 1, 100, 1, bk, []uint32{0x80}), everywhere(one, 1, 100, 1, bk, []uint32{0x81})
		for _, r := range recipesFor(64) {
			if got := single11(t, a, b, r); got != 800 {
				t.Errorf("%v, blocks of %d: %g, want 800", r, bk, got)
			}
		}
	}
}

func TestMatMulRejectsDestinations(t *testing.T) {
	x := everywhere(one, 3, 32, 1, 32, repeated(3, 0x7F)...).operand(t, newRand())
	y := everywhere(one, 4, 32, 1, 32, repeated(4, 0x7F)...).operand(t, newRand())
	for _, test := range []struct {
		what                  string
		rows, cols, stride, n int
		kind                  error
	}{
		{"one row less", 2, 4, 4, 12, scale.ErrShape},
		{"transposed", 4, 3, 4, 16, scale.ErrShape},
		{"one column more", 3, 5, 5, 15, scale.ErrShape},
		{"short", 3, 4, 4, 11, scale.ErrShape},
		{"short by its stride", 3, 4, 5, 13, scale.ErrShape},
		{"no data", 3, 4, 4, 0, scale.ErrShape},
		{"rows that overlap", 3, 4, 3, 12, scale.ErrStride},
		{"no stride", 3, 4, 0, 12, scale.ErrStride},
		{"negative stride", 3, 4, -4, 12, scale.ErrStride},
		{"negative extent", -3, 4, 4, 12, scale.ErrShape},
		{"both negative", -3, -4, 4, 12, scale.ErrShape},
	} {
		c := ref.Matrix{Rows: test.rows, Cols: test.cols, Stride: test.stride, Data: make([]float32, test.n)}
		if err := ref.MatMul(c, x, y, ref.Exact(scale.Float32)); !errors.Is(err, test.kind) {
			t.Errorf("%s: %v, want %v", test.what, err, test.kind)
		}
		for _, v := range c.Data {
			if v != 0 {
				t.Errorf("%s: MatMul wrote to dst", test.what)
			}
		}
	}
	// The last row need not have its padding.
	c := ref.Matrix{Rows: 3, Cols: 4, Stride: 10, Data: make([]float32, 24)}
	if err := ref.MatMul(c, x, y, ref.Exact(scale.Float32)); err != nil || c.Row(2)[3] != 32 {
		t.Errorf("a destination that ends with its last element: %v", err)
	}
}

func TestNewOperandRejects(t *testing.T) {
	g, err := scale.NewE8M0Grid(scale.RowMajor(3, 10, 1, 32), make([]scale.E8M0, 3))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what      string
		n, stride int
		kind      error
	}{
		{"one code short", 29, 10, scale.ErrShape},
		{"short by its stride", 31, 11, scale.ErrShape},
		{"no codes", 0, 10, scale.ErrShape},
		{"rows that overlap", 30, 9, scale.ErrStride},
		{"negative stride", 30, -10, scale.ErrStride},
		{"stride past all memory", 30, math.MaxInt, scale.ErrShape},
	} {
		if _, err := ref.NewOperand(make([]scale.E4M3, test.n), test.stride, g); !errors.Is(err, test.kind) {
			t.Errorf("%s: %v, want %v", test.what, err, test.kind)
		}
	}
	if _, err := ref.NewOperand(make([]scale.E4M3, 32), 11, g); err != nil {
		t.Errorf("an operand that ends with its last code: %v", err)
	}
}

// Shards share memory and know where they are.
func TestOperandSlices(t *testing.T) {
	p := shape{rows: 10, k: 100, br: 4, bk: 32, off: 3, e8: true}.draw(newRand())
	o := p.operand(t, newRand())
	for from := 0; from <= 10; from++ {
		for to := from; to <= 10; to++ {
			part, err := o.SliceRows(from, to)
			if err != nil || part.Rows() != to-from || part.K() != 100 {
				t.Fatalf("rows %d to %d: %v, %v", from, to, part, err)
			}
			for i := range part.Rows() {
				if &part.Row(i)[0] != &o.Row(from + i)[0] {
					t.Fatalf("rows %d to %d: row %d lies elsewhere", from, to, i)
				}
			}
		}
	}
	for _, ends := range [][2]int{{0, 32}, {32, 64}, {32, 100}, {96, 100}, {0, 100}, {64, 64}, {100, 100}} {
		part, err := o.SliceK(ends[0], ends[1])
		if err != nil || part.Rows() != 10 || part.K() != ends[1]-ends[0] {
			t.Fatalf("columns %v: %v, %v", ends, part, err)
		}
		for i := range 10 {
			row := part.Row(i)
			for k, c := range row {
				if byte(c) != p.codes[i][ends[0]+k] {
					t.Fatalf("columns %v: row %d differs", ends, i)
				}
			}
		}
	}
	for _, ends := range [][2]int{{-1, 3}, {0, 11}, {5, 4}, {11, 11}} {
		if _, err := o.SliceRows(ends[0], ends[1]); !errors.Is(err, scale.ErrShape) {
			t.Errorf("rows %v: %v", ends, err)
		}
	}
	for _, ends := range [][2]int{{1, 32}, {0, 33}, {32, 99}} {
		if _, err := o.SliceK(ends[0], ends[1]); err == nil {
			t.Errorf("columns %v cut a block", ends)
		}
	}
	if _, err := (ref.Operand{}).SliceRows(0, 0); !errors.Is(err, scale.ErrUnsetScale) {
		t.Errorf("rows of an operand without scales: %v", err)
	}
	if _, err := (ref.Operand{}).SliceK(0, 0); !errors.Is(err, scale.ErrUnsetScale) {
		t.Errorf("columns of an operand without scales: %v", err)
	}
}

// Reports name recipes: different ones must not look alike.
func TestRecipeNamesDiffer(t *testing.T) {
	for name, r := range map[string]ref.Recipe{
		"sm120/act-then-weight/k128/bf16":         ref.Triton(ref.SM120, 128, scale.BFloat16),
		"sm90wgmma/product-first/k128/bf16":       ref.DeepGEMM(ref.SM90WGMMA, scale.BFloat16),
		"sm90wgmma/act-then-weight/k64/float32":   ref.F32ScaleWGMMA(64, scale.Float32),
		"sm120mx/in-mma/fp16":                     ref.UE8M0MX(scale.Float16),
		"exact/unrounded/float32":                 ref.Exact(scale.Float32),
		"sm89/act-then-weight/k32/split3/float32": {Datapath: ref.SM89, KPerPartial: 32, Splits: 3},
	} {
		if r.String() != name {
			t.Errorf("%q, want %q", r, name)
		}
	}
}
