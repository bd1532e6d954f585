package interp

// The 128-byte swizzle moves the 16-byte pieces of rows of 128 bytes, so that those
// of a column lie in different banks. Its pattern repeats every 8 rows, and follows
// from the address alone.
const (
	swizzleRow     = 128
	swizzlePattern = 8 * swizzleRow
)

// swizzle128 returns where a byte lies that would be at an offset of shared memory:
// bits 4 to 6 are changed by bits 7 to 9.
func swizzle128(offset int) int { return offset ^ offset>>3&0x70 }
