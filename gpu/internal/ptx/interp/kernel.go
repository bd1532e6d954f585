package interp

import (
	"cmp"

	"blockfp8/gpu/internal/ptx"
)

// Kernel is one entry of a program. It is read-only.
type Kernel struct {
	name       string
	file       string // of the PTX, for findings
	chip       Chip
	check      bool
	limit      uint64 // instructions of a warp
	maxThreads int
	code       []instruction
	slots      int // registers of a thread, constants and special registers among them
	predicates int
	multiplies bool // there is a wgmma
	constants  []constant
	specials   []special
	paramBytes int
	static     int // bytes of shared memory that the kernel declares
	local      int // bytes of local memory of a thread
}

// instruction is one statement, ready to run.
type instruction struct {
	step    step
	control control
	guard   int32 // a predicate, or noGuard
	negated bool
	target  int32 // of a branch
	meet    int32 // where the lanes that part at this branch meet again
	class   Class
	flow    flow
	reads   []int // registers, and below predicates; see pass
	writes  []int
	touches []int // registers in any role
	// accumulators are those of touches that a wgmma of the kernel accumulates in.
	accumulators []int

	readPredicates, writePredicates []int
	line                            int32
	source                          ptx.Source
}

// ParamWords returns the size of the parameters in words of 8 bytes.
func (k *Kernel) ParamWords() int { return (k.paramBytes + 7) / 8 }

const noGuard = -1

// step does what an instruction does, for the lanes that are on; at least one is.
type step func(w *warp, on uint32)

// control says how an instruction moves the program counter.
type control uint8

const (
	goesOn control = iota
	branches
	exits
)

// constant is an immediate operand: a register that nobody writes.
type constant struct {
	slot  int
	value uint64
}

// special is a special register, filled once for each warp of a block.
type special struct {
	slot  int
	value func(w *warp, lane int) uint64
}

func compileKernel(m *ptx.Module, f *ptx.Function, c Chip, o Options) (*Kernel, error) {
	k := &Kernel{name: f.Name, file: m.Name, chip: c, check: o.Check, limit: cmp.Or(o.Limit, defaultLimit), maxThreads: f.MaxThreads}
	s := newScope(k, m, f)
	k.code = make([]instruction, len(f.Body))
	meets := meetingPoints(f)
	for i := range f.Body {
		in := &f.Body[i]
		if err := s.compile(&k.code[i], in); err != nil {
			return nil, &ptx.SyntaxError{File: m.Name, Line: in.Line, Text: err.Error()}
		}
		k.code[i].meet = int32(meets[i])
	}
	k.findAccumulators()
	return k, s.err
}
