package gpu

import (
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// On sm_90 every problem is for the family of wgmma, on a form that takes it: the plain
// one for what copies of tiles cannot bring, no tile whose scales change inside it.
func TestPlansOfHopper(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	levels := map[int]int{}
	for range 20000 {
		p := Problem{
			M: r.IntN(1 << r.IntN(16)), N: 1 + r.IntN(1<<r.IntN(17)), K: r.IntN(1 << r.IntN(18)), Groups: 1 + r.IntN(3),
			BlockN: [...]int{1, 48, 64, 128, 128, 128, 256}[r.IntN(7)], BlockK: [...]int{32, 64, 96, 128, 128, 128, 128, 256}[r.IntN(8)],
			E8M0: r.IntN(2) == 0, E8M0Activations: r.IntN(4) == 0, Unaligned: r.IntN(4) == 0, Output: scale.Format(r.IntN(3)),
		}
		if p.E8M0Activations {
			p.Input = E8M0Input
		}
		p.RowOffset = r.IntN(p.BlockN) * r.IntN(2)
		plan := must(NewPlan(h200, p))(t)
		if want := ref.F32ScaleWGMMA(p.BlockK, p.Output); plan.Recipe != want || !plan.PrefersFP32Scale {
			t.Fatalf("%+v: recipe %v, want %v", p, plan.Recipe, want)
		}
		fine := p.BlockK == 32 || p.BlockK == 64
		if plain := p.Unaligned || p.BlockK != 128 && !fine; plain && plan.Level != 0 || fine && plan.Level == 2 {
			t.Fatalf("%+v: %s", p, plan.Kernel)
		}
		if plan.Level == 2 && (p.BlockN%128 != 0 || p.RowOffset%128 != 0) {
			t.Fatalf("%+v: %s", p, plan.Kernel)
		}
		if plan.Shared > 227<<10 {
			t.Fatalf("%+v: %d bytes of shared memory", p, plan.Shared)
		}
		levels[plan.Level]++
	}
	if len(levels) != 4 {
		t.Errorf("only some levels: %v", levels)
	}
}

// A driver of before CUDA 13 emulates mma in an unknown way; wgmma is the chip's own.
func TestPlansOfHopperOnAnOldDriver(t *testing.T) {
	old := h200
	old.Compiler = 12040
	p := Problem{M: 1, N: 128, K: 128, BlockN: 128, BlockK: 128}
	if plan := must(NewPlan(old, p))(t); plan.Recipe.Datapath != ref.SM90WGMMA {
		t.Errorf("recipe %v", plan.Recipe)
	}
	if ok, text := Supported(old); !ok || text != "f32scale wgmma on datapath sm90wgmma" {
		t.Errorf("supported: %v, %s", ok, text)
	}
}

// Maps of chunks are for whole chunks of K, and for groups that are whole chunks apart.
func TestMapsOfChunks(t *testing.T) {
	decode, other := &forms[formNamed("w8a8_f32scale_wgmma_l1_r16t8")], &forms[formNamed("w8a8_f32scale_wgmma_l2_c64")]
	for _, c := range []struct {
		k, groups, groupA, groupB int
		want                      bool
	}{
		{256, 1, 0, 0, true},
		{256, 1, 5, 7, true},
		{255, 1, 0, 0, false},
		{0, 1, 0, 0, false},
		{320, 1, 0, 0, false},
		{256, 2, 256, 1024, true},
		{256, 2, 272, 1024, false},
		{256, 2, 256, 1040, false},
	} {
		g := gemm{k: c.k, groups: c.groups, groupA: c.groupA, groupB: c.groupB}
		if got := decode.mapsChunks(&g); got != c.want || other.mapsChunks(&g) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A block has as many stages as steps at once: four, three or two warpgroups of level 1
// have one each, the one of level 3 has two. The longer K, the less room is left for them.
func TestStagesOfHopper(t *testing.T) {
	atOnce := map[string]int{
		"l1_r16t8": 4, "l1_r16t16": 3, "l1_r32t8": 4, "l1_r32t16": 4, "l1_r16t8_fine": 2, "l1_r32t8_fine": 2, "l1_r32t16_fine": 2,
		"l3_r64t8": 2, "l3_r64t16": 2, "l3_r64t32": 2, "l3_r64t64": 2, "l3_r32t32": 2,
	}
	for name, want := range atOnce {
		f := &forms[formNamed("w8a8_f32scale_wgmma_"+name)]
		fewest, refused := 1000, false
		for k := 128; k <= 1<<18; k += 128 {
			for _, n := range []int{64, 4096, 100_000} {
				g, ok := f.geometry(h200, 8, n, k, 1)
				if !ok {
					refused = true
					continue
				}
				steps := ceilDiv(k/128, f.ways()) * ceilDiv(ceilDiv(n, 16*f.rows), int(g.grid[0]))
				if stages := int(g.tune[0]); stages < min(want, steps) || stages > steps {
					t.Fatalf("%s, N=%d, K=%d: %d stages for %d steps", name, n, k, stages, steps)
				} else if steps > want {
					fewest = min(fewest, stages)
				}
			}
		}
		if fewest != want || !refused {
			t.Errorf("%s: at least %d stages, want %d where K leaves room for no more, and no form beyond", name, fewest, want)
		}
	}
}

// The forms that were the fastest on an H200, among all others of a decode step and alone.
func TestFormsOfHopper(t *testing.T) {
	for _, c := range []struct {
		groups, n, k int
		want         map[int]string // by M
	}{
		{1, 1536, 4096, map[int]string{1: "l1_r16t8", 8: "l1_r16t8", 12: "l1_r16t16", 32: "l3_r32t32", 64: "l3_r32t32", 100: "l2_c64", 4096: "l2_c128"}},
		{1, 32768, 1024, map[int]string{1: "l3_r64t8", 12: "l3_r64t16", 17: "l3_r64t32", 64: "l2_c128", 128: "l2_c128", 512: "l2_c256"}},
		{1, 8192, 1024, map[int]string{1: "l3_r64t8", 16: "l3_r64t16", 32: "l3_r64t32", 33: "l2_c64"}},
		{8, 1024, 4096, map[int]string{1: "l1_r32t8", 12: "l3_r64t16", 64: "l3_r64t64"}},
		{1, 4096, 8192, map[int]string{1: "l1_r16t8", 9: "l1_r32t16", 24: "l3_r32t32", 64: "l3_r64t32", 65: "l2_c64", 512: "l2_c128"}},
		{1, 4096, 4096, map[int]string{1: "l1_r32t8", 16: "l1_r32t16", 64: "l3_r64t32", 4096: "l2_c256"}},
		{1, 4096, 2048, map[int]string{8: "l1_r32t8", 16: "l1_r32t16", 24: "l3_r64t32", 64: "l3_r64t32"}},
		{1, 36864, 7168, map[int]string{1: "l1_r32t8", 16: "l1_r32t16", 17: "l3_r64t32", 64: "l3_r64t64", 100: "l2_c128", 4096: "l2_c256"}},
	} {
		for m, want := range c.want {
			plan := must(NewPlan(h200, Problem{M: m, N: c.n, K: c.k, Groups: c.groups, BlockN: 128, BlockK: 128}))(t)
			if plan.Kernel != "w8a8_f32scale_wgmma_"+want {
				t.Errorf("M=%d, %d x N=%d, K=%d: %s, want %s", m, c.groups, c.n, c.k, plan.Kernel, want)
			}
		}
	}
}
