package safetensors

import (
	"fmt"
	"math"
)

// Tensor describes a tensor: row-major, little-endian. A scalar has an empty
// shape, and a dimension may be 0. The Shape of a Tensor that a File or a
// Checkpoint returned is shared and must not be modified.
type Tensor struct {
	Name  string
	DType DType
	Shape []int64
}

// Elements returns the number of elements, or -1 if a dimension is negative or
// the product overflows, which no tensor read from a file does.
func (t Tensor) Elements() int64 {
	n, err := t.elements()
	if err != nil {
		return -1
	}
	return n
}

// Bytes returns the size of the data, or -1 if DType or Shape is not valid,
// which no tensor read from a file is.
func (t Tensor) Bytes() int64 {
	n, err := t.bytes()
	if err != nil {
		return -1
	}
	return n
}

// elements multiplies in order and fails on the first overflow, even before a
// 0 dimension, as the reference implementation does.
func (t Tensor) elements() (int64, error) {
	n := int64(1)
	for _, d := range t.Shape {
		if d < 0 {
			return 0, t.fail(ErrShape, "dimensions of at least 0", fmt.Sprint(t.Shape))
		}
		if d > 0 && n > math.MaxInt64/d {
			return 0, t.fail(ErrShape, "fewer than 2^63 elements", fmt.Sprint(t.Shape))
		}
		n *= d
	}
	return n, nil
}

func (t Tensor) bytes() (int64, error) {
	width := int64(t.DType.Bits())
	if width == 0 {
		return 0, t.fail(ErrDType, "a dtype of the safetensors format", fmt.Sprintf("%q", t.DType))
	}
	n, err := t.elements()
	if err != nil {
		return 0, err
	}
	if n > math.MaxInt64/width {
		return 0, t.fail(ErrShape, "fewer than 2^63 bits", fmt.Sprintf("%s %v", t.DType, t.Shape))
	}
	if n*width%8 != 0 {
		return 0, t.fail(ErrShape, "a whole number of bytes", fmt.Sprintf("%s %v, %d bits", t.DType, t.Shape, n*width))
	}
	return n * width / 8, nil
}

func (t Tensor) fail(kind error, want, got string) error {
	return &Error{Kind: kind, Tensor: t.Name, Want: want, Got: got}
}
