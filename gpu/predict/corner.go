package predict

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

// What is run of a multiplication to count what a block does: blocks of all forms
// divide it.
const (
	countedRows   = 128
	countedTokens = 64
)

// corner is what an emulated chip runs of a multiplication.
type corner struct {
	arch   gpu.Arch
	kernel string
	e8m0   bool // scales of the activations
	shape  Shape
}

// counted keeps the counters of corners, which the shapes with the same K share. They
// depend on nothing else.
var counted sync.Map

// counters returns what the kernel does with the corner.
func (c corner) counters() (gpu.KernelCounters, error) {
	if kept, ok := counted.Load(c); ok {
		return kept.(gpu.KernelCounters), nil
	}
	k, err := c.run()
	if err == nil {
		counted.Store(c, k)
	}
	return k, err
}

// run multiplies random operands and returns the kernel's counters.
func (c corner) run() (k gpu.KernelCounters, err error) {
	s := c.shape
	dev, err := gpu.Emulate(c.arch)
	if err != nil {
		return k, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	rng := rand.New(rand.NewPCG(1, 0))
	b, err := operand(rng, s.N, s.K, blockExtent, true)
	if err != nil {
		return k, err
	}
	a, err := operand(rng, s.M, s.K, 1, c.e8m0)
	if err != nil {
		return k, err
	}
	w, err := gpu.NewWeight(dev, b, gpu.WeightOptions{Kernel: c.kernel, E8M0Activations: c.e8m0})
	if err != nil {
		return k, err
	}
	out := gpu.Matrix[scale.BF16]{Rows: s.M, Cols: s.N, Stride: s.N, Data: make([]scale.BF16, s.M*s.N)}
	if err := gpu.MatMulCodes(out, a, w, nil); err != nil {
		return k, err
	}
	for _, k := range dev.Counters() {
		if k.Kernel == c.kernel {
			return k, nil
		}
	}
	return k, fmt.Errorf("%s: %w: it was not launched", c.kernel, gpu.ErrUnsupported)
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
