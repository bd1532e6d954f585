package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

func sm(major, minor int) Arch { return Arch{Major: major, Minor: minor} }

var h200 = Target{Arch: sm(9, 0), Multiprocessors: 132}

// The bits never depend on M, nor on the kernel that the plan picks.
func TestRecipeDoesNotDependOnM(t *testing.T) {
	for _, arch := range []Arch{sm(8, 9), sm(9, 0), sm(10, 0), sm(12, 0), sm(12, 1)} {
		for _, block := range []int{32, 64, 96, 128, 256} {
			var first ref.Recipe
			kernels := map[string]bool{}
			for m := range 600 {
				p, err := NewPlan(Target{Arch: arch, Multiprocessors: 100}, Problem{M: m, N: 4096, K: 1024, BlockN: 128, BlockK: block, E8M0: true})
				if err != nil {
					t.Fatal(err)
				}
				if m == 0 {
					first = p.Recipe
				}
				if !reflect.DeepEqual(p.Recipe, first) {
					t.Fatalf("%v, block %d: the recipe of M = %d is %v, of M = 0 %v", arch, block, m, p.Recipe, first)
				}
				if p.Reason == "" {
					t.Fatalf("no reason for %s", p.Kernel)
				}
				kernels[p.Kernel] = true
			}
			if block == 128 && len(kernels) < 2 {
				t.Errorf("%v: only %v for all M", arch, kernels)
			}
		}
	}
}

func TestPlanIsPure(t *testing.T) {
	p := Problem{M: 5, N: 4096, K: 4096, BlockN: 128, BlockK: 128, Input: Float32Input, Output: scale.BFloat16}
	first, err1 := NewPlan(h200, p)
	second, err2 := NewPlan(h200, p)
	if !reflect.DeepEqual(first, second) || err1 != nil || err2 != nil {
		t.Errorf("%+v, %v\n%+v, %v", first, err1, second, err2)
	}
	if first.Recipe.Datapath.Name != "sm90wgmma" || first.Recipe.KPerPartial != 128 || first.Recipe.Output != scale.BFloat16 {
		t.Errorf("recipe %v", first.Recipe)
	}
}

// Every launch that a plan may make is one that the kernel and the smallest chip of the
// family accept, and covers every output.
func TestGeometry(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	most := make([]int, len(forms))
	for i := range forms {
		most[i] = maxThreads(t, &forms[i])
	}
	for range 20000 {
		m, n, k := 1+r.IntN(1<<r.IntN(21)), 1+r.IntN(1<<r.IntN(18)), r.IntN(1<<r.IntN(16))
		groups := 1 + r.IntN(8)
		i := r.IntN(len(forms))
		f := &forms[i]
		g, ok := f.geometry(h200, m, n, k, groups)
		if !ok {
			if f.kind != residentForm && f.kind != oneShotForm && !f.fewTokens() {
				t.Fatalf("%s does not take M=%d N=%d K=%d", f.name, m, n, k)
			}
			continue
		}
		threads := int(g.block[0] * g.block[1] * g.block[2])
		if int(g.shared) > f.maxShared() || g.grid[1] > maxGridYZ || g.grid[2] != uint32(groups) || g.grid[0] == 0 || g.grid[1] == 0 || threads > most[i] || threads%32 != 0 {
			t.Fatalf("%s for M=%d N=%d K=%d: %+v", f.name, m, n, k, g)
		}
		if g.rowsAtOnce < 1 {
			t.Fatalf("%s covers %d rows at once", f.name, g.rowsAtOnce)
		}
		if tokens := 8 * f.tokens; f.kind == persistentForm && ceilDiv(g.rowsAtOnce, tokens)*ceilDiv(n, 16*f.rows) > 1<<31-1 {
			t.Fatalf("%s for N=%d counts more than 2^31 tiles", f.name, n)
		}
		if f.kind == splitForm && g.tune[0] < 1 {
			t.Fatalf("%s has no chunks in a phase", f.name)
		}
	}
}

// maxThreads returns the threads of a block that a form's kernel was compiled for.
func maxThreads(t *testing.T, f *form) int {
	t.Helper()
	text, err := ptx.ReadFile("kernels/" + f.file() + ".ptx")
	noError(t, err)
	m := regexp.MustCompile(`(?s)\.entry ` + f.name + `\(.*?\.maxntid (\d+)`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("%s has no limit of threads", f.name)
	}
	return must(strconv.Atoi(string(m[1])))(t)
}

func TestPlanErrors(t *testing.T) {
	good := Problem{M: 1, N: 128, K: 128, BlockN: 128, BlockK: 128}
	for name, c := range map[string]struct {
		arch   Arch
		change func(p *Problem)
		want   error
		says   string
	}{
		"old chip":       {sm(8, 6), func(*Problem) {}, ErrUnsupported, "begin with sm_89"},
		"old driver":     {h200.Arch, func(p *Problem) { p.Kernel = "w8a8_f32scale_mma_l1" }, ErrUnsupported, "CUDA 13.0"},
		"unknown chip":   {sm(11, 0), func(*Problem) {}, ErrUnsupported, "not been modelled"},
		"block":          {h200.Arch, func(p *Problem) { p.BlockK = 48 }, scale.ErrBlock, "multiple of 32"},
		"zero block":     {h200.Arch, func(p *Problem) { p.BlockK = 0 }, scale.ErrBlock, "multiple of 32"},
		"zero rows":      {h200.Arch, func(p *Problem) { p.BlockN = 0 }, scale.ErrBlock, "at least 1 row"},
		"negative":       {h200.Arch, func(p *Problem) { p.M = -1 }, scale.ErrShape, "M=-1"},
		"huge":           {h200.Arch, func(p *Problem) { p.K = 1 << 31 }, scale.ErrShape, "at most 2^31-256"},
		"huge M":         {h200.Arch, func(p *Problem) { p.M = 1<<31 - 255 }, scale.ErrShape, "at most 2^31-256"},
		"huge N":         {h200.Arch, func(p *Problem) { p.N = 1<<31 - 255 }, scale.ErrShape, "at most 2^31-256"},
		"huge blocks":    {h200.Arch, func(p *Problem) { p.K, p.BlockK = 1<<30+1, 1<<30 }, scale.ErrShape, "in whole blocks of 1073741824"},
		"output":         {h200.Arch, func(p *Problem) { p.Output = 9 }, scale.ErrOption, "float32"},
		"input":          {h200.Arch, func(p *Problem) { p.Input = 9 }, scale.ErrOption, "Input"},
		"kernel":         {h200.Arch, func(p *Problem) { p.Kernel = "fast" }, scale.ErrOption, "fast"},
		"kernel's block": {h200.Arch, func(p *Problem) { p.Kernel, p.BlockK = "w8a8_f32scale_mma_l6", 32 }, scale.ErrBlock, "of 128"},
		"kernel's rows":  {h200.Arch, func(p *Problem) { p.Kernel, p.BlockN = "w8a8_f32scale_wgmma_l2_c64", 64 }, scale.ErrBlock, "multiples of 128"},
		"kernel's shard": {h200.Arch, func(p *Problem) { p.Kernel, p.BlockN, p.RowOffset = "w8a8_f32scale_wgmma_l2_c64", 256, 64 }, scale.ErrBlock, "multiples of 128"},
		"kernel's chip":  {sm(12, 0), func(p *Problem) { p.Kernel = "w8a8_f32scale_wgmma_l0" }, ErrUnsupported, "an instruction of Hopper"},
		"offset":         {h200.Arch, func(p *Problem) { p.RowOffset = 128 }, scale.ErrOffset, "from 0 to 127"},
		"kernel's K":     {h200.Arch, func(p *Problem) { p.Kernel, p.K = "w8a8_f32scale_mma_l5_r1t1", 1<<20 }, ErrUnsupported, "shared memory"},
		"groups":         {h200.Arch, func(p *Problem) { p.Groups = 70000 }, ErrUnsupported, "65535 groups"},
	} {
		p := good
		c.change(&p)
		target := Target{Arch: c.arch, Multiprocessors: 1}
		if name == "old driver" {
			target.Compiler = 12040
		}
		_, err := NewPlan(target, p)
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every form is in the PTX that is embedded, for the target that it needs.
func TestEmbeddedKernels(t *testing.T) {
	for i := range forms {
		inPTX(t, forms[i].file(), forms[i].name)
	}
	for h := upcastHelper; int(h) < len(helpers); h++ {
		inPTX(t, h.file(), helpers[h].name)
	}
	if got, want := len(Forms()), len(forms); got != want {
		t.Errorf("%d forms listed, want %d", got, want)
	}
}

// formsOf returns the forms of a family.
func formsOf(f family) (of []form) {
	for _, form := range forms {
		if form.family == f {
			of = append(of, form)
		}
	}
	return of
}

func inPTX(t *testing.T, file, name string) {
	t.Helper()
	text, err := ptx.ReadFile("kernels/" + file + ".ptx")
	if err != nil {
		t.Error(err)
		return
	}
	if !strings.Contains(string(text), ".entry "+name+"(") {
		t.Errorf("%s is not in %s.ptx", name, file)
	}
}

func TestSupported(t *testing.T) {
	for arch, want := range map[Arch]string{
		sm(8, 9): "sm89", sm(9, 0): "f32scale wgmma on datapath sm90wgmma; by name f32scale mma on datapath sm90mma", sm(10, 0): "sm100mma", sm(12, 0): "sm120", sm(12, 1): "sm120",
		sm(8, 0): "begin with sm_89", sm(12, 5): "not been modelled",
	} {
		if _, reason := Supported(Target{Arch: arch}); !strings.Contains(reason, want) {
			t.Errorf("%v: %s", arch, reason)
		}
	}
}
