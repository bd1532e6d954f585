package interp

import "fmt"

// descriptor says where wgmma finds an operand whose rows are stored along K (PTX ISA,
// "Matrix descriptor format" and "Strides").
type descriptor struct {
	start    int // of row 0 in shared memory, before the swizzle
	leading  int // bytes from one core matrix to the next along K; unused with a swizzle
	stride   int // bytes from one group of eight rows to the next
	swizzled bool
}

// Fields of a descriptor, in units of 16 bytes but for the last two.
const (
	descriptorField    = 1<<14 - 1
	descriptorReserved = ^uint64(descriptorField | descriptorField<<16 | descriptorField<<32 | 7<<49 | 3<<62)
)

// coreRows is the rows of a core matrix, which holds 16 bytes of each.
const coreRows = 8

func decodeDescriptor(v uint64) (descriptor, error) {
	field := func(at int) int { return int(v>>at&descriptorField) * lineBytes }
	d := descriptor{start: field(0), leading: field(16), stride: field(32), swizzled: v>>62 == 1}
	switch swizzle := v >> 62; {
	case v&descriptorReserved != 0:
		return d, fmt.Errorf("a matrix descriptor %#x with reserved bits", v)
	case v>>49&7 != 0:
		return d, fmt.Errorf("a matrix descriptor %#x with a base offset, which is not supported", v)
	case swizzle > 1:
		return d, fmt.Errorf("a matrix descriptor %#x with swizzle %d; none and 128 bytes (1) are supported", v, swizzle)
	case d.swizzled && (d.start%swizzlePattern >= swizzleRow || d.stride%swizzlePattern != 0):
		return d, fmt.Errorf("a matrix descriptor %#x whose swizzled rows begin at %d, %d further for eight; multiples of %d are needed", v, d.start, d.stride, swizzlePattern)
	}
	return d, nil
}

// at returns where 16 bytes of a row lie: half 0 or 1 of 32.
func (d *descriptor) at(row, half int) int {
	if d.swizzled {
		return swizzle128(d.start + row/coreRows*d.stride + row%coreRows*swizzleRow + half*lineBytes)
	}
	return d.start + row/coreRows*d.stride + half*d.leading + row%coreRows*lineBytes
}
