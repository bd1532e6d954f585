package gpu

import (
	"unsafe"

	"blockfp8/scale"
)

// bytesOf returns the memory of numbers as bytes, without a copy. Devices have
// the byte order of their host.
func bytesOf[T ~uint8 | ~uint16 | ~uint32 | ~float32 | [instructionDepth]scale.E4M3](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}
