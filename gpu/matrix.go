package gpu

import (
	"fmt"

	"blockfp8/scale"
)

// Element is a number of activations or results in host memory.
type Element interface {
	float32 | scale.BF16 | scale.FP16
}

// Matrix is a row-major matrix in host memory: element (i, j) is
// Data[i*Stride+j]. Elements between the rows and after the last are neither
// read nor written. Its fields are those of gonum's blas32.General, which
// converts to Matrix[float32].
type Matrix[T Element] struct {
	Rows, Cols int
	Stride     int
	Data       []T
}

// check tells whether the storage holds the matrix.
func (m Matrix[T]) check(what string) error {
	if m.Rows < 0 || m.Cols < 0 {
		return &scale.Mismatch{Kind: scale.ErrShape, What: what, Want: "extents of at least 0", Got: fmt.Sprintf("[%d,%d]", m.Rows, m.Cols)}
	}
	if m.Rows == 0 || m.Cols == 0 {
		return nil
	}
	if m.Stride < m.Cols {
		return &scale.Mismatch{Kind: scale.ErrStride, What: what, Want: fmt.Sprintf("a stride of at least %d", m.Cols), Got: fmt.Sprint(m.Stride)}
	}
	// Divided, not multiplied: the product may not fit.
	if len(m.Data) < m.Cols || (len(m.Data)-m.Cols)/m.Stride < m.Rows-1 {
		return &scale.Mismatch{
			Kind: scale.ErrShape, What: what, Want: fmt.Sprintf("[%d,%d] with a stride of %d", m.Rows, m.Cols, m.Stride),
			Got: fmt.Sprintf("%d elements", len(m.Data)),
		}
	}
	return nil
}

// row returns row i.
func (m Matrix[T]) row(i int) []T {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// formatOf returns the format of an element type.
func formatOf[T Element]() scale.Format {
	switch any(*new(T)).(type) {
	case scale.BF16:
		return scale.BFloat16
	case scale.FP16:
		return scale.Float16
	}
	return scale.Float32
}

// inputOf returns the kind of activations of an element type.
func inputOf[T Element]() Input {
	switch formatOf[T]() {
	case scale.BFloat16:
		return BFloat16Input
	case scale.Float16:
		return Float16Input
	}
	return Float32Input
}
