package interp

import (
	"encoding/binary"
	"fmt"
)

// TensorMapWords is the size of an encoded tensor map in words of 8 bytes.
const TensorMapWords = 16

// TensorMap is a tensor of bytes in three dimensions, the innermost first, and the box
// of it that a bulk copy brings, with the 128-byte swizzle.
type TensorMap struct {
	Base    uint64
	Extents [3]uint64
	Strides [2]uint64 // bytes, of the outer dimensions
	Box     [3]uint32
}

// mapMagic begins an encoded map: what else lies there is taken for none.
const mapMagic = 0x70616D2D38706662

// Encode returns the form that emulated kernels take.
func (m TensorMap) Encode() [TensorMapWords]uint64 {
	return [TensorMapWords]uint64{
		mapMagic, m.Base, m.Extents[0], m.Extents[1], m.Extents[2], m.Strides[0], m.Strides[1],
		uint64(m.Box[0]), uint64(m.Box[1]), uint64(m.Box[2]),
	}
}

// decodeTensorMap reads an encoded map, and checks that a chip could have made it.
func decodeTensorMap(b []byte) (m TensorMap, err error) {
	var words [TensorMapWords]uint64
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	if words[0] != mapMagic {
		return m, fmt.Errorf("no tensor map begins with %#x", words[0])
	}
	m = TensorMap{
		Base: words[1], Extents: [3]uint64(words[2:]), Strides: [2]uint64(words[5:]),
		Box: [3]uint32{uint32(words[7]), uint32(words[8]), uint32(words[9])},
	}
	return m, m.check()
}

// The limits of cuTensorMapEncodeTiled.
const (
	mapAlign     = 16
	maxMapExtent = 1 << 32
	maxMapStride = 1 << 40
	maxMapBox    = 256
)

func (m *TensorMap) check() error {
	if m.Base%mapAlign != 0 {
		return fmt.Errorf("a tensor map of address %#x", m.Base)
	}
	for _, n := range m.Extents {
		if n < 1 || n > maxMapExtent {
			return fmt.Errorf("a tensor map of extents %d", m.Extents)
		}
	}
	for _, n := range m.Strides {
		if n == 0 || n%mapAlign != 0 || n >= maxMapStride {
			return fmt.Errorf("a tensor map of strides %d", m.Strides)
		}
	}
	if m.Box[0] != swizzleRow || m.Box[1] < 1 || m.Box[1] > maxMapBox || m.Box[2] < 1 || m.Box[2] > maxMapBox {
		return fmt.Errorf("a tensor map of boxes %d; boxes of %d bytes along the first dimension are supported", m.Box, swizzleRow)
	}
	return nil
}

// bytes is the size of a box.
func (m *TensorMap) bytes() int { return int(m.Box[0] * m.Box[1] * m.Box[2]) }

// row returns where row i of the box at some coordinates lies: n bytes of global
// memory, which go to byte at of the row. n is 0 where the tensor has none.
func (m *TensorMap) row(i int, corner [3]int64) (address uint64, at, n int) {
	y, z := corner[1]+int64(i)%int64(m.Box[1]), corner[2]+int64(i)/int64(m.Box[1])
	from, to := max(corner[0], 0), min(corner[0]+swizzleRow, int64(m.Extents[0]))
	if y < 0 || y >= int64(m.Extents[1]) || z < 0 || z >= int64(m.Extents[2]) || from >= to {
		return 0, 0, 0
	}
	return m.Base + uint64(z)*m.Strides[1] + uint64(y)*m.Strides[0] + uint64(from), int(from - corner[0]), int(to - from)
}
