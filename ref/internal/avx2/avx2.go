// Package avx2 has the kernels of the oracle's fast path for amd64 with AVX2, FMA and
// F16C, two of them also with AVX-512: what package ref does in plain Go, for many
// elements of C at a time.
package avx2

//go:generate sh -c "cd gen && go run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg avx2"

import "blockfp8/scale"

// Width is the number of rows of a strip of A and of B.
const Width = 8

type (
	// Column is one column of a strip.
	Column = [Width]float64
	// Elements are those of C for a pair of strips, index row*Width+column.
	Elements = [Width * Width]float64
	// Codes are those of a row in one step.
	Codes [32]scale.E4M3
	// Rows are the codes of a strip in one step.
	Rows [Width]*Codes
)

// Range describes the values of each row of a strip in one group of products, by
// powers of two.
type Range struct {
	Unit [Width]float64 // divides all values; infinite if they are zeros
	Top  [Width]float64 // that of the largest exponent, 0 if they are zeros
}

// Window says where a fused step loses nothing but the final truncation: see
// package ref.
type Window struct {
	Limit float64 // times the units of both rows: |c| has to be below it, and their tops at most half of it
	Magic float64 // times the tops of both rows: adding and subtracting it must not change c
	Keep  uint64  // bits of a float64 sum that are kept
}

// Pairs are exact sums of elements: see package ref.
type Pairs struct{ Hi, Lo, Lows Elements }

// Sums are float32 sums of elements.
type Sums = [Width * Width]float32

// Scales are those of the rows of a strip.
type Scales = [Width]float32

// Lanes of Truncate: those of four rows of A by two of B, in the order
// row*CutColumns+column.
const (
	CutRows    = 4
	CutColumns = 2
)

// LaneA is one column of four rows of A: values, and their exponents as the hardware
// sees them; that of a zero is far below all others. LaneB is the same of B.
type (
	LaneA struct {
		Value    [CutRows]float32
		Exponent [CutRows]int32
	}
	LaneB struct {
		Value    [CutColumns]float32
		Exponent [CutColumns]int32
	}
)

// Datapath is the numbers of a truncating fused step.
type Datapath struct {
	ZeroExponent int32
	FractionBits int32  // at most MaxFractionBits
	Keep         uint32 // bits of a float32 result that are kept
}

// MaxFractionBits is how many bits below the largest exponent Truncate has room
// for.
const MaxFractionBits = 14
