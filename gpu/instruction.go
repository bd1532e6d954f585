package gpu

import (
	"fmt"

	"blockfp8/ref"
)

// Instruction is a matrix instruction on E4M3 codes with float32 accumulators that
// sums 32 products for each.
type Instruction uint8

// The instructions that RunInstruction knows.
const (
	MMA       Instruction = iota // mma.sync m16n8k32
	MMAScaled                    // the same with an E8M0 scale for each row of A and column of B, kind::mxf8f6f4
	WGMMA                        // wgmma m64n8k32
)

// instructions holds what there is to know about each.
var instructions = [...]struct {
	name string // in words
	file string // of the PTX, and the kernel in it
	rows int
}{
	MMA:       {"mma.sync m16n8k32 e4m3", "probe_mma", 16},
	MMAScaled: {"mma.sync m16n8k32 e4m3 with E8M0 scales", "probe_mma_scaled", 16},
	WGMMA:     {"wgmma m64n8k32 e4m3", "probe_wgmma", 64},
}

// The other extents of every instruction.
const (
	instructionColumns = 8
	instructionDepth   = 32
)

// Instructions returns all of them.
func Instructions() []Instruction { return []Instruction{MMA, MMAScaled, WGMMA} }

func (i Instruction) String() string {
	if int(i) < len(instructions) {
		return instructions[i].name
	}
	return fmt.Sprintf("Instruction(%d)", uint8(i))
}

// Rows returns the rows of A and of the accumulators in one instruction. Each has 8
// columns of B.
func (i Instruction) Rows() int {
	if int(i) < len(instructions) {
		return instructions[i].rows
	}
	return 0
}

// TakesScales reports whether the instruction takes E8M0 scales.
func (i Instruction) TakesScales() bool { return i == MMAScaled }

// ExistsOn is nil if chips of a compute capability have the instruction, and
// ErrUnsupported with the reason otherwise.
func (i Instruction) ExistsOn(a Arch) error {
	switch {
	case i == MMA && (a.Major > 8 || a.Major == 8 && a.Minor >= 9):
		return nil
	case i == MMA:
		return unsupported(a, "FP8 tensor cores begin with sm_89")
	case i == MMAScaled && a.Major == 12, i == WGMMA && a == Arch{Major: 9, Minor: 0}:
		return nil
	case i == MMAScaled:
		return unsupported(a, "it is an instruction of RTX Blackwell, sm_120 and sm_121")
	case i == WGMMA:
		return unsupported(a, "it is an instruction of Hopper, sm_90")
	}
	return unsupported(a, "there is no "+i.String())
}

// Datapath returns the arithmetic that a device is believed to do for the
// instruction. Errors: ErrUnsupported, saying why, if it does not have it or nobody
// has published a model of it.
func (i Instruction) Datapath(t Target) (ref.Datapath, error) {
	if err := i.ExistsOn(t.Arch); err != nil {
		return ref.Datapath{}, err
	}
	switch i {
	case WGMMA:
		return ref.SM90WGMMA, nil
	case MMAScaled:
		return mxDatapath(t)
	}
	return mmaDatapath(t)
}
