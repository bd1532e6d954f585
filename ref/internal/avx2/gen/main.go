// Command gen writes the kernels of the oracle for AVX2 and AVX-512. Run it with go generate in
// the folder above.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("!purego")
	hasF16C()
	decode()
	dot()
	fuse()
	dot512()
	fuse512()
	cutDot()
	addRounded()
	accumulate()
	addTerms()
	truncate()
	Generate()
}

// width is the number of rows of a strip, and half as many float64 have room in a
// register of AVX2.
const (
	width = 8
	half  = width / 2
)
