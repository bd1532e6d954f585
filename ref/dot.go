package ref

// groupSums are the exact sums of one group of products for 4 rows of A and 2 of
// B, index row*2+column, in units of 2^(a.unit+b.unit).
type groupSums [aRows * bRows]int64

// dotGroup adds the products of a group of two strips to sums, shifted left by
// shift. By Cauchy and Schwarz no sum, nor any part of it, exceeds the root of the
// energies' product.
func dotGroup(sums *groupSums, a, b []words, aRange, bRange *groupRange, shift uint) {
	if aRange.energy*bRange.energy >= 1<<62 {
		dotWide(sums, a, b, shift)
		return
	}
	c00, c01, c10, c11 := dotPacked(a, b)
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
func dotPacked(a, b []words) (c00, c01, c10, c11 int64) {
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
		a0, a1, x, y = p[8], p[9], q[8], q[9]
		c00 += a0 * x
		c01 += a0 * y
		c10 += a1 * x
		c11 += a1 * y
		a0, a1, x, y = p[10], p[11], q[10], q[11]
		c00 += a0 * x
		c01 += a0 * y
		c10 += a1 * x
		c11 += a1 * y
		a0, a1, x, y = p[12], p[13], q[12], q[13]
		c00 += a0 * x
		c01 += a0 * y
		c10 += a1 * x
		c11 += a1 * y
		a0, a1, x, y = p[14], p[15], q[14], q[15]
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

// dotWide is dotPacked for values of any size: it unpacks first, and sums one half
// after the other because eight sums do not fit into the registers.
func dotWide(sums *groupSums, a, b []words, shift uint) {
	for half := range 2 {
		c00, c01, c10, c11 := dotHalf(a, b, half)
		sums.addRows(half, c00, c01, c10, c11, shift)
	}
}

// dotHalf multiplies the lower (0) or upper (1) halves of the words of a.
func dotHalf(a, b []words, half int) (c00, c01, c10, c11 int64) {
	b = b[:len(a)]
	for i := range a {
		p, q := &a[i], &b[i]
		for j := 0; j < len(p); j += 2 {
			a0, a0Upper := unpack(p[j])
			a1, a1Upper := unpack(p[j+1])
			if half == 1 {
				a0, a1 = a0Upper, a1Upper
			}
			x, y := q[j], q[j+1]
			c00 += a0 * x
			c01 += a0 * y
			c10 += a1 * x
			c11 += a1 * y
		}
	}
	return c00, c01, c10, c11
}

// addRows adds the sums of rows row and row+2.
func (s *groupSums) addRows(row int, c00, c01, c10, c11 int64, shift uint) {
	s[2*row] += c00 << (shift & 63)
	s[2*row+1] += c01 << (shift & 63)
	s[2*row+4] += c10 << (shift & 63)
	s[2*row+5] += c11 << (shift & 63)
}
