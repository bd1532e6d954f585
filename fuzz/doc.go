// Package fuzz holds implementations of block-scaled FP8 matrix multiplication to
// the oracle of package ref: your kernel as well as this module's own.
//
//	func TestMyKernel(t *testing.T) { fuzz.Run(t, myKernel{}) }
//
// An [Implementation] multiplies two operands and says which [ref.Recipe] decides
// its bits. The suite draws problems that hurt, and holds the results to the
// recipe in every bit and to properties that need no oracle: a row of C does not
// depend on the others, shards give the bits of the whole, doubling a scale
// doubles what it scales, padding is never read, old scales are never served.
//
// A problem that fails is made small, explained by K block, and saved as a file
// that the next run tries first. [Check] is the same suite for programs that are
// no tests. NaN equals NaN, whatever its sign and payload; -0 and +0 differ.
package fuzz
