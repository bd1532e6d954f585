package fuzz

import (
	"slices"

	"blockfp8/scale"
)

// Limits says which problems an implementation takes, so that the suite draws no
// others. The zero value is all that the suite knows.
type Limits struct {
	MaxM, MaxN, MaxK    int  // largest extents; 0 means 150, 300 and 1100
	MinM                int  // smallest M, empty results aside
	StepM, StepN, StepK int  // extents are multiples of these; 0 means 1
	NoEmpty             bool // no extent is 0
	Finite              bool // no NaN or infinity among codes and scales
	Tame                bool // finite codes, and scales of 2^-7 to 2^7: nothing over- or underflows

	Blocks           []Block        // blocks of B; nil means many kinds
	ScalesA, ScalesB ScaleKind      // 0 means both kinds
	Outputs          []scale.Format // nil means all three
	WholeBlocks      bool           // B must begin at a block edge
	Dense            bool           // no padding between rows and scales
	Concurrent       bool           // Multiply may be called by several goroutines at once
}

// Limited is an Implementation with limits.
type Limited interface {
	Limits() Limits
}

// Block is the rows and the columns of an operand that share one scale.
type Block struct{ Rows, Cols int }

// ScaleKind is a set of scale types.
type ScaleKind uint8

// The scale types.
const (
	E8M0Scales ScaleKind = 1 << iota
	FP32Scales
)

func (k ScaleKind) has(one ScaleKind) bool { return k&one != 0 }

// limitsOf returns an implementation's limits, filled in.
func limitsOf(impl Implementation) Limits {
	var l Limits
	if limited, ok := impl.(Limited); ok {
		l = limited.Limits()
	}
	return l.filled()
}

var (
	// allBlocks over-draws the two in use.
	allBlocks  = []Block{{128, 128}, {128, 128}, {128, 128}, {32, 32}, {32, 32}, {1, 128}, {1, 32}, {64, 64}, {48, 96}, {128, 32}, {7, 64}}
	allOutputs = []scale.Format{scale.Float32, scale.BFloat16, scale.Float16}
)

func (l Limits) filled() Limits {
	l.MaxM, l.MaxN, l.MaxK = orElse(l.MaxM, 150), orElse(l.MaxN, 300), orElse(l.MaxK, 1100)
	l.StepM, l.StepN, l.StepK = orElse(l.StepM, 1), orElse(l.StepN, 1), orElse(l.StepK, 1)
	l.ScalesA, l.ScalesB = orElse(l.ScalesA, E8M0Scales|FP32Scales), orElse(l.ScalesB, E8M0Scales|FP32Scales)
	if len(l.Blocks) == 0 {
		l.Blocks = allBlocks
	}
	if len(l.Outputs) == 0 {
		l.Outputs = allOutputs
	}
	return l
}

// take reports whether a problem lies within limits.
func (l Limits) take(p Problem) bool {
	dense := p.A.Placement == Placement{} && p.B.Placement == Placement{}
	return p.A.Rows <= l.MaxM && p.B.Rows <= l.MaxN && p.K() <= l.MaxK &&
		p.A.Rows%l.StepM == 0 && p.B.Rows%l.StepN == 0 && p.K()%l.StepK == 0 &&
		(p.A.Rows >= l.MinM || p.A.Rows == 0) && (min(p.A.Rows, p.B.Rows, p.K()) > 0 || !l.NoEmpty) &&
		l.ScalesA.has(p.A.kind()) && l.ScalesB.has(p.B.kind()) && slices.Contains(l.Outputs, p.Output) &&
		(p.B.RowOffset == 0 || !l.WholeBlocks) && (dense || !l.Dense)
}

// numbers is the problem with such codes and scales as the limits allow. Shrinking
// keeps them so: all that it puts in is 0 and 1.
func (l Limits) numbers(p Problem) Problem {
	switch {
	case l.Tame:
		return p.tamed()
	case l.Finite:
		return p.finite()
	}
	return p
}

// kind is that of the scales.
func (s Side) kind() ScaleKind {
	if s.hasE8M0() {
		return E8M0Scales
	}
	return FP32Scales
}

// rows is the next M that the limits allow.
func (l Limits) rows(m int) int { return roundUp(max(m, l.MinM), l.StepM, l.MaxM) }

// roundUp is the next multiple of a step that fits below a limit.
func roundUp(v, step, limit int) int {
	return min((v+step-1)/step*step, limit/step*step)
}

func orElse[T comparable](v, other T) T {
	var zero T
	if v == zero {
		return other
	}
	return v
}
