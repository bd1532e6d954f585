package ptx

import (
	"reflect"
	"strings"
	"testing"
)

// inKernel puts statements into a kernel that declares what they use.
func inKernel(statements string) string {
	return `.version 9.0 .target sm_120f .address_size 64
.func f; .extern .shared .align 16 .b8 smem[];
.entry k(.param .u64 a, .param .align 64 .b8 map[128]) {
.reg .pred %p<4>, p, q; .reg .b16 %rs<2>; .reg .b32 %r<9>, sa, sb; .reg .f32 %f<9>; .reg .b64 %rd<9>; .shared .b64 bar;
L:
` + statements + "\n}"
}

// Short forms of operands.
func reg(name string) Operand    { return Operand{Kind: RegisterOperand, Name: name} }
func sym(name string) Operand    { return Operand{Kind: SymbolOperand, Name: name} }
func spec(name string) Operand   { return Operand{Kind: SpecialOperand, Name: name} }
func num(bits uint64) Operand    { return Operand{Kind: IntegerOperand, Bits: bits} }
func vec(all ...Operand) Operand { return Operand{Kind: VectorOperand, Elements: all} }
func address(name string, offset int64, all ...Operand) Operand {
	return Operand{Kind: AddressOperand, Name: name, Offset: offset, Elements: all}
}

var sink = Operand{Kind: SinkOperand}

// instructions are texts with the instruction that they are.
var instructions = []struct {
	text     string
	opcode   string // with the modifiers, spaces between
	operands []Operand
}{
	{"ret;", "ret", nil},
	{"cp.async.wait_all ;", "cp async wait_all", nil},
	{"mov.u32 %r1, %tid.x;", "mov u32", []Operand{reg("%r1"), spec("%tid.x")}},
	{"mov.u32 %r1, %cluster_ctaid.z;", "mov u32", []Operand{reg("%r1"), spec("%cluster_ctaid.z")}},
	{"mov.u64 %rd1, %clock64;", "mov u64", []Operand{reg("%rd1"), spec("%clock64")}},
	{"mov.u32 %r1, %dynamic_smem_size;", "mov u32", []Operand{reg("%r1"), spec("%dynamic_smem_size")}},
	{"mov.u32 %r1, WARP_SZ;", "mov u32", []Operand{reg("%r1"), num(32)}},
	{"mov.u32 %r1, smem;", "mov u32", []Operand{reg("%r1"), sym("smem")}},
	{"mov.u32 %r1, smem+4;", "mov u32", []Operand{reg("%r1"), {Kind: SymbolOperand, Name: "smem", Offset: 4}}},
	{"mov.u64 %rd1, f;", "mov u64", []Operand{reg("%rd1"), sym("f")}},
	{"mov.b64 {%r1,%r2}, %rd1;", "mov b64", []Operand{vec(reg("%r1"), reg("%r2")), reg("%rd1")}},
	{"mov.b64 {_, %r2}, %rd1;", "mov b64", []Operand{vec(sink, reg("%r2")), reg("%rd1")}},
	{"mov.f32 %f1, 0f3F800000;", "mov f32", []Operand{reg("%f1"), {Kind: Float32Operand, Bits: 0x3F800000}}},
	{"mov.f32 %f1, -0f3F800000;", "mov f32", []Operand{reg("%f1"), {Kind: Float32Operand, Bits: 0xBF800000}}},
	{"mov.f64 %rd1, 0d3FF0000000000000;", "mov f64", []Operand{reg("%rd1"), {Kind: Float64Operand, Bits: 0x3FF0000000000000}}},
	{"mov.f32 %f1, 1.5;", "mov f32", []Operand{reg("%f1"), {Kind: Float64Operand, Bits: 0x3FF8000000000000}}},
	{"mov.f32 %f1, -2.5e+1;", "mov f32", []Operand{reg("%f1"), {Kind: Float64Operand, Bits: 0xC039000000000000}}},
	{"setp.lt.s32 %p1|%p2, %r1, %r2;", "setp lt s32", []Operand{{Name: "%p1", Second: "%p2"}, reg("%r1"), reg("%r2")}},
	{"setp.lt.and.s32 %p1|_, %r1, 0, !%p3;", "setp lt and s32", []Operand{{Name: "%p1", Second: "_"}, reg("%r1"), num(0), {Name: "%p3", Negated: true}}},
	{"setp.lt.s32 _|p, %r1, 0;", "setp lt s32", []Operand{{Name: "_", Second: "p"}, reg("%r1"), num(0)}},
	{"shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;", "shfl sync bfly b32", []Operand{{Name: "%r1", Second: "%p1"}, reg("%r2"), num(16), num(31), num(0xFFFFFFFFFFFFFFFF)}},
	{"and.b64 %rd1, %rd2, -0x100000000;", "and b64", []Operand{reg("%rd1"), reg("%rd2"), num(0xFFFFFFFF00000000)}},
	{"ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+-16];", "ld global nc L1::no_allocate L2::128B v4 u32", []Operand{
		vec(reg("%r1"), reg("%r2"), reg("%r3"), reg("%r4")), address("%rd1", -16),
	}},
	{"ld.param.u64 %rd1, [a];", "ld param u64", []Operand{reg("%rd1"), address("a", 0)}},
	{"st.shared.u16 [smem+0x10], %rs1;", "st shared u16", []Operand{address("smem", 16), reg("%rs1")}},
	{"st.shared.u16 [%r1-2], %rs1;", "st shared u16", []Operand{address("%r1", -2), reg("%rs1")}},
	{"ld.global.u32 %r1, [4096];", "ld global u32", []Operand{reg("%r1"), address("", 4096)}},
	{"ld.shared.u32 %r1, [smem + 2*(8 + 4) + 1];", "ld shared u32", []Operand{reg("%r1"), address("smem", 25)}},
	{"bra L;", "bra", []Operand{sym("L")}},
	{"bra.uni L;", "bra uni", []Operand{sym("L")}},
	{"call.uni f;", "call uni", []Operand{sym("f")}},
	{"call (a), f, (a, 3);", "call", []Operand{vec(sym("a")), sym("f"), vec(sym("a"), num(3))}},
	{"call f, ();", "call", []Operand{sym("f"), vec()}},
	{"mov.u32 %r1, (1 + 2) * 3;", "mov u32", []Operand{reg("%r1"), num(9)}},
	{
		"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];",
		"cp async bulk tensor 2d shared::cluster global mbarrier::complete_tx::bytes",
		[]Operand{address("%r1", 0), address("%rd1", 0, vec(reg("%r2"), reg("%r3"))), address("%r4", 0)},
	},
	{
		"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [map, {0}], [smem+64];",
		"cp async bulk tensor 1d global shared::cta bulk_group",
		[]Operand{address("map", 0, vec(num(0))), address("smem", 64)},
	},
	{
		"mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 {%f0,%f1}, {%r1,%r2}, {%r3}, {%f2,%f3}, sa, {0, 0}, sb, {0, 1};",
		"mma sync aligned kind::mxf8f6f4 block_scale scale_vec::1X m16n8k32 row col f32 e4m3 e4m3 f32 ue8m0",
		[]Operand{
			vec(reg("%f0"), reg("%f1")), vec(reg("%r1"), reg("%r2")), vec(reg("%r3")), vec(reg("%f2"), reg("%f3")),
			reg("sa"), vec(num(0), num(0)), reg("sb"), vec(num(0), num(1)),
		},
	},
	{
		"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%f0, %f1, %f2, %f3}, %rd1, %rd2, p, 1, -1;",
		"wgmma mma_async sync aligned m64n8k32 f32 e4m3 e4m3",
		[]Operand{vec(reg("%f0"), reg("%f1"), reg("%f2"), reg("%f3")), reg("%rd1"), reg("%rd2"), reg("p"), num(1), num(0xFFFFFFFFFFFFFFFF)},
	},
	{
		"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], %r1;",
		"mbarrier arrive expect_tx release cta shared::cta b64",
		[]Operand{sink, address("bar", 0), reg("%r1")},
	},
	{
		"tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, %rd2, {%f4, %f5}];",
		"tex 2d v4 f32 f32",
		[]Operand{vec(reg("%f0"), reg("%f1"), reg("%f2"), reg("%f3")), address("%rd1", 0, reg("%rd2"), vec(reg("%f4"), reg("%f5")))},
	},
	{
		"tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3];",
		"tcgen05 ld sync aligned 32x32b x2 b32",
		[]Operand{vec(reg("%r1"), reg("%r2")), address("%r3", 0)},
	},
}

func TestInstructions(t *testing.T) {
	for _, c := range instructions {
		m, err := Parse("i.ptx", inKernel(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		words := strings.Fields(c.opcode)
		want := []Instruction{{Opcode: words[0], Operands: c.operands, Line: 6}}
		if len(words) > 1 {
			want[0].Modifiers = words[1:]
		}
		if got := m.Function("k").Body; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", c.text, got, want)
		}
	}
}

func TestGuards(t *testing.T) {
	for text, want := range map[string]Guard{
		"ret;":          {},
		"@%p1 ret;":     {"%p1", false},
		"@!q ret;":      {"q", true},
		"@ ! %p3 exit;": {"%p3", true},
	} {
		m, err := Parse("g.ptx", inKernel(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := m.Function("k").Body[0].Guard; got != want {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

// TestIntegers has literals and constant expressions with their values.
func TestIntegers(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "0U": 0, "7": 7, "7U": 7, "010": 8, "0777U": 511, "0b101": 5, "0B11U": 3,
		"0x1f": 31, "0X1FU": 31, "0xFFFFFFFFFFFFFFFF": 1<<64 - 1, "18446744073709551615": 1<<64 - 1,
		"-1": 1<<64 - 1, "- 1": 1<<64 - 1, "--1": 1, "+1": 1, "-0x10": 1<<64 - 16, "~0": 1<<64 - 1, "-9223372036854775808": 1 << 63,
		"1+2*3": 7, "(1+2)*3": 9, "1<<4|1": 17, "0x1E+2": 32, "6^3&1": 7, "10-3-2": 5, "1<<2+1": 8, "1<<64": 0, "WARP_SZ*2": 64,
	} {
		m, err := Parse("n.ptx", inKernel("mov.u64 %rd1, "+text+";"))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := m.Function("k").Body[0].Operands[1]; !reflect.DeepEqual(got, num(want)) {
			t.Errorf("%s: got %+v, want %d", text, got, want)
		}
	}
}
