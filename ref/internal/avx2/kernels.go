//go:build amd64 && !purego

package avx2

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Available reports whether this processor has the instructions. Nothing else here
// may be called where it does not.
func Available() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

// Dot adds the products of every lane to sums; a and b are not empty and equally
// long. Every sum on the way has to be exact in float64.
func Dot(sums *[8]float64, a [][Rows]float64, b [][Columns]float64) { dot(sums, &a[0], &b[0], len(a)) }

// Fuse adds the products of every lane to c and cuts the sum, in the lanes where
// the window holds for c. The others are left as they are, and have a bit in the
// result.
func Fuse(c *[8]float64, a [][Rows]float64, b [][Columns]float64, w *Window) (missed uint32) {
	return fuse(c, &a[0], &b[0], len(a), (*[4]uint64)(unsafe.Pointer(w)))
}

// Truncate does the fused step of one group of products: alignment to the largest
// exponent, truncation of every term, an exact sum, truncation of the result. Lanes
// whose numbers lie where float32 has no room are left as they are, and have a bit
// in the result.
func Truncate(c *[8]float64, a []LaneA, b []LaneB, d *Datapath) (missed uint32) {
	return truncate(c, (*[8]uint32)(unsafe.Pointer(&a[0])), (*[4]uint32)(unsafe.Pointer(&b[0])), len(a), (*[3]uint32)(unsafe.Pointer(d)))
}
