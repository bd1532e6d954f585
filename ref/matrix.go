package ref

import (
	"fmt"
	"math"

	"blockfp8/scale"
)

// Matrix is a row-major matrix of results: element (m, n) is Data[m*Stride+n].
// Results of BF16 and FP16 recipes are held as the float32 of the same value.
type Matrix struct {
	Rows, Cols, Stride int
	Data               []float32
}

// NewMatrix returns a dense matrix of zeros. Extents below 0 count as 0. Where the
// number of elements does not fit an int, Data is nil, and using the matrix is
// scale.ErrShape.
func NewMatrix(rows, cols int) Matrix {
	rows, cols = max(rows, 0), max(cols, 0)
	if cols > 0 && rows > math.MaxInt/cols {
		return Matrix{Rows: rows, Cols: cols, Stride: cols}
	}
	return Matrix{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: make([]float32, rows*cols)}
}

// Row returns row m.
func (c Matrix) Row(m int) []float32 {
	if c.Cols == 0 {
		return nil
	}
	return c.Data[m*c.Stride : m*c.Stride+c.Cols]
}

// validate checks that Data holds the matrix.
func (c Matrix) validate(what string) error {
	if c.Rows < 0 || c.Cols < 0 {
		return &scale.Mismatch{Kind: scale.ErrShape, What: what, Want: "extents of at least 0", Got: fmt.Sprintf("%dx%d", c.Rows, c.Cols)}
	}
	if c.Rows == 0 || c.Cols == 0 {
		return nil
	}
	if c.Stride < c.Cols {
		return &scale.Mismatch{Kind: scale.ErrStride, What: what, Want: fmt.Sprintf("a row stride of at least %d", c.Cols), Got: fmt.Sprint(c.Stride)}
	}
	if len(c.Data) < c.Cols || (len(c.Data)-c.Cols)/c.Stride < c.Rows-1 {
		return &scale.Mismatch{Kind: scale.ErrShape, What: what, Want: fmt.Sprintf("%d rows of %d with stride %d", c.Rows, c.Cols, c.Stride), Got: fmt.Sprintf("%d elements", len(c.Data))}
	}
	return nil
}
