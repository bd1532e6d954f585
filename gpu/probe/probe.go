package probe

import (
	"fmt"

	"blockfp8/gpu"
)

// Options of a probe.
type Options struct {
	Outputs  int    // of each instruction, at least
	Problems int    // for the kernels
	Seed     uint64 // of everything random
	// Progress, if not nil, is told before each step what it is.
	Progress func(step string)
	// Stop, if not nil, is asked before each step: an error ends the probe.
	Stop func() error
}

// Report is what a probe found.
type Report struct {
	Instructions []InstructionReport `json:"instructions"`
	Kernels      KernelsReport       `json:"kernels"`
}

// Steps is the number of steps that Options.Progress is told of.
func (o Options) Steps() int { return len(gpu.Instructions()) + o.Problems }

// step announces a step.
func (o Options) step(format string, args ...any) error {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
	if o.Stop != nil {
		return o.Stop()
	}
	return nil
}

// Run probes a device: every matrix instruction that it has, then every kernel. What
// differs or fails is in the report. The error is that of Options.Stop.
func Run(dev *gpu.Device, o Options) (Report, error) {
	var r Report
	for _, i := range gpu.Instructions() {
		if err := o.step("%v", i); err != nil {
			return Report{}, err
		}
		r.Instructions = append(r.Instructions, probeInstruction(dev, i, dev.Target(), o))
	}
	err := r.Kernels.probe(dev, o)
	return r, err
}

// Different returns the number of outputs that differ from what a model of the chip
// or the oracle says, including those of a chip without a model that no known one
// explains.
func (r *Report) Different() int {
	n := r.Kernels.Different
	for _, i := range r.Instructions {
		n += i.Different
	}
	return n
}

// NotRun returns what this module has for the chip and could not try.
func (r *Report) NotRun() (all []string) {
	for _, i := range r.Instructions {
		if i.Refused != "" {
			all = append(all, i.Instruction)
		}
	}
	if r.Kernels.Skipped != "" {
		all = append(all, "kernels")
	}
	for _, f := range r.Kernels.Forms {
		if f.Refused != "" {
			all = append(all, f.Form)
		}
	}
	return all
}

// Failures returns what was run and did not end.
func (r *Report) Failures() (all []string) {
	for _, i := range r.Instructions {
		if i.Failed != "" {
			all = append(all, i.Instruction+": "+i.Failed)
		}
	}
	if r.Kernels.Failed != "" {
		all = append(all, "kernels: "+r.Kernels.Failed)
	}
	return all
}
