package fuzz

import "blockfp8/scale"

// Limits says which problems an implementation takes, so that the suite draws no
// others. The zero value is all that the suite knows.
type Limits struct {
	MaxM, MaxN, MaxK int            // largest extents; 0 means 150, 300 and 1100
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
	l.ScalesA, l.ScalesB = orElse(l.ScalesA, E8M0Scales|FP32Scales), orElse(l.ScalesB, E8M0Scales|FP32Scales)
	if len(l.Blocks) == 0 {
		l.Blocks = allBlocks
	}
	if len(l.Outputs) == 0 {
		l.Outputs = allOutputs
	}
	return l
}

func orElse[T comparable](v, other T) T {
	var zero T
	if v == zero {
		return other
	}
	return v
}
