package ref

import "blockfp8/ref/internal/avx2"

// vectorKind says how a tile's groups of products are multiplied.
type vectorKind uint8

const (
	plainGo        vectorKind = iota // integers, two rows in a word
	wideLanes                        // float64, pairs of strips of eight rows
	truncatedLanes                   // float32 with every term cut, eight elements at a time
)

// useVectors is off in tests of the plain path.
var useVectors = avx2.Available()

// longestWide bounds the products of a dot in float64: that many, each at most
// (480*2^9)^2 units of 2^-18 (which NaN counts as), stay below 2^53 units.
const longestWide = 1 << 17

// vectorKind returns the fastest way that this machine has for a recipe whose segments
// have at most so many products. Scales inside the MMA differ from element to element,
// which the lanes do not know.
func (r *Recipe) vectorKind(longest int) vectorKind {
	d := &r.Datapath
	switch {
	case !useVectors || !d.Exact && d.TakesScales || d.Exact && longest > longestWide:
		return plainGo
	case d.Exact || d.FractionBits > avx2.MaxFractionBits:
		return wideLanes
	}
	return truncatedLanes
}

// strips returns how many rows of A and of B lie in a strip.
func (k vectorKind) strips() (a, b int) {
	if k == wideLanes {
		return avx2.Width, avx2.Width
	}
	return aRows, bRows
}
