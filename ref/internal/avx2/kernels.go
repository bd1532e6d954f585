//go:build amd64 && !purego

package avx2

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Available reports whether this processor has the instructions. Nothing else here
// may be called where it does not.
func Available() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA && hasF16C() }

// UseAVX512 is whether Dot and Fuse use AVX-512 too. Tests clear it.
var UseAVX512 = Available() && cpu.X86.HasAVX512F

// half is the number of rows of A that have room in the registers.
const half = Width / 2

// Decode writes the values of the first len(dst) codes of all rows, and their range.
// floor is the power of two that stands for the exponent of subnormals; NaN counts as
// 480. The number of codes is a multiple of 8.
func Decode(dst []Column, rows *Rows, floor float32, r *Range) {
	decode(&dst[0], (*[Width]*byte)(unsafe.Pointer(rows)), len(dst), floor, &r.Unit, &r.Top)
}

// Dot adds the products of two strips to the first rows of c; a and b are equally long,
// a multiple of 4 and not empty. Every sum on the way has to be exact in float64.
func Dot(c *Elements, a, b []Column, rows int) {
	if UseAVX512 {
		dot512(c, &a[0], &b[0], len(a))
		return
	}
	dot(&c[0], &a[0][0], &b[0], len(a))
	if rows > half {
		dot(&c[half*Width], &a[0][half], &b[0], len(a))
	}
}

// Fuse adds the products of two strips to the first rows of c and cuts the sums, for
// elements for which the window holds. The others are left as they are, and have a
// bit in the result.
func Fuse(c *Elements, a, b []Column, ra, rb *Range, w *Window, rows int) (missed uint64) {
	window := (*[3]float64)(unsafe.Pointer(w))
	if UseAVX512 {
		return fuse512(c, &a[0], &b[0], len(a), &ra.Unit, &ra.Top, &rb.Unit, &rb.Top, window)
	}
	missed = uint64(fuse(&c[0], &a[0][0], &b[0], len(a), &ra.Unit[0], &ra.Top[0], &rb.Unit, &rb.Top, window))
	if rows > half {
		missed |= uint64(fuse(&c[half*Width], &a[0][half], &b[0], len(a), &ra.Unit[half], &ra.Top[half], &rb.Unit, &rb.Top, window)) << (half * Width)
	}
	return missed
}

// CutDot returns the sum of the products of two rows, each cut toward zero to a
// multiple of 2^(E-fraction), in units of that, and E: the largest exponent of the
// products, with 2^E = floor for a subnormal, and of least. That is a power of two from
// 2^-100 to 2^100, fraction at most 26. NaN counts as 480.
func CutDot(a, b *Codes, floor, least float32, fraction int) (sum int64, e int) {
	sum, power := cutDot((*[32]byte)(unsafe.Pointer(a)), (*[32]byte)(unsafe.Pointer(b)), floor, least, uint32(2*bias+fraction)<<23)
	return sum, int(power>>23) - bias
}

// bias is that of exponents of float32.
const bias = 127

// AddRounded adds sums to c in float32; all are float32 values.
func AddRounded(c, sums *Elements) {
	addRounded(c, sums)
}

// ActThenWeight adds scaled dots to float32 sums, and clears the dots.
func ActThenWeight(acc *Sums, dots *Elements, a, b *Scales) {
	actThenWeight(acc, dots, a, b)
}

// ActThenWeightUnfused is ActThenWeight with two roundings for the FMA.
func ActThenWeightUnfused(acc *Sums, dots *Elements, a, b *Scales) {
	actThenWeightUnfused(acc, dots, a, b)
}

// ProductFirst is ActThenWeight with the product of the scales.
func ProductFirst(acc *Sums, dots *Elements, a, b *Scales) {
	productFirst(acc, dots, a, b)
}

// ProductFirstUnfused is ProductFirst with two roundings for the FMA.
func ProductFirstUnfused(acc *Sums, dots *Elements, a, b *Scales) {
	productFirstUnfused(acc, dots, a, b)
}

// AddTerms adds scaled dots to exact sums, and clears the dots.
func AddTerms(p *Pairs, dots *Elements, a, b *Scales) {
	addTerms(&p.Hi, &p.Lo, &p.Lows, dots, a, b)
}

// Truncate does the fused step of one group of products: alignment to the largest
// exponent, truncation of every term, an exact sum, truncation of the result. Lanes
// whose numbers lie where float32 has no room are left as they are, and have a bit
// in the result.
func Truncate(c *[8]float64, a []LaneA, b []LaneB, d *Datapath) (missed uint32) {
	return truncate(c, (*[8]uint32)(unsafe.Pointer(&a[0])), (*[4]uint32)(unsafe.Pointer(&b[0])), len(a), (*[3]uint32)(unsafe.Pointer(d)))
}
