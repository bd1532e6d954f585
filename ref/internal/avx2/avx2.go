// Package avx2 has the kernels of the oracle's fast path for amd64 with AVX2 and
// FMA: what package ref does in plain Go, for eight elements of C at a time, four
// rows by two columns.
package avx2

//go:generate sh -c "cd gen && go run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg avx2"

// Rows and columns of the elements that lie in the lanes, in the order
// row*Columns+column.
const (
	Rows    = 4
	Columns = 2
)

// LaneA is one column of four rows of A: values, and their exponents as the hardware
// sees them; that of a zero is far below all others. LaneB is the same of B.
type (
	LaneA struct {
		Value    [Rows]float32
		Exponent [Rows]int32
	}
	LaneB struct {
		Value    [Columns]float32
		Exponent [Columns]int32
	}
)

// Window is that of a fused step which loses nothing but the final truncation.
type Window struct {
	Limit    float64 // |c| has to be below it
	Negative float64 // -Limit
	Magic    float64 // adding and subtracting it must not change c
	Keep     uint64  // bits of a float64 sum that are kept
}

// Datapath is the numbers of a truncating fused step.
type Datapath struct {
	ZeroExponent int32
	FractionBits int32  // at most MaxFractionBits
	Keep         uint32 // bits of a float32 result that are kept
}

// MaxFractionBits is how many bits below the largest exponent Truncate has room
// for.
const MaxFractionBits = 14
