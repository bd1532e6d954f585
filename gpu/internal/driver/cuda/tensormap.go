//go:build cuda && cgo

package cuda

// #include "calls.h"
import "C"

import (
	"unsafe"

	"blockfp8/gpu/internal/driver"
)

// The first chips that copy through tensor maps.
const tensorMapMajor = 9

func (d *device) EncodeTensorMap(m driver.TensorMap) (words [driver.TensorMapWords]uint64, err error) {
	const op = "encode tensor map"
	if err := m.Check(); err != nil {
		return words, err
	}
	if d.arch.Major < tensorMapMajor {
		return words, &driver.Error{Op: op, Kind: driver.ErrUnsupported, Text: d.arch.String() + " has no tensor maps"}
	}
	err = check(op, C.blockfp8_encode_tensor_map(C.handle(d.context), unsafe.Pointer(&words), C.uint64_t(m.Base),
		C.uint64_t(m.Columns), C.uint64_t(m.Rows), C.uint64_t(m.Groups), C.uint64_t(m.RowStride), C.uint64_t(m.GroupStride),
		driver.TensorMapColumns, C.uint32_t(m.BoxRows), C.uint32_t(m.BoxGroups)))
	return words, err
}
