// Package ref is the oracle: it computes what a block-scaled FP8 matrix
// multiplication returns, bit for bit, for a given way of doing the arithmetic.
//
// An [Operand] is codes plus a grid of scales. C = A * B^T, with A [M,K]
// activations and B [N,K] weights (the GEMM NT layout). A [Datapath] is the
// arithmetic of one MMA instruction on one chip; a [Recipe] is everything that
// decides the bits of a kernel: the datapath, how many products make a partial
// sum, how scales are applied, in which order partials are added, and the
// output format.
//
//	a, err := ref.NewOperand(codes, m, k, k, grid)
//	c := ref.NewMatrix(m, n)
//	err = ref.MatMul(c, a, b, ref.F32ScaleMMA(ref.SM120, 128, scale.BFloat16))
//	report, err := ref.Compare(got, c, scale.BFloat16)
//
// [Exact] is the recipe of the correctly rounded, infinitely precise result.
// [Bound] says how far any other recipe may be from it.
//
// The arithmetic never depends on the machine that runs it: products that must
// round are rounded by explicit conversions, so no compiler may fuse them, and
// results are the same on amd64, arm64 and every other port of Go.
package ref
