package ref_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

func rowOf(v ...uint32) ref.Matrix {
	c := ref.NewMatrix(1, len(v))
	for i, b := range v {
		c.Data[i] = bitsFloat(b)
	}
	return c
}

// Distances by hand: neighbours are 1 apart, both zeros are values of their own,
// infinity follows the largest number.
func TestULPDistance(t *testing.T) {
	const far = math.MaxUint64
	tests := []struct {
		x, y            uint32
		f32, bf16, fp16 uint64 // 0 also where the values are no values of the format
	}{
		{0x00000000, 0x00000000, 0, 0, 0},
		{0x00000000, 0x80000000, 1, 1, 1},
		{0x3F800000, 0x3F800001, 1, 0, 0},
		{0x3F800000, 0x3F810000, 0x10000, 1, 8},
		{0x3F800000, 0x3F802000, 0x2000, 0, 1},
		{0x3F800000, 0x40000000, 0x800000, 128, 1024},
		{0x3F800000, 0xBF800000, 2*0x3F800000 + 1, 2*0x3F80 + 1, 2*0x3C00 + 1},
		{0x00000001, 0x80000001, 3, 0, 0},
		{0x33800000, 0xB3800000, 2*0x33800000 + 1, 2*0x3380 + 1, 3},
		{0x7F7FFFFF, 0x7F800000, 1, 0, 0},
		{0x477FE000, 0x7F800000, 0x7F800000 - 0x477FE000, 0, 1},
		{0x7F7F0000, 0x7F800000, 0x10000, 1, 0},
		{0x7F800000, 0xFF800000, 2*0x7F800000 + 1, 2*0x7F80 + 1, 2*0x7C00 + 1},
		{0x7FC00000, 0x7F800000, far, far, far},
		{0x3F800000, 0x7FFFFFFF, far, far, far},
		{0x7FC00000, 0xFFC12345, 0, 0, 0},
	}
	for _, test := range tests {
		for i, want := range []uint64{test.f32, test.bf16, test.fp16} {
			x, y := bitsFloat(test.x), bitsFloat(test.y)
			if want == 0 && (formats[i].Round(float64(x)) != x || formats[i].Round(float64(y)) != y) && x == x {
				continue
			}
			if got, back := ref.ULPDistance(x, y, formats[i]), ref.ULPDistance(y, x, formats[i]); got != want || back != want {
				t.Errorf("%v: %08x and %08x are %d and %d apart, want %d", formats[i], test.x, test.y, got, back, want)
			}
		}
	}
}

func TestCompareFindsDifferences(t *testing.T) {
	want := ref.Matrix{Rows: 3, Cols: 4, Stride: 6, Data: make([]float32, 16)}
	got := ref.Matrix{Rows: 3, Cols: 4, Stride: 4, Data: make([]float32, 12)}
	for m := range 3 {
		for n := range 4 {
			want.Row(m)[n], got.Row(m)[n] = float32(1+m*4+n), float32(1+m*4+n)
		}
	}
	want.Data[4], want.Data[5] = 77, 88 // between rows
	want.Row(0)[0], got.Row(0)[0] = bitsFloat(0x7FFFFFFF), bitsFloat(0xFFC00001)
	r, err := ref.Compare(got, want, scale.Float32)
	if err != nil || !r.Equal() || r.Total != 12 || r.Different != 0 || r.MaxULP != 0 || len(r.First) != 0 {
		t.Fatalf("equal but for a NaN's payload: %+v, %v", r, err)
	}
	got.Row(1)[2] = bitsFloat(floatBits(7) + 3)
	got.Row(2)[0] = bitsFloat(floatBits(9) - 1)
	got.Row(2)[3] = bitsFloat(0x7FC00000)
	r, err = ref.Compare(got, want, scale.Float32)
	if err != nil || r.Equal() || r.Total != 12 || r.Different != 3 || r.MaxULP != math.MaxUint64 || len(r.First) != 3 {
		t.Fatalf("three differences: %+v, %v", r, err)
	}
	for i, at := range [][3]uint64{{1, 2, 3}, {2, 0, 1}, {2, 3, math.MaxUint64}} {
		d := r.First[i]
		if d.M != int(at[0]) || d.N != int(at[1]) || d.ULP != at[2] || !sameBits(d.Got, got.Row(d.M)[d.N]) || d.Want != want.Row(d.M)[d.N] {
			t.Errorf("difference %d is %+v, want [%d,%d] by %d", i, d, at[0], at[1], at[2])
		}
	}
	if s := r.String(); !strings.Contains(s, "3 of 12") || !strings.Contains(s, "C[1,2]") || !strings.Contains(s, "0x40E00003") {
		t.Errorf("the report says %q", s)
	}
}

// Everything that a tolerance would forgive.
func TestCompareForgivesNothing(t *testing.T) {
	for _, test := range []struct{ got, want uint32 }{
		{0x80000000, 0x00000000},
		{0x00000000, 0x80000000},
		{0x00000001, 0x00000000},
		{0x3F800001, 0x3F800000},
		{0x7F800000, 0x7F7FFFFF},
		{0x7FC00000, 0x00000000},
		{0x00000000, 0x7FC00000},
		{0x7FC00000, 0x7F800000},
		{0xFF800000, 0x7F800000},
	} {
		r, err := ref.Compare(rowOf(test.got), rowOf(test.want), scale.Float32)
		if err != nil || r.Different != 1 {
			t.Errorf("%08x for %08x: %+v, %v", test.got, test.want, r, err)
		}
	}
}

func TestCompareCountsAllButKeepsTheFirst(t *testing.T) {
	got, want := ref.NewMatrix(50, 50), ref.NewMatrix(50, 50)
	for i := range got.Data {
		got.Data[i] = 1
	}
	r, err := ref.Compare(got, want, scale.Float16)
	if err != nil || r.Different != 2500 || len(r.First) != ref.MaxDifferences || r.MaxULP != 0x3C00 {
		t.Fatalf("%d differences, %d kept, %d ULP, %v", r.Different, len(r.First), r.MaxULP, err)
	}
	if d := r.First[63]; d.M != 1 || d.N != 13 {
		t.Errorf("the 64th is [%d,%d], want [1,13]", d.M, d.N)
	}
}

// The report shows ten differences, counts the rest, and calls a NaN a NaN.
func TestReportText(t *testing.T) {
	got, want := ref.NewMatrix(1, 13), ref.NewMatrix(1, 13)
	for i := range got.Data {
		got.Data[i] = 1
	}
	got.Data[12] = bitsFloat(0x7FC00000)
	r, err := ref.Compare(got, want, scale.BFloat16)
	if err != nil {
		t.Fatal(err)
	}
	text := r.String()
	for _, part := range []string{"13 of 13 elements differ (bf16)", "NaN against a number", "C[0,0]: got 1 (0x3F80), want 0 (0x0000), 16256 ULP", "C[0,9]:", "and 3 more"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	if strings.Contains(text, "C[0,10]") {
		t.Errorf("more than ten differences in\n%s", text)
	}
	if r, err = ref.Compare(want, want, scale.BFloat16); err != nil || r.String() != "all 13 elements equal in every bit (bf16)" {
		t.Errorf("equal: %q, %v", r, err)
	}
}

func TestCompareRejects(t *testing.T) {
	for _, test := range []struct {
		what      string
		got, want ref.Matrix
		f         scale.Format
		kind      error
	}{
		{"another shape", ref.NewMatrix(2, 3), ref.NewMatrix(3, 2), scale.Float32, scale.ErrShape},
		{"one row less", ref.NewMatrix(2, 3), ref.NewMatrix(3, 3), scale.Float32, scale.ErrShape},
		{"short data", ref.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: make([]float32, 3)}, ref.NewMatrix(2, 2), scale.Float32, scale.ErrShape},
		{"short data of want", ref.NewMatrix(2, 2), ref.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: make([]float32, 3)}, scale.Float32, scale.ErrShape},
		{"no stride", ref.Matrix{Rows: 2, Cols: 2, Data: make([]float32, 4)}, ref.NewMatrix(2, 2), scale.Float32, scale.ErrStride},
		{"unknown format", ref.NewMatrix(1, 1), ref.NewMatrix(1, 1), 3, scale.ErrOption},
		{"no bf16", rowOf(0x3F800001), rowOf(0x3F800000), scale.BFloat16, scale.ErrOption},
		{"no bf16 in want", rowOf(0x3F800000), rowOf(0x3F808000), scale.BFloat16, scale.ErrOption},
		{"no fp16", rowOf(0x477FF000), rowOf(0x3F800000), scale.Float16, scale.ErrOption},
	} {
		if _, err := ref.Compare(test.got, test.want, test.f); !errors.Is(err, test.kind) {
			t.Errorf("%s: %v, want %v", test.what, err, test.kind)
		}
	}
	if r, err := ref.Compare(ref.NewMatrix(0, 5), ref.NewMatrix(0, 5), scale.BFloat16); err != nil || !r.Equal() || r.Total != 0 {
		t.Errorf("nothing to compare: %+v, %v", r, err)
	}
}
