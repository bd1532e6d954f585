package ref

import "blockfp8/ref/internal/avx2"

// accumulate adds one scaled partial sum to acc.
func (s Scaling) accumulate(acc, dot, aScale, bScale float32) float32 {
	switch s {
	case ActThenWeight:
		return fma32(float32(dot*aScale), bScale, acc)
	case ActThenWeightUnfused:
		t := float32(dot * aScale)
		return addFloat32(acc, float32(t*bScale))
	case ProductFirst:
		return fma32(dot, float32(aScale*bScale), acc)
	default: // ProductFirstUnfused
		product := float32(aScale * bScale)
		return addFloat32(acc, float32(dot*product))
	}
}

// accumulateWide is accumulate for a pair of wide strips; it clears the dots.
func (s Scaling) accumulateWide(acc *avx2.Sums, dots *avx2.Elements, a, b *avx2.Scales) {
	switch s {
	case ActThenWeight:
		avx2.ActThenWeight(acc, dots, a, b)
	case ActThenWeightUnfused:
		avx2.ActThenWeightUnfused(acc, dots, a, b)
	case ProductFirst:
		avx2.ProductFirst(acc, dots, a, b)
	default: // ProductFirstUnfused
		avx2.ProductFirstUnfused(acc, dots, a, b)
	}
}

// splitSize returns how many of n partials belong to one split.
func (r Recipe) splitSize(n int) int {
	splits := max(r.Splits, 1)
	return max(1, (n+splits-1)/splits)
}

// splitSum adds up the sums of splits. The first is taken as it is: adding it to
// +0 would lose a -0 that came from underflow.
type splitSum struct {
	value   float32
	started bool
}

func (s *splitSum) add(v float32) {
	if s.started {
		v = addFloat32(s.value, v)
	}
	s.value, s.started = v, true
}
