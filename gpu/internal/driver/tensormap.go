package driver

import "fmt"

// TensorMapWords is the size of an encoded tensor map in parameters of 8 bytes.
const TensorMapWords = 16

// TensorMapColumns is the bytes along a row that one copy through a tensor map
// brings: a row of the box, which is one span of the 128-byte swizzle.
const TensorMapColumns = 128

// Limits of a tensor map.
const (
	tensorMapAlign  = 16
	maxTensorExtent = 1 << 32
	maxTensorStride = 1 << 40
	maxBoxExtent    = 256
)

// TensorMap is a matrix of bytes for each of some groups, as kernels that copy
// whole tiles take it: dimensions {Columns, Rows, Groups} of unsigned bytes, strides
// {RowStride, GroupStride}, a box {TensorMapColumns, BoxRows, BoxGroups}, element strides of 1,
// no interleave, the 128-byte swizzle, promotion to 256 bytes in the L2 cache. What a
// box covers outside of the dimensions arrives as zeros and is not read.
type TensorMap struct {
	Base                   Ptr    // a multiple of 16
	Columns, Rows, Groups  uint64 // from 1 to 2^32
	RowStride, GroupStride uint64 // bytes: multiples of 16, from 16 to below 2^40
	BoxRows, BoxGroups     uint32 // from 1 to 256
}

// Check tells whether a device can encode the map: a *Error wrapping
// ErrTensorMap otherwise.
func (m TensorMap) Check() error {
	if m.Base == 0 || m.Base%tensorMapAlign != 0 {
		return tensorMapError("base %#x, want a multiple of %d that is not 0", uint64(m.Base), tensorMapAlign)
	}
	for _, extent := range [...]uint64{m.Columns, m.Rows, m.Groups} {
		if extent < 1 || extent > maxTensorExtent {
			return tensorMapError("extents %d, %d and %d, want each from 1 to 2^32", m.Columns, m.Rows, m.Groups)
		}
	}
	for _, stride := range [...]uint64{m.RowStride, m.GroupStride} {
		if stride == 0 || stride%tensorMapAlign != 0 || stride >= maxTensorStride {
			return tensorMapError("strides of %d and %d bytes, want multiples of %d from %d to below 2^40", m.RowStride, m.GroupStride, tensorMapAlign, tensorMapAlign)
		}
	}
	if m.BoxRows < 1 || m.BoxRows > maxBoxExtent || m.BoxGroups < 1 || m.BoxGroups > maxBoxExtent {
		return tensorMapError("a box of %d rows in %d groups, want 1 to %d of each", m.BoxRows, m.BoxGroups, maxBoxExtent)
	}
	return nil
}

func tensorMapError(format string, a ...any) error {
	return &Error{Op: "encode tensor map", Kind: ErrTensorMap, Text: fmt.Sprintf(format, a...)}
}
