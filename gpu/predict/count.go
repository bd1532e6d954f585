package predict

import (
	"fmt"

	"blockfp8/gpu"
	"blockfp8/gpu/kernels"
	"blockfp8/scale"
)

const blockExtent = 128 // rows and columns of a scale block

// Shape is a multiplication of E4M3 codes [M,K] by a weight [N,K] with E8M0 scales of
// 128x128, to bf16.
type Shape struct{ M, N, K int }

// Count returns what a kernel does with a shape on a chip: by running a corner of it on
// an emulated one, since all blocks do the same. The kernel is a form's name, or empty
// for the plan's choice. E8M0 says that the activations' scales are E8M0 as well, and not
// float32.
func Count(c Chip, s Shape, kernel string, e8m0 bool) (Work, error) {
	plan, err := gpu.NewPlan(c.Target(), s.problem(kernel, e8m0))
	if err != nil {
		return Work{}, err
	}
	r, ok := kernels.ResourcesOf(plan.Kernel, c.Arch.String())
	if !ok {
		return Work{}, fmt.Errorf("%s on %v: %w: it is not in gpu/kernels/resources.json, which leaves out MMAs of warpgroups", plan.Kernel, c.Arch, gpu.ErrUnsupported)
	}
	counters, err := corner{c.Arch, plan.Kernel, e8m0, Shape{min(s.M, countedTokens), min(s.N, countedRows), s.K}}.counters()
	if err != nil {
		return Work{}, err
	}
	w := Work{
		Kernel: plan.Kernel, Blocks: plan.Grid[0] * plan.Grid[1] * plan.Grid[2], Warps: plan.Block[0] * plan.Block[1] * plan.Block[2] / 32,
		Shared: plan.Shared + r.StaticSharedBytes, Resources: r,
		LeastBytes: s.leastBytes(plan.PrefersFP32Scale, e8m0), LeastMMAs: float64(s.M) * float64(s.N) * float64(s.K) / mmaProducts,
	}
	corners := ceilDiv(s.N, countedRows) * ceilDiv(s.M, countedTokens)
	w.add(counters, float64(corners))
	return w, nil
}

// add adds the counters of a corner, so many times.
func (w *Work) add(k gpu.KernelCounters, times float64) {
	w.MMAs = times * float64(k.MMAs)
	w.OtherPTX = times*float64(k.WarpInstructions()) - w.MMAs
	w.Conflicts = times * float64(k.BankConflicts)
	// Requests pass in one row at least, wide ones in as many as they have bytes.
	w.SharedPasses = times*max(float64(k.SharedRequests), float64(k.SharedRead+k.SharedWritten)/sharedRow) + w.Conflicts
	w.SectorBytes = times * float64(k.GlobalSectors) * sectorBytes
	w.Streams = k.ByClass()["asynchronous copy"] > 0
}

func (s Shape) problem(kernel string, e8m0 bool) gpu.Problem {
	p := gpu.Problem{
		M: s.M, N: s.N, K: s.K, BlockN: blockExtent, BlockK: blockExtent, E8M0: true, Output: scale.BFloat16, Kernel: kernel, E8M0Activations: e8m0,
	}
	if e8m0 {
		p.Input = gpu.E8M0Input
	}
	return p
}

// leastBytes is codes, scales as the kernel takes them, and bf16 results, each once.
func (s Shape) leastBytes(fp32Scales, e8m0 bool) float64 {
	m, n, k := float64(s.M), float64(s.N), float64(s.K)
	blocks := float64(ceilDiv(s.K, blockExtent))
	weightScale, tokenScale := 1.0, 4.0
	if fp32Scales {
		weightScale = 4
	}
	if e8m0 {
		tokenScale = 1
	}
	return n*k + m*k + 2*m*n + blocks*(weightScale*float64(ceilDiv(s.N, blockExtent))+tokenScale*m)
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
