package scale

import "fmt"

// WeightScale names the element type of the scales that QuantizeWeights makes.
// The zero value is not a choice.
type WeightScale uint8

// The scale types of weights.
const (
	WeightE8M0 WeightScale = iota + 1 // the smallest power of two not below amax/448
	WeightFP32                        // amax/448 rounded to nearest
)

func (k WeightScale) String() string {
	switch k {
	case WeightE8M0:
		return "e8m0"
	case WeightFP32:
		return "fp32"
	}
	return fmt.Sprintf("WeightScale(%d)", uint8(k))
}

// QuantizeWeights quantises w, a rows by cols matrix in rows of stride floats,
// in blocks of blockRows by blockCols, to dense codes and a dense row-major
// grid.
//
// Per block amax is the largest finite magnitude and the code is w/scale rounded
// once to E4M3.
//
//   - WeightE8M0: the scale is amax/448 rounded up to a power of two, so no
//     element saturates; amax/448 below 2^-127 gives 0x00.
//   - WeightFP32: the scale is RN(amax/448). Where that is below 2^-126 the
//     scale is rounded up instead, since a subnormal scale rounded down would
//     push the largest element past 448 and one rounded to 0 would divide by
//     zero.
//   - A block of zeros gets scale 1 (E8M0 0x7F) and zero codes.
//   - NaN and +-Inf become NaN codes with the sign kept and take no part in
//     amax.
//
// Errors: ErrShape, ErrStride, ErrBlock, ErrOption.
func QuantizeWeights(w []float32, rows, cols, stride, blockRows, blockCols int, kind WeightScale) ([]E4M3, Grid, error) {
	if err := checkMatrix("weights", len(w), rows, cols, stride); err != nil {
		return nil, Grid{}, err
	}
	if kind != WeightE8M0 && kind != WeightFP32 {
		return nil, Grid{}, &Mismatch{Kind: ErrOption, What: "weight scale", Want: "WeightE8M0 or WeightFP32", Got: kind.String()}
	}
	l := RowMajor(rows, cols, blockRows, blockCols)
	if err := l.Validate(); err != nil {
		return nil, Grid{}, err
	}
	codes := make([]E4M3, rows*cols)
	scales := make([]float32, l.Len())
	for i := range l.GridRows() {
		for j := range l.GridCols() {
			block := weightBlock{w: w, stride: stride, codes: codes, cols: cols}
			block.row, block.rowEnd = i*blockRows, min(rows, (i+1)*blockRows)
			block.col, block.colEnd = j*blockCols, min(cols, (j+1)*blockCols)
			scales[l.Index(i, j)] = block.quantize(kind)
		}
	}
	grid, err := NewFP32Grid(l, scales)
	if err != nil || kind == WeightFP32 {
		return codes, grid, err
	}
	grid, err = grid.ToE8M0()
	return codes, grid, err
}

// weightBlock is one block of a weight and the place of its codes.
type weightBlock struct {
	w                        []float32
	stride                   int
	codes                    []E4M3
	cols                     int
	row, rowEnd, col, colEnd int
}

func (b weightBlock) quantize(kind WeightScale) float32 {
	amax := float32(0)
	for row := b.row; row < b.rowEnd; row++ {
		amax = finiteAmax(amax, b.w[row*b.stride+b.col:row*b.stride+b.colEnd])
	}
	s := weightScale(amax, kind)
	for row := b.row; row < b.rowEnd; row++ {
		for i, v := range b.w[row*b.stride+b.col : row*b.stride+b.colEnd] {
			// A float64 quotient of two float32 never falls on a tie of E4M3 unless
			// the exact one does: that would take more than 24 bits.
			b.codes[row*b.cols+b.col+i] = quantizeOne(v, float64(v)/float64(s))
		}
	}
	return s
}

// weightScale works in float64: amax/448 of a float32 is then far above
// float64's own subnormals, and only the conversion rounds to float32.
func weightScale(amax float32, kind WeightScale) float32 {
	exact := float64(amax) / MaxE4M3
	switch {
	case amax == 0:
		return 1
	case kind == WeightE8M0:
		return EncodeE8M0(exact, RoundUp, Saturate).Float32()
	case exact < pow2(-126):
		return roundUpToFloat32(exact)
	}
	return amax / MaxE4M3
}
