package fuzz

import (
	"math"
	"slices"

	"blockfp8/ref"
	"blockfp8/scale"
)

// storage is the memory of an operand.
type storage struct {
	codes   []scale.E4M3
	e8m0    []scale.E8M0
	fp32    []float32
	operand ref.Operand
}

// place lays a side out in fresh memory. All that belongs to no element is
// poison.
func (s Side) place() (*storage, error) {
	st := new(storage)
	l, stride := s.layout(), s.K+s.Placement.CodePadding
	st.codes = make([]scale.E4M3, s.Rows*stride)
	n := l.Len()
	if n > 0 {
		n += s.Placement.ScalePadding
	}
	var grid scale.Grid
	var err error
	if s.hasE8M0() {
		st.e8m0 = make([]scale.E8M0, n)
	} else {
		st.fp32 = make([]float32, n)
	}
	st.fill(s)
	if s.hasE8M0() {
		grid, err = scale.NewE8M0Grid(l, st.e8m0)
	} else {
		grid, err = scale.NewFP32Grid(l, st.fp32)
	}
	if err != nil {
		return nil, err
	}
	st.operand, err = ref.NewOperand(st.codes, max(1, stride), grid)
	return st, err
}

func (s Side) layout() scale.Layout {
	l := scale.Layout{Rows: s.Rows, Cols: s.K, BlockRows: s.BlockRows, BlockCols: s.BlockCols, RowOffset: s.RowOffset}
	step := 1 + s.Placement.ScaleGap
	if s.Placement.ColMajor {
		l.RowStride, l.ColStride = step, max(1, s.gridRows()*step+s.Placement.ScalePadding)
	} else {
		l.RowStride, l.ColStride = max(1, s.gridCols()*step+s.Placement.ScalePadding), step
	}
	return l
}

// fill writes poison, then the side's numbers, into memory of its shape.
func (st *storage) fill(s Side) {
	poison := poisonNaN
	if s.Placement.Finite {
		poison = poisonFinite
	}
	for i := range st.codes {
		st.codes[i] = poison.code ^ scale.E4M3(i<<7&0x80)
	}
	for i := range st.e8m0 {
		st.e8m0[i] = poison.e8m0
	}
	for i := range st.fp32 {
		st.fp32[i] = math.Float32frombits(poison.fp32)
	}
	l, stride := s.layout(), s.K+s.Placement.CodePadding
	for row, codes := range s.Codes {
		copy(st.codes[row*stride:], scale.E4M3s(codes))
	}
	for i, row := range s.E8M0 {
		for j, c := range row {
			st.e8m0[l.Index(i, j)] = scale.E8M0(c)
		}
	}
	for i, row := range s.FP32 {
		for j, bits := range row {
			st.fp32[l.Index(i, j)] = math.Float32frombits(uint32(bits))
		}
	}
}

// poison is what lies where nothing should be read. NaN is seen wherever it is
// used; large numbers are seen where a kernel drops NaN.
type poison struct {
	code scale.E4M3
	e8m0 scale.E8M0
	fp32 uint32
}

var (
	poisonNaN    = poison{code: 0x7F, e8m0: 0xFF, fp32: 0x7FC00000}
	poisonFinite = poison{code: 0x7E, e8m0: 0xC0, fp32: 0x60000001}
)

// same reports whether two pieces of memory hold the same bits.
func (st *storage) same(other *storage) bool {
	bits := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	return slices.Equal(st.codes, other.codes) && slices.Equal(st.e8m0, other.e8m0) && slices.EqualFunc(st.fp32, other.fp32, bits)
}
