package gpu

import "unsafe"

// bytesOf returns the memory of numbers as bytes, without a copy. Devices have
// the byte order of their host.
func bytesOf[T ~uint8 | ~uint16 | ~float32](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}
