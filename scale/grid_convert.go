package scale

import (
	"fmt"
	"math"
)

// ToFP32 returns a dense row-major grid with the float32 values of g, E8M0 codes
// upcast in the given mode. Errors: ErrUnsetScale, ErrOption.
func (g Grid) ToFP32(mode UpcastMode) (Grid, error) {
	if err := g.checkSet(); err != nil {
		return Grid{}, err
	}
	l := g.layout.dense()
	values, codes := make([]float32, l.Len()), make([]E8M0, l.Len())
	for i := range l.GridRows() {
		for j := range l.GridCols() {
			if g.IsE8M0() {
				codes[l.Index(i, j)] = g.e8m0[g.layout.Index(i, j)]
			} else {
				values[l.Index(i, j)] = g.fp32[g.layout.Index(i, j)]
			}
		}
	}
	upcast := values
	if !g.IsE8M0() {
		upcast, codes = nil, nil // checks the mode alone
	}
	if err := Upcast(upcast, codes, mode); err != nil {
		return Grid{}, err
	}
	return NewFP32Grid(l, values)
}

// ToE8M0 returns a dense row-major grid of E8M0 codes with exactly the values
// of g. A float32 scale that is not a power of two in [2^-127, 2^127] (or NaN,
// which is 0xFF) is ErrInexact, naming the block: rounding a scale without
// requantising the codes inflates the whole block. See RequantizeE8M0. A zero
// Grid is ErrUnsetScale.
func (g Grid) ToE8M0() (Grid, error) {
	return g.roundE8M0(func(v float32) (E8M0, bool) {
		code := EncodeE8M0(float64(v), RoundFloor, OverflowNaN)
		return code, code.Float32() == v || v != v
	})
}

// roundE8M0 makes a dense grid of E8M0 codes; round says what becomes of a scale,
// and whether it may.
func (g Grid) roundE8M0(round func(float32) (E8M0, bool)) (Grid, error) {
	if err := g.checkSet(); err != nil {
		return Grid{}, err
	}
	l := g.layout.dense()
	codes := make([]E8M0, l.Len())
	for i := range l.GridRows() {
		for j := range l.GridCols() {
			v := g.At(i, j)
			code, ok := round(v)
			if !ok {
				return Grid{}, l.mismatch(ErrInexact, "a power of two of E8M0", fmt.Sprintf("%g in block (%d, %d)", v, i, j))
			}
			codes[l.Index(i, j)] = code
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
// past 448 saturate. NaN codes and NaN scales stay what they are.
//
// codes is the operand that g belongs to, rows of stride elements. The result
// is dense. A scale below the range of E8M0, also zero, becomes 0x00, which loses
// only bits of codes that E4M3 cannot hold. Errors: those of CheckCodes,
// ErrOption, and ErrInexact for a scale that is negative, infinite or rounds to
// more than 2^127.
func RequantizeE8M0(codes []E4M3, stride int, g Grid, r Rounding) ([]E4M3, Grid, error) {
	if !r.valid() {
		return nil, Grid{}, &Mismatch{Kind: ErrOption, What: "rounding", Want: "one of the four named roundings", Got: r.String()}
	}
	if err := CheckCodes(codes, stride, g); err != nil {
		return nil, Grid{}, err
	}
	rounded, err := g.roundE8M0(func(v float32) (E8M0, bool) { return roundScale(v, r) })
	if err != nil {
		return nil, Grid{}, err
	}
	l := rounded.layout
	out := make([]E4M3, l.Rows*l.Cols)
	for i := range out {
		row, col := i/l.Cols, i%l.Cols
		old := g.At((l.RowOffset+row)/l.BlockRows, col/l.BlockCols)
		out[i] = rescale(codes[row*stride+col], old, rounded.e8m0[l.IndexOf(row, col)])
	}
	return out, rounded, nil
}

// roundScale rounds a scale and reports whether the result stands for it.
func roundScale(v float32, r Rounding) (E8M0, bool) {
	if v != v {
		return NaNE8M0, true
	}
	if v >= 0 && v < 0x1p-126 {
		return EncodeE8M0(float64(v), r, Saturate), true
	}
	code := EncodeE8M0(float64(v), r, OverflowNaN)
	return code, !code.IsNaN() && !math.IsInf(float64(v), 0)
}

func rescale(code E4M3, old float32, scale E8M0) E4M3 {
	if code.IsNaN() || scale.IsNaN() {
		return code
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
