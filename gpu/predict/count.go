package predict

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"blockfp8/gpu"
	"blockfp8/gpu/kernels"
	"blockfp8/ref"
	"blockfp8/scale"
)

// What is run of a multiplication to count what a block does: blocks of all forms
// divide it.
const (
	countedRows   = 128
	countedTokens = 64
	blockExtent   = 128 // rows and columns of a scale block
)

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
	corner := Shape{min(s.M, countedTokens), min(s.N, countedRows), s.K}
	counters, err := corner.run(c.Arch, plan.Kernel, e8m0)
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

// run multiplies random operands of the shape and returns the kernel's counters.
func (s Shape) run(arch gpu.Arch, kernel string, e8m0 bool) (k gpu.KernelCounters, err error) {
	dev, err := gpu.Emulate(arch)
	if err != nil {
		return k, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	rng := rand.New(rand.NewPCG(1, 0))
	b, err := operand(rng, s.N, s.K, blockExtent, true)
	if err != nil {
		return k, err
	}
	a, err := operand(rng, s.M, s.K, 1, e8m0)
	if err != nil {
		return k, err
	}
	w, err := gpu.NewWeight(dev, b, gpu.WeightOptions{Kernel: kernel, E8M0Activations: e8m0})
	if err != nil {
		return k, err
	}
	out := gpu.Matrix[scale.BF16]{Rows: s.M, Cols: s.N, Stride: s.N, Data: make([]scale.BF16, s.M*s.N)}
	if err := gpu.MatMulCodes(out, a, w, nil); err != nil {
		return k, err
	}
	for _, k := range dev.Counters() {
		if k.Kernel == kernel {
			return k, nil
		}
	}
	return k, fmt.Errorf("%s: %w: it was not launched", kernel, gpu.ErrUnsupported)
}

// operand makes random codes, none NaN, and scales near 1 for blocks of so many rows.
func operand(rng *rand.Rand, rows, k, blockRows int, e8m0 bool) (ref.Operand, error) {
	codes := make([]byte, rows*k)
	for i := range codes {
		codes[i] = byte(rng.IntN(256))
		if codes[i]&0x7F == 0x7F {
			codes[i] = 0
		}
	}
	layout := scale.RowMajor(rows, k, blockRows, blockExtent)
	e, f := make([]scale.E8M0, layout.Len()), make([]float32, layout.Len())
	for i := range e {
		e[i] = scale.E8M0(124 + rng.IntN(8))
		f[i] = e[i].Float32()
	}
	grid, err := scale.NewFP32Grid(layout, f)
	if e8m0 {
		grid, err = scale.NewE8M0Grid(layout, e)
	}
	if err != nil {
		return ref.Operand{}, err
	}
	return ref.NewOperand(scale.E4M3s(codes), k, grid)
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
