package interp

import (
	"fmt"

	"blockfp8/gpu/internal/ptx"
)

// FindingKind names a kind of fault.
type FindingKind string

// The kinds of faults.
const (
	OutOfBounds   FindingKind = "out of bounds"
	Misaligned    FindingKind = "misaligned access"
	Undefined     FindingKind = "read of undefined memory"
	Race          FindingKind = "race"
	NotWaited     FindingKind = "copy not waited for"
	BarrierFault  FindingKind = "divergent barrier"
	MaskMismatch  FindingKind = "mask mismatch"
	MissingFence  FindingKind = "missing fence"
	MBarrierFault FindingKind = "mbarrier misused"
	Deadlock      FindingKind = "deadlock"
	Unfinished    FindingKind = "wgmma not waited for"
	Warpgroup     FindingKind = "divergent warpgroup"
	BadTensorMap  FindingKind = "invalid tensor map"
	BadOperand    FindingKind = "operand out of range"
	Endless       FindingKind = "no end"
	InvalidLaunch FindingKind = "invalid launch"
)

// Finding is a fault that a kernel committed, and where.
type Finding struct {
	Kind   FindingKind
	Kernel string
	File   string // the PTX
	Line   int    // in it; 0 for a fault of the launch
	Source ptx.Source
	Block  [3]uint32
	Thread [3]uint32
	Text   string // what happened, in words
}

// Error says what happened, where in the PTX and the CUDA source, and in which
// thread.
func (f *Finding) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: kernel %s: %s", f.Kind, f.Kernel, f.Text)
	}
	at := fmt.Sprintf("%s:%d", f.File, f.Line)
	if f.Source.File != "" {
		at += fmt.Sprintf(" (%s:%d)", f.Source.File, f.Source.Line)
	}
	return fmt.Sprintf("%s: %s: kernel %s, block %v, thread %v: %s", at, f.Kind, f.Kernel, f.Block, f.Thread, f.Text)
}
