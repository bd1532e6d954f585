package ref

import (
	"encoding/binary"
	"unsafe"

	"blockfp8/scale"
)

// anyNaN reports whether one of the codes is NaN, eight codes at a time: with the
// sign off, adding 1 carries into the top bit of a byte only if it was 0x7F.
func anyNaN(codes []scale.E4M3) bool {
	b := unsafe.Slice((*byte)(unsafe.SliceData(codes)), len(codes))
	for len(b) >= 8 {
		magnitudes := binary.LittleEndian.Uint64(b) & 0x7F7F7F7F7F7F7F7F
		if (magnitudes+0x0101010101010101)&0x8080808080808080 != 0 {
			return true
		}
		b = b[8:]
	}
	for _, v := range b {
		if scale.E4M3(v).IsNaN() {
			return true
		}
	}
	return false
}

// nanRows reports for every row of o in [from, to) whether it holds a NaN.
func nanRows(o Operand, from, to int) []bool {
	rows := make([]bool, to-from)
	for i := range rows {
		rows[i] = anyNaN(o.Row(from + i))
	}
	return rows
}
