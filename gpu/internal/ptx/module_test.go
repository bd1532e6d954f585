package ptx

import (
	"reflect"
	"testing"
)

// wholeText has each part of a module, as nvcc lays it out.
const wholeText = `// a comment
/* and
   another */
.version 8.4
.target sm_89, debug
.address_size 64

.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0,
	.param .b64 vprintf_param_1
)
;
.extern .shared .align 128 .b8 memory[];
.const .align 4 .f32 half = 0f3F000000;

.visible .entry k(
	.param .u64 k_param_0,
	.param .align 64 .b8 k_param_1[128]
)
.maxntid 32, 4, 1
.minnctapersm 2
{
	.local .align 8 .b8 	__local_depot0[16];
	.reg .pred 	%p<2>;
	.reg .b32 	%r<3>;
	.loc	1 7 0

	ld.param.u32 	%r1, [k_param_1+4];
	.loc	2 9 3, function_name $L__info_string0, inlined_at 1 8 5
	setp.lt.s32 	%p1, %r1, -1;
	@!%p1 bra 	$L__BB0_2;

	bar.sync 	0;

$L__BB0_2:
	.loc	1 10 1
	ret;

}
.func  (.param .b32 f_ret) f(
	.param .b32 f_0
)
{
end:
}
	.file	1 "k.cu"
	.file	2 "k.cuh", 1700000000, 123
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90,0
.b32 .debug_abbrev+4
	}
`

var wholeModule = &Module{
	Name: "whole.ptx", Version: "8.4", Target: "sm_89", AddressSize: 64,
	Files: map[int]string{1: "k.cu", 2: "k.cuh"},
	Variables: []Variable{
		{Name: "memory", Space: Shared, Type: "b8", Align: 128, Extern: true, Line: 14},
		{Name: "half", Space: Const, Type: "f32", Align: 4, Size: 4, Initial: []byte{0, 0, 0, 0x3F}, Line: 15},
	},
	Functions: []*Function{
		{
			Name: "k", Entry: true, MaxThreads: 128, Line: 17,
			Params: []Variable{
				{Name: "k_param_0", Space: Param, Type: "u64", Align: 8, Size: 8, Line: 18},
				{Name: "k_param_1", Space: Param, Type: "b8", Align: 64, Size: 128, Line: 19},
			},
			Registers: []Register{{"%p0", "pred"}, {"%p1", "pred"}, {"%r0", "b32"}, {"%r1", "b32"}, {"%r2", "b32"}},
			Variables: []Variable{{Name: "__local_depot0", Space: Local, Type: "b8", Align: 8, Size: 16, Line: 24}},
			Body: []Instruction{
				{Opcode: "ld", Modifiers: []string{"param", "u32"}, Line: 29, Source: Source{"k.cu", 7}, Operands: []Operand{
					{Name: "%r1"}, {Kind: AddressOperand, Name: "k_param_1", Offset: 4},
				}},
				{Opcode: "setp", Modifiers: []string{"lt", "s32"}, Line: 31, Source: Source{"k.cuh", 9}, Operands: []Operand{
					{Name: "%p1"}, {Name: "%r1"}, {Kind: IntegerOperand, Bits: 0xFFFFFFFFFFFFFFFF},
				}},
				{Guard: Guard{"%p1", true}, Opcode: "bra", Line: 32, Source: Source{"k.cuh", 9}, Operands: []Operand{
					{Kind: SymbolOperand, Name: "$L__BB0_2"},
				}},
				{Opcode: "bar", Modifiers: []string{"sync"}, Line: 34, Source: Source{"k.cuh", 9}, Operands: []Operand{
					{Kind: IntegerOperand},
				}},
				{Opcode: "ret", Line: 38, Source: Source{"k.cu", 10}},
			},
			Labels: map[string]int{"$L__BB0_2": 4},
		},
		{
			Name: "f", Line: 41,
			Returns: []Variable{{Name: "f_ret", Space: Param, Type: "b32", Align: 4, Size: 4, Line: 41}},
			Params:  []Variable{{Name: "f_0", Space: Param, Type: "b32", Align: 4, Size: 4, Line: 42}},
			Labels:  map[string]int{"end": 0},
		},
	},
}

func TestWholeModule(t *testing.T) {
	got, err := Parse("whole.ptx", wholeText)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, wholeModule) {
		t.Errorf("got\n%+v\nwant\n%+v", got, wholeModule)
		for i := range min(len(got.Functions), len(wholeModule.Functions)) {
			t.Errorf("function %d: got\n%+v\nwant\n%+v", i, got.Functions[i], wholeModule.Functions[i])
		}
	}
	if got.Function("f") != got.Functions[1] || got.Function("vprintf") != nil {
		t.Error("Function finds another function than that of the name")
	}
}

// TestHeader parses directives whose effect a module shows.
func TestHeader(t *testing.T) {
	for _, c := range []struct {
		text, version, target string
		size                  int
	}{
		{".version 9.0\n.target sm_120f\n.address_size 64", "9.0", "sm_120f", 64},
		{".version 8.0 .target sm_90a, texmode_independent, debug .address_size 32", "8.0", "sm_90a", 32},
		{".target debug, sm_75 .version 7.5 .version 7.5 .target sm_75", "7.5", "sm_75", 32},
		{".version 8.4/**/.target sm_89// end", "8.4", "sm_89", 32},
		{"\r\n.version 8.4\r\n.target sm_89\r\n.pragma \"a\", \"b\";\r\n", "8.4", "sm_89", 32},
		{".version 8.4 .target sm_89 .func f; .weak .func g() ; .alias g, f;", "8.4", "sm_89", 32},
	} {
		m, err := Parse("h.ptx", c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if m.Version != c.version || m.Target != c.target || m.AddressSize != c.size || len(m.Functions) != 0 {
			t.Errorf("%q: got %+v", c.text, m)
		}
	}
}

// TestDirectiveOrder moves the directives of a module round: only a name has to
// come before its use.
func TestDirectiveOrder(t *testing.T) {
	parts := []string{
		".version 8.4\n",
		".target sm_89\n",
		".address_size 64\n",
		".file 1 \"k.cu\"\n",
		".section .debug_loc { .b8 1 }\n",
		".visible .entry k() .maxntid 8 { .shared .b32 s; .loc 1 5 0\nret; }\n",
		".global .b32 g;\n",
	}
	for i, text := range permutations(parts) {
		m, err := Parse("o.ptx", text)
		if err != nil {
			t.Fatalf("order %d: %v in\n%s", i, err, text)
		}
		f := m.Function("k")
		if m.Version != "8.4" || m.Target != "sm_89" || m.AddressSize != 64 || len(m.Variables) != 1 ||
			f.MaxThreads != 8 || len(f.Variables) != 1 || f.Body[0].Source != (Source{"k.cu", 5}) {
			t.Fatalf("order %d: got %+v from\n%s", i, m, text)
		}
	}
}

func permutations(parts []string) []string {
	if len(parts) == 0 {
		return []string{""}
	}
	var all []string
	for i, first := range parts {
		rest := append(append([]string{}, parts[:i]...), parts[i+1:]...)
		for _, text := range permutations(rest) {
			all = append(all, first+text)
		}
	}
	return all
}

// TestFunctionDirectives parses what stands between parameters and body.
func TestFunctionDirectives(t *testing.T) {
	for _, c := range []struct {
		text    string
		threads int
	}{
		{"", 0},
		{".maxntid 256", 256},
		{".maxntid 16, 8", 128},
		{".reqntid 8, 8, 4 .minnctapersm 1", 256},
		{".maxnreg 128 .reqntid 96 .reqnctapercluster 2, 1, 1 .explicitcluster", 96},
		{".maxclusterrank 8 .blocksareclusters .pragma \"nounroll\"; .attribute(.unified(1, 2)) .maxntid 1", 1},
		{".noreturn", 0},
		{".minnctapersm 2 .maxntid 1024, 1, 1", 1024},
	} {
		m, err := Parse("f.ptx", ".version 8.4 .target sm_89 .entry k "+c.text+" { ret; }")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if m.Function("k").MaxThreads != c.threads {
			t.Errorf("%s: %d threads, %d are expected", c.text, m.Function("k").MaxThreads, c.threads)
		}
	}
}
