package predict

import "blockfp8/gpu/kernels"

// Work is what a launch does and takes. Numbers of instructions are of warps.
type Work struct {
	Kernel string `json:"kernel"`
	Blocks int    `json:"blocks"`
	Warps  int    `json:"warps"`  // of a block
	Shared int    `json:"shared"` // bytes of a block, static and dynamic

	MMAs, OtherPTX float64 // instructions of the whole launch as the emulated chip counts them
	SharedPasses   float64 // rows of shared memory that pass, conflicts among them
	Conflicts      float64 // of SharedPasses
	SectorBytes    float64 // in sectors that warps ask for
	Streams        bool    // asynchronous copies fetch what is multiplied

	LeastBytes float64 // each operand and the result once
	LeastMMAs  float64 // without tails and padding

	Resources kernels.Resources
}

// slots is the instructions of warps on the chip. PTX becomes the chip's instructions
// at the ratio of the two in the loop that multiplies.
func (w *Work) slots() float64 { return w.OtherPTX*w.ratio() + w.MMAs*w.slotsOfMMA() }

// ratio is the chip's instructions for one of PTX, MMAs on both sides left out. It is
// near 1, and taken for 1 where no loop multiplies.
func (w *Work) ratio() float64 {
	chip, ptx := w.Resources.Loop, w.Resources.PTXLoop
	if chip.MMAs == 0 || ptx.MMAs == 0 || ptx.Instructions == ptx.MMAs {
		return 1
	}
	return float64(chip.Instructions-chip.OfMMAs) / float64(chip.MMAs) * float64(ptx.MMAs) / float64(ptx.Instructions-ptx.MMAs)
}

// slotsOfMMA is the chip's instructions for an MMA: more than one where it is emulated.
func (w *Work) slotsOfMMA() float64 {
	loop := w.Resources.Loop
	if loop.MMAs == 0 {
		return 1
	}
	return float64(loop.OfMMAs) / float64(loop.MMAs)
}

// integerShare is the part of all instructions that integer lanes and converters do.
func (w *Work) integerShare() float64 {
	pipes, n := w.Resources.Loop.Pipes, w.Resources.Loop.Instructions
	if n == 0 {
		return 0
	}
	return float64(pipes["integer"]+pipes["convert"]) / float64(n)
}

// chains is how many MMAs of a warp do not wait for each other.
func (w *Work) chains() float64 { return float64(max(1, w.Resources.PTXLoop.Chains)) }
