package scale

import (
	"fmt"
	"math"
)

// ToFP32 returns a dense row-major grid with the float32 values of g in the
// given upcast mode (which matters only for E8M0 grids).
func (g Grid) ToFP32(mode UpcastMode) (Grid, error) {
	l := g.layout.dense()
	values := make([]float32, 0, l.Len())
	codes := make([]E8M0, 0, l.Len())
	for i := range l.GridRows() {
		for j := range l.GridCols() {
			if g.IsE8M0() {
				codes = append(codes, g.e8m0[g.layout.Index(i, j)])
			} else {
				values = append(values, g.fp32[g.layout.Index(i, j)])
			}
		}
	}
	if g.IsE8M0() {
		values = values[:len(codes)]
		if err := Upcast(values, codes, mode); err != nil {
			return Grid{}, err
		}
	}
	return NewFP32Grid(l, values)
}

// ToE8M0 returns a dense row-major grid of E8M0 codes with exactly the values
// of g. A float32 scale that is not a power of two in [2^-127, 2^127] (or NaN,
// which is 0xFF) is ErrInexact, naming the block: rounding a scale without
// requantising the codes inflates the whole block. See RequantizeE8M0.
func (g Grid) ToE8M0() (Grid, error) {
	l := g.layout.dense()
	codes := make([]E8M0, 0, l.Len())
	for i := range l.GridRows() {
		for j := range l.GridCols() {
			v := g.At(i, j)
			code := EncodeE8M0(float64(v), RoundFloor, OverflowNaN)
			if back := code.Float32(); back != v && !(code.IsNaN() && v != v) {
				return Grid{}, l.mismatch(ErrInexact, "a power of two", fmt.Sprintf("%g in block (%d, %d)", v, i, j))
			}
			codes = append(codes, code)
		}
	}
	return NewE8M0Grid(l, codes)
}

func (l Layout) dense() Layout {
	d := RowMajor(l.Rows, l.Cols, l.BlockRows, l.BlockCols)
	d.RowOffset = l.RowOffset
	d.RowStride = max(1, d.GridCols())
	return d
}

// RequantizeE8M0 rounds every scale of g to a power of two and returns the
// codes requantised with it: each new code is code*old/new rounded once to
// E4M3, so scale and codes still mean the same numbers as closely as E4M3
// allows. RoundUp never overflows an element; with the other roundings elements
// past 448 saturate.
//
// codes is the operand that g belongs to, rows of stride elements. The result
// is dense. A negative, infinite or NaN scale becomes the E8M0 NaN and so marks
// its block; a zero scale is rounded like any value below 2^-127 and its codes
// become zeros.
func RequantizeE8M0(codes []E4M3, stride int, g Grid, r Rounding) ([]E4M3, Grid, error) {
	if !r.valid() {
		return nil, Grid{}, &Mismatch{Kind: ErrOption, What: "rounding", Want: "one of the four named roundings", Got: fmt.Sprint(uint8(r))}
	}
	if err := CheckCodes(codes, stride, g); err != nil {
		return nil, Grid{}, err
	}
	l := g.layout.dense()
	scales := make([]E8M0, l.Len())
	for i := range l.GridRows() {
		for j := range l.GridCols() {
			scales[l.Index(i, j)] = roundScale(g.At(i, j), r)
		}
	}
	out := make([]E4M3, l.Rows*l.Cols)
	for row := range l.Rows {
		for col := range l.Cols {
			old := g.At((l.RowOffset+row)/l.BlockRows, col/l.BlockCols)
			out[row*l.Cols+col] = rescale(codes[row*stride+col], old, scales[l.IndexOf(row, col)])
		}
	}
	grid, err := NewE8M0Grid(l, scales)
	return out, grid, err
}

func roundScale(v float32, r Rounding) E8M0 {
	if math.IsInf(float64(v), 0) {
		return NaNE8M0
	}
	return EncodeE8M0(float64(v), r, Saturate)
}

func rescale(code E4M3, old float32, scale E8M0) E4M3 {
	if scale.IsNaN() {
		return code // the block is NaN whatever its codes say
	}
	// 4 by 24 significant bits, then a power of two: float64 holds it exactly.
	return EncodeE4M3(code.Float64()*float64(old)*scale.Inverse().Float64(), Saturate)
}

// CheckCodes checks that codes, in rows of stride, hold the operand that g
// describes: ErrUnsetScale for a zero Grid, ErrStride for a stride below the
// number of columns, ErrShape for too few codes.
func CheckCodes(codes []E4M3, stride int, g Grid) error {
	if !g.IsSet() {
		return &Mismatch{Kind: ErrUnsetScale, What: "operand", Want: "a grid of scales", Got: "none"}
	}
	l := g.layout
	return checkMatrix("operand codes", len(codes), l.Rows, l.Cols, stride)
}

// checkMatrix checks a row-major matrix in a slice of n elements.
func checkMatrix(what string, n, rows, cols, stride int) error {
	if rows < 0 || cols < 0 {
		return &Mismatch{Kind: ErrShape, What: what, Want: "extents of at least 0", Got: fmt.Sprintf("%dx%d", rows, cols)}
	}
	if stride < cols {
		return &Mismatch{Kind: ErrStride, What: what, Want: fmt.Sprintf("a row stride of at least %d", cols), Got: fmt.Sprint(stride)}
	}
	if rows == 0 || cols == 0 {
		return nil
	}
	if rows-1 > (math.MaxInt-cols)/stride || n < (rows-1)*stride+cols {
		return &Mismatch{Kind: ErrShape, What: what, Want: fmt.Sprintf("%d rows of %d with stride %d", rows, cols, stride), Got: fmt.Sprintf("%d elements", n)}
	}
	return nil
}
