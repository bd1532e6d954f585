package fuzz

import (
	"errors"

	"blockfp8/ref"
	"blockfp8/scale"
)

// Implementation is a way of multiplying: a kernel, a library, a device. The
// suite calls it from one goroutine at a time unless its [Limits] say Concurrent.
// Operands and dst are the suite's: an implementation must not keep them, nor
// write to operands.
type Implementation interface {
	// Recipe says what decides the bits of a * b^T rounded to output. It may
	// depend on everything but the number of rows of a: a row of the result must be
	// the same in every batch.
	Recipe(a, b ref.Operand, output scale.Format) (ref.Recipe, error)

	// Multiply computes dst = a * b^T, rounded once to output. dst has room for
	// [a.Rows(), b.Rows()] elements; nothing between and around them may be
	// touched. bf16 and fp16 results are stored as the float32 of the same value.
	//
	// Operands that do not fit each other or dst are an error, and dst stays as it
	// was. So are operands that the implementation does not take: that error wraps
	// ErrUnsupported, and the suite draws others.
	Multiply(dst ref.Matrix, a, b ref.Operand, output scale.Format) error
}

// ErrUnsupported says that an implementation is not made for a problem. Where
// most problems are refused the suite fails: see Limits.
var ErrUnsupported = errors.New("not supported by this implementation")

// Keeper is an Implementation that can keep weights between calls, with what it
// derives from them, such as scales converted for its kernels.
type Keeper interface {
	Implementation
	// Keep copies a weight to where multiplications read it. b may be changed as
	// soon as it returns.
	Keep(b ref.Operand) (Weight, error)
}

// Weight is a weight that a Keeper keeps.
type Weight interface {
	// Multiply is Implementation.Multiply with the kept weight as b.
	Multiply(dst ref.Matrix, a ref.Operand, output scale.Format) error
	// Update replaces the weight by another of the same shape and scale type. All
	// later results are those of the new one.
	Update(b ref.Operand) error
	// Close ends the weight: using it later is an error.
	Close() error
}

// Upcaster is an Implementation whose conversion of E8M0 to float32 can be called
// by itself. It is held to the OCP reading of all 256 codes.
type Upcaster interface {
	// Upcast writes the value of codes[i] to dst[i].
	Upcast(dst []float32, codes []scale.E8M0) error
}

// Encoder is an Implementation whose conversion of float32 to E4M3 can be called by
// itself. It is held to rounding to nearest even.
type Encoder interface {
	// Encode writes the code nearest to x[i] to dst[i]. It may wrap ErrUnsupported
	// for an overflow mode that it does not have.
	Encode(dst []scale.E4M3, x []float32, o scale.Overflow) error
}
