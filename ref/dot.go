package ref

// groupSums are the exact sums of one group of products for 4 rows of A and 2 of
// B, index row*2+column, in units of 2^(a.unit+b.unit).
type groupSums [aRows * bRows]int64

// dotGroup sums the products of a group of two strips.
func dotGroup(sums *groupSums, a, b []int64, packed bool) {
	if packed {
		dotPacked(sums, a, b)
	} else {
		dotWide(sums, a, b)
	}
}

// fitsPacked reports whether the sums of a group stay inside 31 bits.
func fitsPacked(a, b *groupRange) bool { return a.sumBits+b.bits <= 31 }

// dotPacked multiplies packed words: both halves of each sum must stay below 2^31
// in magnitude.
func dotPacked(sums *groupSums, a, b []int64) {
	var c00, c01, c10, c11 int64
	b = b[:len(a)]
	for i := 3; i < len(a); i += 4 {
		a0, a1 := a[i-3], a[i-2]
		x := b[i-3]
		c00 += a0 * x
		c10 += a1 * x
		x = b[i-2]
		c01 += a0 * x
		c11 += a1 * x
		a0, a1 = a[i-1], a[i]
		x = b[i-1]
		c00 += a0 * x
		c10 += a1 * x
		x = b[i]
		c01 += a0 * x
		c11 += a1 * x
	}
	sums[0], sums[2] = unpack(c00)
	sums[1], sums[3] = unpack(c01)
	sums[4], sums[6] = unpack(c10)
	sums[5], sums[7] = unpack(c11)
}

// unpack splits a word into its two signed halves.
func unpack(w int64) (lo, hi int64) {
	lo = int64(int32(w))
	return lo, (w - lo) >> 32
}

// dotWide is dotPacked for values of any size: it unpacks first.
func dotWide(sums *groupSums, a, b []int64) {
	*sums = groupSums{}
	b = b[:len(a)]
	for i := 1; i < len(a); i += 2 {
		x, y := b[i-1], b[i]
		lo, hi := unpack(a[i-1])
		sums[0] += lo * x
		sums[1] += lo * y
		sums[2] += hi * x
		sums[3] += hi * y
		lo, hi = unpack(a[i])
		sums[4] += lo * x
		sums[5] += lo * y
		sums[6] += hi * x
		sums[7] += hi * y
	}
}
