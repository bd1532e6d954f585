package gpu

import (
	"strings"
	"testing"

	"blockfp8/scale"
)

// On SM12x more than 32 tokens of a narrow weight go to small tiles, as long as no
// processor has to do two.
func TestSmallTiles(t *testing.T) {
	pro, gb10 := Target{Arch: Arch{Major: 12, Minor: 0}, Multiprocessors: 188}, Target{Arch: Arch{Major: 12, Minor: 1}, Multiprocessors: 48}
	for _, c := range []struct {
		target  Target
		m, n, g int
		e8m0    bool
		want    string
	}{
		{pro, 32, 2048, 1, false, "mma_l4_r2t2"},
		{pro, 33, 2048, 1, false, "mma_l4_r2t4"},
		{pro, 64, 2048, 1, false, "mma_l4_r2t4"}, // 2 * 64 tiles
		{pro, 64, 3008, 1, false, "mma_l4_r2t4"}, // 2 * 94
		{pro, 64, 3009, 1, false, "mma_l6"},      // 2 * 95
		{pro, 64, 1504, 2, false, "mma_l4_r2t4"},
		{pro, 65, 2048, 1, false, "mma_l6"}, // 3 * 64
		{pro, 64, 2048, 1, true, "mx_l1_r2t2"},
		{pro, 65, 2048, 1, true, "mx_l2"},
		{gb10, 64, 768, 1, false, "mma_l4_r2t4"},
		{gb10, 64, 2048, 1, false, "mma_l6"},
		{Target{Arch: Arch{Major: 8, Minor: 9}, Multiprocessors: 188}, 64, 2048, 1, false, "mma_l6"},
	} {
		p := Problem{M: c.m, N: c.n, K: 4096, Groups: c.g, BlockN: 128, BlockK: 128, E8M0: true, E8M0Activations: c.e8m0, Output: scale.BFloat16}
		if c.e8m0 {
			p.Input = E8M0Input
		}
		plan, err := NewPlan(c.target, p)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(plan.Kernel, c.want) {
			t.Errorf("%v, %d processors, M=%d, %d x N=%d: %s, want %s", c.target.Arch, c.target.Multiprocessors, c.m, c.g, c.n, plan.Kernel, c.want)
		}
	}
	p := Problem{M: 64, N: 2048, K: 4096, BlockN: 128, BlockK: 128, Unaligned: true, Output: scale.BFloat16}
	if plan, err := NewPlan(pro, p); err != nil || !strings.HasSuffix(plan.Kernel, "mma_l6") {
		t.Errorf("%s, %v for rows at any address, want level 6", plan.Kernel, err)
	}
}
