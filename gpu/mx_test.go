package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

var (
	sm120 = Target{Arch: sm(12, 0), Multiprocessors: 188}
	sm121 = Target{Arch: sm(12, 1), Multiprocessors: 48}
)

// The MMAs with scales are for chips that have them, and weights and activations
// with E8M0 scales; everything else stays with the f32scale family.
func TestFamilyOfAProblem(t *testing.T) {
	for _, c := range []struct {
		target              Target
		e8m0, declared      bool
		input               Input
		want, launch        string
		prefersFP32, cached bool
	}{
		{sm120, true, true, E8M0Input, "sm120mx/in-mma/bf16", "", false, false},
		{sm121, true, true, E8M0Input, "sm120mx/in-mma/bf16", "", false, false},
		{sm120, true, true, BFloat16Input, "sm120mx/in-mma/bf16", "quantize_activations_bf16", false, false},
		{sm120, true, false, E8M0Input, "sm120/act-then-weight/k128/bf16", "upcast_e8m0", true, true},
		{sm120, true, false, CodesInput, "sm120/act-then-weight/k128/bf16", "", true, true},
		{sm120, true, false, Float32Input, "sm120/act-then-weight/k128/bf16", "quantize_activations_f32", true, true},
		{sm120, false, true, E8M0Input, "sm120/act-then-weight/k128/bf16", "upcast_e8m0", true, false},
		{h200, true, true, E8M0Input, "sm90wgmma/act-then-weight/k128/bf16", "upcast_e8m0", true, true},
		{Target{Arch: sm(8, 9)}, true, true, E8M0Input, "sm89/act-then-weight/k128/bf16", "upcast_e8m0", true, true},
	} {
		for _, m := range []int{1, 9, 30, 500} {
			p := Problem{M: m, N: 1024, K: 512, BlockN: 128, BlockK: 128, E8M0: c.e8m0, E8M0Activations: c.declared, Input: c.input, Output: scale.BFloat16}
			plan := must(NewPlan(c.target, p))(t)
			if plan.Recipe.String() != c.want || plan.PrefersFP32Scale != c.prefersFP32 {
				t.Errorf("%v, %+v: recipe %v, prefers float32 scales %v", c.target.Arch, p, plan.Recipe, plan.PrefersFP32Scale)
			}
			launches := strings.Join(plan.Launches, " ")
			want := strings.TrimSpace(c.launch + " " + plan.Kernel)
			if launches != want {
				t.Errorf("%v, %+v launches %q, want %q", c.target.Arch, p, launches, want)
			}
			if unproven := strings.Contains(plan.Reason, "not yet run on hardware"); unproven == c.prefersFP32 {
				t.Errorf("%s was chosen because: %s", plan.Kernel, plan.Reason)
			}
		}
	}
}

// Every form has the workspace that its activations need: none for scales that the
// MMA takes, a byte for each that the quantiser makes.
func TestWorkspaceOfE8M0Activations(t *testing.T) {
	for _, c := range []struct {
		declared bool
		input    Input
		want     int64
	}{
		{true, E8M0Input, 0},
		{false, E8M0Input, 4 * 5 * 3},
		{true, BFloat16Input, 1792 + 5*3}, // 5 rows of 336 bytes, rounded up to 256
		{false, BFloat16Input, 1792 + 4*5*3},
	} {
		p := Problem{M: 5, N: 10, K: 330, BlockN: 128, BlockK: 128, E8M0: true, E8M0Activations: c.declared, Input: c.input}
		if plan := must(NewPlan(sm120, p))(t); plan.Workspace != c.want {
			t.Errorf("%+v: a workspace of %d bytes, want %d", p, plan.Workspace, c.want)
		}
	}
}

// The forms of one family are not for the problems of another.
func TestFormsOfAnotherFamily(t *testing.T) {
	good := Problem{M: 1, N: 128, K: 128, BlockN: 128, BlockK: 128, E8M0: true, E8M0Activations: true, Input: E8M0Input}
	for _, f := range Forms() {
		p := good
		p.Kernel = f.Name
		_, on120 := NewPlan(sm120, p)
		_, on90 := NewPlan(h200, p)
		p.E8M0Activations = false
		_, undeclared := NewPlan(sm120, p)
		hopper := f.Family == "f32scale wgmma"
		if hopper != errors.Is(on120, ErrUnsupported) || f.E8M0Activations != errors.Is(on90, ErrUnsupported) || (hopper || f.E8M0Activations) != errors.Is(undeclared, ErrUnsupported) {
			t.Errorf("%+v: on sm_120 %v, on sm_90 %v, for other activations %v", f, on120, on90, undeclared)
		}
		if f.E8M0Activations != (f.Status == "assembled, not yet run on hardware") {
			t.Errorf("%s has status %q", f.Name, f.Status)
		}
	}
	if _, reason := Supported(sm120); !strings.Contains(reason, "sm120mx (assembled, not yet run on hardware)") {
		t.Errorf("supported: %s", reason)
	}
	if _, reason := Supported(h200); strings.Contains(reason, "mx") {
		t.Errorf("supported: %s", reason)
	}
}

// Block sizes that the other family's fast forms do not take have forms here.
func TestMXBlockSizes(t *testing.T) {
	for _, c := range []struct {
		block, m  int
		unaligned bool
		want      string
	}{
		{32, 1, false, "l1_r1t1_fine"},
		{96, 9, false, "l1_r1t2_fine"},
		{128, 8, false, "l1_r1t1"},
		{384, 32, false, "l1_r1t2"},
		{128, 33, false, "l2"},
		{96, 33, false, "l2_fine"},
		{256, 1, true, "l2"},
		{64, 1, true, "l2_fine"},
	} {
		p := Problem{M: c.m, N: 4096, K: 4096, BlockN: 128, BlockK: c.block, E8M0: true, E8M0Activations: true, Input: E8M0Input, Unaligned: c.unaligned}
		if plan := must(NewPlan(sm120, p))(t); plan.Kernel != "w8a8_ue8m0_mx_"+c.want {
			t.Errorf("%+v goes to %s, want %s", p, plan.Kernel, c.want)
		}
	}
}

// Other activations than those declared are errors, on chips of both kinds.
func TestE8M0ActivationsAreKept(t *testing.T) {
	for _, arch := range []Arch{sm(12, 0), sm(9, 0)} {
		d := newDevice(newFake(arch))
		t.Cleanup(func() { closeTest(t, d) })
		s := must(d.NewStream())(t)
		b := onesWeight(t, 3, 0x7F)
		w := must(NewWeight(d, b, WeightOptions{E8M0Activations: true}))(t)
		codes, stride := onesActivations(t, 2).Codes()
		fp32 := must(ref.NewOperand(codes, stride, must(onesActivations(t, 2).Grid().ToFP32(scale.OCP))(t)))(t)
		o := place(t, d, s, fp32, 3, scale.Float32, nil)
		numbers := place(t, d, s, onesActivations(t, 2), 3, scale.Float32, nil)
		numbers.reserve(t, d, w)
		numbers.call.A = Activations{Input: Float32Input, Data: Region{Buffer: must(d.NewBuffer(4 * 2 * 128))(t)}, Stride: 128, Style: scale.StyleVLLM}
		c := make([]float32, 6)
		x := Matrix[float32]{2, 128, 128, make([]float32, 256)}
		_, layer := NewLinear(w, nil, scale.StyleVLLM)
		for name, err := range map[string]error{
			"device codes":   w.MatMul(s, o.call),
			"device numbers": w.MatMul(s, numbers.call),
			"host codes":     MatMulCodes(Matrix[float32]{2, 3, 3, c}, fp32, w, nil),
			"host numbers":   MatMul(Matrix[float32]{2, 3, 3, c}, x, w, HostOptions{Style: scale.StyleVLLM}),
			"layer":          layer,
		} {
			if !errors.Is(err, scale.ErrInexact) || !strings.Contains(fmt.Sprint(err), "E8M0Activations") {
				t.Errorf("%v, %s: %v", arch, name, err)
			}
		}
		if _, err := NewWeight(d, b, WeightOptions{E8M0Activations: true, Upcast: scale.Shift}); !errors.Is(err, scale.ErrOption) {
			t.Errorf("%v: a shifting upcast: %v", arch, err)
		}
	}
}

// A weight of the mx family has no cache, whatever is asked, and every way of
// giving it activations reaches the kernel as it should.
func TestMXWeight(t *testing.T) {
	d := newDevice(newFake(sm(12, 0)))
	t.Cleanup(func() { closeTest(t, d) })
	testMXCalls(t, d)
}

// testMXCalls multiplies in all ways by weights of the mx family.
func testMXCalls(t *testing.T, d *Device) {
	t.Helper()
	r := rand.New(rand.NewPCG(61, 62))
	for _, shape := range []struct{ m, n, k, groups, block int }{
		{1, 130, 384, 1, 128}, {7, 33, 300, 1, 128}, {40, 24, 200, 1, 32}, {3, 40, 256, 4, 128}, {5, 17, 200, 3, 64}, {35, 20, 64, 2, 32},
	} {
		var groups []ref.Operand
		for range shape.groups {
			groups = append(groups, makeOperand(t, r, operandShape{
				rows: shape.n, cols: shape.k, blockRows: shape.block, blockCols: shape.block, rowOffset: 5, e8m0: true, padding: 2,
			}, ordinary))
		}
		for _, o := range []WeightOptions{{}, {UncachedUpcast: true}, {Kernel: "w8a8_ue8m0_mx_l0"}} {
			o.E8M0Activations = true
			w := must(NewGroupedWeight(d, groups, o))(t)
			if w.CacheBytes() != 0 {
				t.Errorf("a cache of %d bytes", w.CacheBytes())
			}
			mxHostNumbers(t, r, w, groups, shape.m)
			mxHostCodes(t, r, w, groups, shape.m)
			noError(t, w.UpdateGroups(groups))
			mxHostNumbers(t, r, w, groups, shape.m)
			noError(t, w.Close())
		}
	}
}

// mxHostNumbers multiplies numbers that the device quantises, with a bias.
func mxHostNumbers(t *testing.T, r *rand.Rand, w *Weight, groups []ref.Operand, m int) {
	t.Helper()
	cols, n := len(groups)*w.K(), w.N()
	x := numbers(r, m*cols)
	dst := Matrix[scale.BF16]{m, len(groups) * n, len(groups) * n, make([]scale.BF16, m*len(groups)*n)}
	bias := numbers(r, dst.Cols)
	noError(t, MatMul(dst, Matrix[float32]{m, cols, cols, x}, w, HostOptions{Style: scale.StyleDeepSeek, Bias: bias}))
	for g, b := range groups {
		codes, grid, err := scale.QuantizeActivations(x[g*w.K():], m, w.K(), cols, w.shape.blockK, scale.StyleDeepSeek)
		noError(t, err)
		want := ref.NewMatrix(m, n)
		noError(t, ref.MatMul(want, must(ref.NewOperand(codes, w.K(), grid))(t), b, ref.UE8M0MX(scale.Float32)))
		got := ref.NewMatrix(m, n)
		for i := range m {
			for j, v := range want.Row(i) {
				want.Row(i)[j] = scale.BFloat16.Round(float64(v + bias[g*n+j]))
			}
			_, values := widen(dst.row(i)[g*n : (g+1)*n])
			copy(got.Row(i), values)
		}
		sameBits(t, got, want, scale.BFloat16, fmt.Sprintf("numbers, group %d of %v", g, w))
	}
}

// mxHostCodes multiplies codes with E8M0 scales in blocks of several rows.
func mxHostCodes(t *testing.T, r *rand.Rand, w *Weight, groups []ref.Operand, m int) {
	t.Helper()
	n, k, block := w.N(), w.K(), w.shape.blockK
	if len(groups) > 1 && k%block != 0 {
		return // the blocks of such activations would cross groups
	}
	a := makeOperand(t, r, operandShape{rows: m, cols: len(groups) * k, blockRows: 3, blockCols: block, rowOffset: 1, e8m0: true, padding: 1}, everyCode)
	dst := Matrix[float32]{m, len(groups) * n, len(groups) * n, make([]float32, m*len(groups)*n)}
	noError(t, MatMulCodes(dst, a, w, nil))
	for g, b := range groups {
		want := ref.NewMatrix(m, n)
		noError(t, ref.MatMul(want, must(a.SliceK(g*k, (g+1)*k))(t), b, ref.UE8M0MX(scale.Float32)))
		got := ref.NewMatrix(m, n)
		for i := range m {
			copy(got.Row(i), dst.row(i)[g*n:(g+1)*n])
		}
		sameBits(t, got, want, scale.Float32, fmt.Sprintf("codes, group %d of %v", g, w))
	}
}

// What the MMAs make of scales and of their order, by hand.
var mxLiterals = []struct {
	name         string
	aScale       [2]scale.E8M0 // of two blocks of 32 columns; the weight's are 1
	a0, a1       scale.E4M3    // the first code of each block, times 1; the others are 0
	weightScale  scale.E8M0
	want         uint32
	f32scaleBits uint32 // what the other family gives
}{
	{"one", [2]scale.E8M0{0x7F, 0x7F}, 0x38, 0x38, 0x7F, 0x40000000, 0x40000000},
	// 2^25 + 3 is cut off to 24 bits, where an FMA rounds it to the nearest, 2^25 + 4.
	{"truncated", [2]scale.E8M0{0x7F + 25, 0x7F}, 0x38, 0x44, 0x7F, 0x4C000000, 0x4C000001},
	// 2^-75 * 2^-74 is the smallest number.
	{"smallest", [2]scale.E8M0{0x34, 0x34}, 0x38, 0x00, 0x7F - 74, 0x00000001, 0x00000001},
	{"2^-127 twice", [2]scale.E8M0{0, 0}, 0x7E, 0x7E, 0, 0, 0},
	{"overflow", [2]scale.E8M0{0xFE, 0x7F}, 0x40, 0, 0x7F, 0x7F800000, 0x7F800000},
	{"NaN scale of zeros", [2]scale.E8M0{0x7F, 0xFF}, 0x38, 0, 0x7F, 0x7FFFFFFF, 0x7FFFFFFF},
	{"NaN scale of the weight", [2]scale.E8M0{0x7F, 0x7F}, 0x38, 0, 0xFF, 0x7FFFFFFF, 0x7FFFFFFF},
	{"minus zero", [2]scale.E8M0{0x7F, 0x7F}, 0x80, 0x80, 0x7F, 0, 0},
}

// mxLiteral returns the operands [1,64] of a literal.
func mxLiteral(t testing.TB, i int) (a, b ref.Operand) {
	t.Helper()
	l := mxLiterals[i]
	codes := make([]scale.E4M3, 64)
	codes[0], codes[32] = l.a0, l.a1
	aGrid := must(scale.NewE8M0Grid(scale.RowMajor(1, 64, 1, 32), l.aScale[:]))(t)
	bGrid := must(scale.NewE8M0Grid(scale.RowMajor(1, 64, 1, 32), []scale.E8M0{l.weightScale, l.weightScale}))(t)
	ones := scale.E4M3s(bytes.Repeat([]byte{0x38}, 64))
	return must(ref.NewOperand(codes, 64, aGrid))(t), must(ref.NewOperand(ones, 64, bGrid))(t)
}

func TestMXLiterals(t *testing.T) {
	d := newDevice(newFake(sm(12, 0)))
	t.Cleanup(func() { closeTest(t, d) })
	testMXLiterals(t, d)
}

// testMXLiterals multiplies the literals with both families.
func testMXLiterals(t *testing.T, d *Device) {
	t.Helper()
	for i, l := range mxLiterals {
		a, b := mxLiteral(t, i)
		for declared, want := range map[bool]uint32{true: l.want, false: l.f32scaleBits} {
			w := must(NewWeight(d, b, WeightOptions{E8M0Activations: declared}))(t)
			got := []float32{42}
			noError(t, MatMulCodes(Matrix[float32]{1, 1, 1, got}, a, w, nil))
			if bits := math.Float32bits(got[0]); bits != want && !(got[0] != got[0] && math.Float32frombits(want) != math.Float32frombits(want)) {
				t.Errorf("%s, E8M0 scales declared %v: %#08x, want %#08x", l.name, declared, bits, want)
			}
			noError(t, w.Close())
		}
	}
}

func TestMXAllocatesNothing(t *testing.T) {
	d := newDevice(newFake(sm(12, 0)))
	t.Cleanup(func() { closeTest(t, d) })
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(68, 69))
	b := makeOperand(t, r, operandShape{rows: 64, cols: 256, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
	w := must(NewWeight(d, b, WeightOptions{E8M0Activations: true}))(t)
	for _, input := range []Input{E8M0Input, Float32Input, BFloat16Input} {
		allocatesNothing(t, d, s, w, input)
	}
	noError(t, w.Close())
}
