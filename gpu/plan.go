package gpu

import (
	"fmt"

	"blockfp8/ref"
	"blockfp8/scale"
)

// Target is what a plan needs to know of a device.
type Target struct {
	Arch            Arch
	Multiprocessors int
	// Compiler is the CUDA version of the driver, 1000*major + 10*minor: on some
	// chips it decides bits. 0 stands for one that is new enough.
	Compiler int
}

// Target returns the device's.
func (d *Device) Target() Target {
	return Target{Arch: d.drv.Arch(), Multiprocessors: d.drv.Multiprocessors(), Compiler: d.drv.Version()}
}

// Input is how the activations of a multiplication come.
type Input uint8

// The kinds of activations. All but codes are quantised on the device, in groups
// of the weight's block along K.
const (
	CodesInput    Input = iota // E4M3 codes and float32 scales
	E8M0Input                  // E4M3 codes and E8M0 scales
	Float32Input               // float32 numbers
	BFloat16Input              // scale.BF16
	Float16Input               // scale.FP16
)

// Problem is the shape of a multiplication: A [M, G*K] times B, G times [N,K],
// gives C [M, G*N].
type Problem struct {
	M, N, K int
	Groups  int // G; 0 means 1
	BlockN  int // rows and columns of B that share one scale
	BlockK  int
	// RowOffset is the rows of B's first block that lie before its first row: not 0 for
	// a shard that begins inside a block.
	RowOffset int
	E8M0      bool // B has E8M0 scales, not float32
	Input     Input
	Output    scale.Format
	// Unaligned says that rows of the activations' codes do not all begin at a
	// multiple of 16 bytes, which fewer kernels take. It is false for activations
	// that are quantised on the device.
	Unaligned bool
	// E8M0Activations, UncachedUpcast and Kernel are those of WeightOptions.
	E8M0Activations bool
	UncachedUpcast  bool
	Kernel          string
}

// Plan is how a problem is computed on a device.
type Plan struct {
	Kernel string // the form's name; Forms lists them
	Level  int    // of its family's ladder
	// Grid, Block and Shared (bytes) are those of the first launch of the kernel;
	// a launch covers at most RowsAtOnce rows.
	Grid, Block [3]int
	Shared      int
	RowsAtOnce  int
	// Recipe is all that decides the bits. It never depends on M.
	Recipe ref.Recipe
	// PrefersFP32Scale reports whether the kernel takes float32 scales of B, so
	// that E8M0 ones are upcast, once or at each call.
	PrefersFP32Scale bool
	// Launches names the kernels in the order of their launches. It is empty where
	// there is nothing to compute.
	Launches []string
	// Workspace is the bytes of device memory that a device call needs, for
	// activations that are quantised or whose scales are upcast.
	Workspace int64
	Reason    string // why this kernel, and what is to be known of it
}

// NewPlan returns the plan for a problem. It is a pure function: the same target
// and problem give the same plan.
//
// Errors: ErrUnsupported, saying why, for a chip or a shape that no kernel takes;
// scale.ErrBlock for block sizes; scale.ErrOffset for a row offset; scale.ErrShape
// for extents; scale.ErrOption.
func NewPlan(t Target, p Problem) (Plan, error) {
	c, err := choose(t, p)
	if err != nil {
		return Plan{}, err
	}
	f := &forms[c.form]
	plan := Plan{
		Kernel: f.name, Level: f.level, RowsAtOnce: c.geometry.rowsAtOnce, Shared: int(c.geometry.shared),
		Recipe: f.family.recipe(c.datapath, p.BlockK, p.Output), PrefersFP32Scale: f.family.prefersFP32Scale(),
		Workspace: newWorkspace(p, f.family).bytes, Reason: c.reason,
	}
	if status := f.family.status(); status != "" {
		plan.Reason += "; " + status
	}
	for i := range 3 {
		plan.Grid[i], plan.Block[i] = int(c.geometry.grid[i]), int(c.geometry.block[i])
	}
	if p.M > 0 && p.N > 0 {
		plan.Launches = launches(p, f, c.geometry.rowsAtOnce)
	}
	return plan, nil
}

// launches names what a device call starts.
func launches(p Problem, f *form, rowsAtOnce int) []string {
	var names []string
	if p.K > 0 {
		if h := p.Input.helper(f.family); h != noHelper {
			for range p.quantiserLaunches() {
				names = append(names, helpers[h].name)
			}
		}
		if p.upcastsEachCall(f.family) {
			names = append(names, helpers[widenHelper].name, helpers[shiftHelper].name)
		}
	}
	for range ceilDiv(p.M, rowsAtOnce) {
		names = append(names, f.name)
	}
	return names
}

// upcastsEachCall reports whether every call makes float32 scales of B.
func (p Problem) upcastsEachCall(f family) bool {
	return p.K > 0 && p.E8M0 && p.UncachedUpcast && f.prefersFP32Scale()
}

// choice is a plan without what needs the heap.
type choice struct {
	form     int // index into forms
	datapath ref.Datapath
	geometry geometry
	reason   string
}

// choose checks a problem and picks the form.
func choose(t Target, p Problem) (choice, error) {
	if err := p.check(); err != nil {
		return choice{}, err
	}
	if p.Kernel != "" {
		return chooseNamed(t, p)
	}
	family := p.family(t)
	datapath, err := family.datapath(t)
	if err != nil {
		return choice{}, err
	}
	c := choice{datapath: datapath}
	for _, candidate := range family.candidates(t, p) {
		if f := &forms[candidate]; f.takes(p) {
			if g, ok := f.geometry(t, max(p.M, 1), max(p.N, 1), p.K, p.groups()); ok {
				c.form, c.geometry, c.reason = candidate, g, reasons[f.kind]
				return c, nil
			}
		}
	}
	return choice{}, &handleError{what: fmt.Sprintf("%d groups of [%d,%d]", p.groups(), p.N, p.K), kind: ErrUnsupported, why: fmt.Sprintf("more than %d groups", maxGridYZ)}
}

// chooseNamed takes the form that the problem asks for.
func chooseNamed(t Target, p Problem) (choice, error) {
	c := choice{form: formNamed(p.Kernel)}
	if c.form < 0 {
		return choice{}, &scale.Mismatch{Kind: scale.ErrOption, What: "kernel", Want: "one of Forms", Got: p.Kernel}
	}
	f := &forms[c.form]
	var err error
	if c.datapath, err = f.family.datapath(t); err != nil {
		return choice{}, err
	}
	if f.family == ue8m0MX && p.family(t) != ue8m0MX {
		return choice{}, &handleError{what: f.name, kind: ErrUnsupported, why: "it takes weights with E8M0 scales whose options say E8M0Activations"}
	}
	if !f.takesBlockK(p.BlockK) {
		return choice{}, &scale.Mismatch{Kind: scale.ErrBlock, What: f.name, Want: f.blockSizes(), Got: fmt.Sprint(p.BlockK)}
	}
	if !f.takesRows(p.Unaligned) {
		return choice{}, &scale.Mismatch{Kind: scale.ErrStride, What: f.name, Want: "rows of codes that begin at multiples of 16 bytes", Got: "others"}
	}
	if !f.takes(p) {
		return choice{}, &scale.Mismatch{Kind: scale.ErrBlock, What: f.name, Want: fmt.Sprintf("rows of scale blocks, and before the first, that are multiples of %d", f.scaleRows()), Got: fmt.Sprintf("%d and %d", p.BlockN, p.RowOffset)}
	}
	g, ok := f.geometry(t, max(p.M, 1), max(p.N, 1), p.K, p.groups())
	if !ok {
		return choice{}, &handleError{what: f.name, kind: ErrUnsupported, why: fmt.Sprintf("%d groups of K = %d do not fit its %d bytes of shared memory or its grid", p.groups(), p.K, f.maxShared())}
	}
	c.geometry, c.reason = g, "asked for by name"
	return c, nil
}

func (p Problem) groups() int { return max(1, p.Groups) }

// The kernels count in 32 bits inside one group.
const (
	maxExtent = 1<<31 - 1           // of strides and blocks
	maxCount  = maxExtent + 1 - 256 // of M, N and K, G*N and G*K, which are rounded up to tiles of at most 256
)

func (p Problem) check() error {
	g := p.groups()
	switch {
	case p.M < 0 || p.N < 0 || p.K < 0 || p.Groups < 0:
		return &scale.Mismatch{Kind: scale.ErrShape, What: "multiplication", Want: "extents of at least 0", Got: p.extents()}
	case p.M > maxCount || p.N > maxCount/g || p.K > maxCount/g:
		return &scale.Mismatch{Kind: scale.ErrShape, What: "multiplication", Want: "extents of at most 2^31-256", Got: p.extents()}
	case p.BlockK < 1 || p.BlockK%mmaK != 0 || p.BlockK > maxExtent:
		return &scale.Mismatch{Kind: scale.ErrBlock, What: "weight", Want: "a block along K of a multiple of 32", Got: fmt.Sprint(p.BlockK)}
	case p.BlockK < p.K && p.K > maxCount-p.BlockK:
		return &scale.Mismatch{Kind: scale.ErrShape, What: "multiplication", Want: fmt.Sprintf("K of at most 2^31-256 in whole blocks of %d", p.BlockK), Got: p.extents()}
	case p.BlockN < 1 || p.BlockN > maxExtent:
		return &scale.Mismatch{Kind: scale.ErrBlock, What: "weight", Want: "a block of at least 1 row", Got: fmt.Sprint(p.BlockN)}
	case p.RowOffset < 0 || p.RowOffset >= p.BlockN:
		return &scale.Mismatch{Kind: scale.ErrOffset, What: "weight", Want: fmt.Sprintf("from 0 to %d rows of the first block before its first", p.BlockN-1), Got: fmt.Sprint(p.RowOffset)}
	case !p.Output.Valid():
		return &scale.Mismatch{Kind: scale.ErrOption, What: "output", Want: "float32, bf16 or fp16", Got: p.Output.String()}
	case p.Input > Float16Input:
		return &scale.Mismatch{Kind: scale.ErrOption, What: "activations", Want: "an Input of this package", Got: fmt.Sprint(uint8(p.Input))}
	case p.Input == CodesInput && p.E8M0Activations:
		return &scale.Mismatch{Kind: scale.ErrInexact, What: "activations of a weight with E8M0Activations", Want: "E8M0 scales", Got: "float32 scales"}
	}
	return nil
}

// columnsOfBlock is the block along K as kernels take it: they add up K and a block in
// 32 bits, so one that is too long for that, and so longer than a row, ends with it, in
// whole MMAs.
func (p Problem) columnsOfBlock() int {
	if p.K <= maxCount-p.BlockK {
		return p.BlockK
	}
	return max(mmaK, align(p.K, mmaK))
}

func (p Problem) extents() string {
	return fmt.Sprintf("M=%d, %d groups of N=%d, K=%d", p.M, p.groups(), p.N, p.K)
}
