//go:build !amd64 || purego

package avx2

// Available reports whether this processor has the instructions.
func Available() bool { return false }

// UseAVX512 is whether Dot and Fuse use AVX-512.
var UseAVX512 = false

// Nothing calls these here: they let callers compile.

func Decode(dst []Column, rows *Rows, floor float32, r *Range) {}

func Dot(c *Elements, a, b []Column, rows int) {}

func Fuse(c *Elements, a, b []Column, ra, rb *Range, w *Window, rows int) (missed uint64) { return 0 }

func CutDot(a, b *Codes, floor, least float32, fraction int) (sum int64, e int) { return 0, 0 }

func AddRounded(c, sums *Elements) {}

func ActThenWeight(acc *Sums, dots *Elements, a, b *Scales) {}

func ActThenWeightUnfused(acc *Sums, dots *Elements, a, b *Scales) {}

func ProductFirst(acc *Sums, dots *Elements, a, b *Scales) {}

func ProductFirstUnfused(acc *Sums, dots *Elements, a, b *Scales) {}

func AddTerms(p *Pairs, dots *Elements, a, b *Scales) {}

func Truncate(c *[8]float64, a []LaneA, b []LaneB, d *Datapath) (missed uint32) { return 0 }
