package ptx

import (
	"reflect"
	"testing"
)

// variables are declarations of a module with what they declare.
var variables = []struct {
	text string
	want []Variable
}{
	{".global .u8 x;", []Variable{{Name: "x", Space: Global, Type: "u8", Align: 1, Size: 1, Line: 2}}},
	{".visible .global .align 16 .u32 x, y[3];", []Variable{
		{Name: "x", Space: Global, Type: "u32", Align: 16, Size: 4, Line: 2},
		{Name: "y", Space: Global, Type: "u32", Align: 16, Size: 12, Line: 2},
	}},
	{".weak .const .f64 x\n[2][3];", []Variable{{Name: "x", Space: Const, Type: "f64", Align: 8, Size: 48, Line: 2}}},
	{".common .global .align 2 .b64 x;", []Variable{{Name: "x", Space: Global, Type: "b64", Align: 8, Size: 8, Line: 2}}},
	{".extern .global .b128 x;", []Variable{{Name: "x", Space: Global, Type: "b128", Align: 16, Size: 16, Extern: true, Line: 2}}},
	{".extern .shared .align 16 .b8 x[];", []Variable{{Name: "x", Space: Shared, Type: "b8", Align: 16, Extern: true, Line: 2}}},
	{".shared .attribute(.managed) .v4 .f32 x[2];", []Variable{{Name: "x", Space: Shared, Type: "f32", Align: 16, Size: 32, Line: 2}}},
	{".shared .f16x2 x; .shared .bf16 y;", []Variable{
		{Name: "x", Space: Shared, Type: "f16x2", Align: 4, Size: 4, Line: 2},
		{Name: "y", Space: Shared, Type: "bf16", Align: 2, Size: 2, Line: 2},
	}},
	{".global .s16 x = -2;", []Variable{{Name: "x", Space: Global, Type: "s16", Align: 2, Size: 2, Initial: []byte{0xFE, 0xFF}, Line: 2}}},
	{".global .u8 x[4] = {1, 0xFF, 3};", []Variable{{Name: "x", Space: Global, Type: "u8", Align: 1, Size: 4, Initial: []byte{1, 255, 3, 0}, Line: 2}}},
	{".global .u16 x[] = {1, 2, 3};", []Variable{{Name: "x", Space: Global, Type: "u16", Align: 2, Size: 6, Initial: []byte{1, 0, 2, 0, 3, 0}, Line: 2}}},
	{".global .b8 x[2][2] = {{1}, {2, 3}};", []Variable{{Name: "x", Space: Global, Type: "b8", Align: 1, Size: 4, Initial: []byte{1, 0, 2, 3}, Line: 2}}},
	{".global .b8 x[][2] = {{1}, {2, 3}, {}};", []Variable{{Name: "x", Space: Global, Type: "b8", Align: 1, Size: 6, Initial: []byte{1, 0, 2, 3, 0, 0}, Line: 2}}},
	{".global .v2 .u8 x = {1, 2};", []Variable{{Name: "x", Space: Global, Type: "u8", Align: 2, Size: 2, Initial: []byte{1, 2}, Line: 2}}},
	{".const .f32 x[2] = {0f40000000, 1.5};", []Variable{{Name: "x", Space: Const, Type: "f32", Align: 4, Size: 8, Initial: []byte{0, 0, 0, 0x40, 0, 0, 0xC0, 0x3F}, Line: 2}}},
	{".const .f64 x = 0d3FF0000000000000;", []Variable{{Name: "x", Space: Const, Type: "f64", Align: 8, Size: 8, Initial: []byte{0, 0, 0, 0, 0, 0, 0xF0, 0x3F}, Line: 2}}},
	{".const .b128 x = 1;", []Variable{{Name: "x", Space: Const, Type: "b128", Align: 16, Size: 16, Initial: []byte{1, 15: 0}, Line: 2}}},
	{".global .u8 a; .global .u64 x[3] = {a, generic(a)+4, a-1};", []Variable{
		{Name: "a", Space: Global, Type: "u8", Align: 1, Size: 1, Line: 2},
		{
			Name: "x", Space: Global, Type: "u64", Align: 8, Size: 24, Initial: make([]byte, 24), Line: 2,
			Addresses: []Address{{0, "a", 0, false}, {8, "a", 4, true}, {16, "a", -1, false}},
		},
	}},
}

func TestVariables(t *testing.T) {
	for _, c := range variables {
		m, err := Parse("v.ptx", ".version 8.4 .target sm_89\n"+c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if !reflect.DeepEqual(m.Variables, c.want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", c.text, m.Variables, c.want)
		}
	}
}

func TestParameters(t *testing.T) {
	m, err := Parse("p.ptx", `.version 9.0 .target sm_120
.func (.param .align 8 .b8 r[16]) f(
	.param .u64 .ptr a,
	.param .u64 .ptr .align 1 b,
	.param .u64 .ptr .global .align 16 c,
	.param .align 4 .b8 d[12],
	.param .b8 e,
	.param .align 8 .b8 rest[]
) .noreturn { }`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Variable{
		{Name: "a", Space: Param, Type: "u64", Align: 8, Size: 8, Line: 3},
		{Name: "b", Space: Param, Type: "u64", Align: 8, Size: 8, Line: 4},
		{Name: "c", Space: Param, Type: "u64", Align: 8, Size: 8, Line: 5},
		{Name: "d", Space: Param, Type: "b8", Align: 4, Size: 12, Line: 6},
		{Name: "e", Space: Param, Type: "b8", Align: 1, Size: 1, Line: 7},
		{Name: "rest", Space: Param, Type: "b8", Align: 8, Line: 8},
	}
	f := m.Function("f")
	if !reflect.DeepEqual(f.Params, want) {
		t.Errorf("got\n%+v\nwant\n%+v", f.Params, want)
	}
	if r := []Variable{{Name: "r", Space: Param, Type: "b8", Align: 8, Size: 16, Line: 2}}; !reflect.DeepEqual(f.Returns, r) {
		t.Errorf("returns %+v, want %+v", f.Returns, r)
	}
}
