package interp

// buildPrmt picks four of the eight bytes of two registers.
func buildPrmt(c *call) step {
	c.need("b32")
	f := permute
	if mode := c.take("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"); mode != "" {
		of := selections[mode]
		f = func(a, b, x uint64) uint64 { return permute(a, b, uint64(of[x&3])) }
	}
	return c.ternary(b32, f)
}

// selections are the selectors that a mode stands for, by the low two bits of the
// third operand (PTX ISA, prmt).
var selections = map[string][4]uint16{
	"f4e":  {0x3210, 0x4321, 0x5432, 0x6543},
	"b4e":  {0x5670, 0x6701, 0x7012, 0x0123},
	"rc8":  {0x0000, 0x1111, 0x2222, 0x3333},
	"ecl":  {0x3210, 0x3211, 0x3222, 0x3333},
	"ecr":  {0x0000, 0x1110, 0x2210, 0x3210},
	"rc16": {0x1010, 0x3232, 0x1010, 0x3232},
}

// permute picks bytes by selectors of four bits. A selector's high bit spreads the
// byte's sign instead.
func permute(a, b, selectors uint64) uint64 {
	both := b<<32 | a
	var v uint64
	for i := range 4 {
		s := selectors >> (4 * i) & 0xF
		x := both >> (8 * (s & 7)) & 0xFF
		if s&8 != 0 {
			x = 0xFF * (x >> 7)
		}
		v |= x << (8 * i)
	}
	return v
}
