package ptx

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestScopes has the same names in scopes beside and inside each other, as inline
// assembly and calls leave them.
func TestScopes(t *testing.T) {
	m, err := Parse("s.ptx", `.version 8.4 .target sm_89 .shared .b32 x;
.func g(.param .b32 g_0);
.entry k() {
	.reg .b32 %r<2>;
	.reg .pred p;
	st.shared.b32 [x], %r1;
	{ // one
		.reg .pred p;
		.shared .b32 x;
	again:
		st.shared.b32 [x], %r1;
		@p bra done;
		bra again;
		{ /* inside */
			.reg .b32 p;
			mov.b32 p, %r0;
			bra done;
		done:
			bra out;
		}
	done:
	}
	@p bra done;
	{
		.param .b32 param0;
		st.param.b32 [param0+0], %r1;
		call.uni g, (param0);
		bra again;
	again:
	}
done:
out:
	ret;
}`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Function("k")
	checkNames(t, f, []string{
		"st [x] %r1",
		"st [x@1] %r1",
		"@p@1 bra done@1",
		"bra again@1",
		"mov p@2 %r0",
		"bra done@2",
		"bra out",
		"@p bra done",
		"st [param0@3] %r1",
		"call g (param0@3)",
		"bra again@3",
		"ret",
	})
	if want := map[string]int{"again@1": 1, "done@2": 6, "done@1": 7, "again@3": 11, "done": 11, "out": 11}; !reflect.DeepEqual(f.Labels, want) {
		t.Errorf("labels %v, want %v", f.Labels, want)
	}
	if want := []Register{{"%r0", "b32"}, {"%r1", "b32"}, {"p", "pred"}, {"p@1", "pred"}, {"p@2", "b32"}}; !reflect.DeepEqual(f.Registers, want) {
		t.Errorf("registers %v, want %v", f.Registers, want)
	}
	want := []Variable{
		{Name: "x@1", Space: Shared, Type: "b32", Align: 4, Size: 4, Line: 9},
		{Name: "param0@3", Space: Param, Type: "b32", Align: 4, Size: 4, Line: 25},
	}
	if !reflect.DeepEqual(f.Variables, want) {
		t.Errorf("variables %+v, want %+v", f.Variables, want)
	}
}

// checkNames compares the instructions, written with the names of their operands.
func checkNames(t *testing.T, f *Function, want []string) {
	t.Helper()
	var got []string
	for _, in := range f.Body {
		text := in.Opcode
		if in.Guard.Register != "" {
			text = "@" + in.Guard.Register + " " + text
		}
		for _, o := range in.Operands {
			text += " " + names(o)
		}
		got = append(got, text)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func names(o Operand) string {
	switch o.Kind {
	case AddressOperand:
		return "[" + o.Name + "]"
	case VectorOperand:
		return "(" + names(o.Elements[0]) + ")"
	}
	return o.Name
}

// TestExternInBody declares dynamic shared memory where it is used.
func TestExternInBody(t *testing.T) {
	m, err := Parse("x.ptx", kernel(".extern .shared .align 16 .b8 y[];\nld.shared.b32 %r1, [y];"))
	if err != nil {
		t.Fatal(err)
	}
	want := Variable{Name: "y", Space: Shared, Type: "b8", Align: 16, Extern: true, Line: 5}
	if got := m.Function("k").Variables[1]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestBranchTargets has a jump over a table of labels, and an indirect call.
func TestBranchTargets(t *testing.T) {
	m, err := Parse("b.ptx", `.version 8.4 .target sm_89
.entry k() {
	.reg .b32 %r<2>; .reg .b64 %rd<2>;
	$L_brx_0: .branchtargets
		$L_2,
		$L_1;
	brx.idx %r1, $L_brx_0;
$L_1:
	prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[24]);
	call %rd1, (%r1), prototype_0;
$L_2:
}`)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]Operand{
		{reg("%r1"), {Kind: SymbolOperand, Name: "$L_brx_0", Elements: []Operand{sym("$L_2"), sym("$L_1")}}},
		{reg("%rd1"), vec(reg("%r1")), sym("prototype_0")},
	}
	for i, in := range m.Function("k").Body {
		if !reflect.DeepEqual(in.Operands, want[i]) {
			t.Errorf("instruction %d: got %+v, want %+v", i, in.Operands, want[i])
		}
	}
}

// TestSources has a .loc for each way of writing it.
func TestSources(t *testing.T) {
	m, err := Parse("l.ptx", `.version 8.4 .target sm_89
.file 1 "a b.cu"
.entry k() {
	ret;
	.loc 1 10 0
	ret; ret;
	.file 3 "c.cu"
	.loc 3 1 1, function_name $L__info_string0
	.pragma "nounroll";
L:
	.loc 2 20 3, function_name $L__info_string0, inlined_at 1 11 77
	ret;
	.loc 2 21 3, inlined_at 1 11 77, function_name .debug_str+16
	ret;
	.loc 1 0 3
	ret;
}
.entry j() { ret; }
.file 2 "b.cuh"`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Source{{}, {"a b.cu", 10}, {"a b.cu", 10}, {"b.cuh", 20}, {"b.cuh", 21}, {"a b.cu", 0}}
	var got []Source
	for _, in := range m.Function("k").Body {
		got = append(got, in.Source)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if s := m.Function("j").Body[0].Source; s != (Source{}) {
		t.Errorf("a place went on into the next function: %v", s)
	}
}

func TestSpecialRegisters(t *testing.T) {
	for _, name := range strings.Fields(`%tid.x %tid.y %ntid.z %ctaid.w %nctaid.x %clusterid.x %nclusterid.y %cluster_nctaid.x
		%laneid %warpid %nwarpid %smid %nsmid %gridid %lanemask_eq %lanemask_le %lanemask_lt %lanemask_ge %lanemask_gt
		%clock %clock_hi %globaltimer %globaltimer_lo %pm7 %pm3_64 %envreg31 %is_explicit_cluster %cluster_ctarank
		%cluster_nctarank %total_smem_size %aggr_smem_size %reserved_smem_offset_1 %current_graph_exec`) {
		m, err := Parse("r.ptx", inKernel(fmt.Sprintf("mov.b32 %%r1, %s;", name)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := m.Function("k").Body[0].Operands[1]; !reflect.DeepEqual(got, spec(name)) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
