package ref

// groupSums are the exact sums of one group of products for 4 rows of A and 2 of
// B, index row*2+column, in units of 2^(a.unit+b.unit).
type groupSums [aRows * bRows]int64

// dotGroup adds the products of positions [at, at+size) of two strips, shifted
// left by shift, to sums.
func dotGroup(sums *groupSums, a, b *strip, at, size int, shift uint) {
	x, y := a.quads[at/4:(at+size)/4], b.quads[at/4:(at+size)/4]
	if a.groups[at/size].sumBits+b.groups[at/size].bits > 31 {
		dotWide(sums, x, y, shift)
		return
	}
	c00, c01, c10, c11 := dotPacked(x, y)
	sums.addPacked(0, c00, shift)
	sums.addPacked(1, c01, shift)
	sums.addPacked(4, c10, shift)
	sums.addPacked(5, c11, shift)
}

// addPacked adds the two halves of w to elements i and i+2, which lie in
// neighbouring rows.
func (s *groupSums) addPacked(i int, w int64, shift uint) {
	lo, hi := unpack(w)
	s[i] += lo << (shift & 63)
	s[i+2] += hi << (shift & 63)
}

// dotPacked multiplies packed words; the results are packed too. Both halves of
// each must stay below 2^31 in magnitude.
func dotPacked(a, b []quad) (c00, c01, c10, c11 int64) {
	b = b[:len(a)]
	for i := range a {
		p, q := &a[i], &b[i]
		a0, a1, x, y := p[0], p[1], q[0], q[1]
		c00 += a0 * x
		c01 += a0 * y
		c10 += a1 * x
		c11 += a1 * y
		a0, a1, x, y = p[2], p[3], q[2], q[3]
		c00 += a0 * x
		c01 += a0 * y
		c10 += a1 * x
		c11 += a1 * y
		a0, a1, x, y = p[4], p[5], q[4], q[5]
		c00 += a0 * x
		c01 += a0 * y
		c10 += a1 * x
		c11 += a1 * y
		a0, a1, x, y = p[6], p[7], q[6], q[7]
		c00 += a0 * x
		c01 += a0 * y
		c10 += a1 * x
		c11 += a1 * y
	}
	return c00, c01, c10, c11
}

// unpack splits a word into its two signed halves.
func unpack(w int64) (lo, hi int64) {
	lo = int64(int32(w))
	return lo, (w - lo) >> 32
}

// dotWide is dotPacked for values of any size: it unpacks first.
func dotWide(sums *groupSums, a, b []quad, shift uint) {
	var c groupSums
	b = b[:len(a)]
	for i := range a {
		for j := 0; j < len(quad{}); j += 2 {
			x, y := b[i][j], b[i][j+1]
			lo, hi := unpack(a[i][j])
			c[0] += lo * x
			c[1] += lo * y
			c[2] += hi * x
			c[3] += hi * y
			lo, hi = unpack(a[i][j+1])
			c[4] += lo * x
			c[5] += lo * y
			c[6] += hi * x
			c[7] += hi * y
		}
	}
	for i := range c {
		sums[i] += c[i] << (shift & 63)
	}
}
