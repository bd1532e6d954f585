package interp

import (
	"blockfp8/gpu/internal/ptx"
	"blockfp8/ref"
)

// Chip is what decides results and limits on the device that is emulated.
type Chip struct {
	Name            string       // such as "sm_120"
	Target          int          // 10*major + minor
	MMA             ref.Datapath // of mma.sync e4m3
	MMAScaled       ref.Datapath // of its block-scaled form; no name where the chip has none
	WGMMA           ref.Datapath // of wgmma e4m3; no name where the chip has none
	SharedPerBlock  int          // bytes, at most
	Multiprocessors int
}

// Options of a program.
type Options struct {
	// Check looks for races, undefined reads and copies that nobody waited for.
	// Bounds, alignment and barriers are checked always.
	Check bool
	// Limit is how many instructions a warp may run before it is taken to be endless;
	// 0 stands for a number far beyond any kernel that ends.
	Limit uint64
}

// Program is a module compiled for one chip. It is read-only: any number of
// goroutines may run its kernels.
type Program struct{ kernels map[string]*Kernel }

// Compile checks every instruction of a module. The error is a *ptx.SyntaxError
// that names the line of the first one that the interpreter does not know, or that
// the chip does not have.
func Compile(m *ptx.Module, c Chip, o Options) (*Program, error) {
	p := &Program{kernels: map[string]*Kernel{}}
	for _, v := range m.Variables {
		if v.Space != ptx.Shared {
			return nil, &ptx.SyntaxError{File: m.Name, Line: v.Line, Text: "module variable " + v.Name + " outside of shared memory: not supported"}
		}
	}
	for _, f := range m.Functions {
		if !f.Entry {
			return nil, &ptx.SyntaxError{File: m.Name, Line: f.Line, Text: "function " + f.Name + " is no kernel: calls are not supported"}
		}
		k, err := compileKernel(m, f, c, o)
		if err != nil {
			return nil, err
		}
		p.kernels[f.Name] = k
	}
	return p, nil
}

// Kernel returns the kernel of that name, or nil.
func (p *Program) Kernel(name string) *Kernel { return p.kernels[name] }
