package fuzz_test

import (
	"blockfp8/fuzz"
	"blockfp8/ref"
	"blockfp8/scale"
)

type refusing struct{ myKernel }

func (refusing) Multiply(ref.Matrix, ref.Operand, ref.Operand, scale.Format) error {
	return fuzz.ErrUnsupported
}

type panicking struct{ myKernel }

func (panicking) Multiply(ref.Matrix, ref.Operand, ref.Operand, scale.Format) error {
	panic("a kernel that does not return")
}
