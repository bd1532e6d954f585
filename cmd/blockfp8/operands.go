package main

import (
	"fmt"

	"blockfp8/ref"
	"blockfp8/safetensors"
	"blockfp8/scale"
)

// scaleType is what a flag declares the bytes of a scale tensor to be.
type scaleType string

const (
	undeclared scaleType = ""
	typeE8M0   scaleType = "e8m0"
	typeFP32   scaleType = "fp32"
)

// columnOrder is the scale order in which the rows of a grid are neighbours in
// memory: the tensor is [block columns, rows], possibly padded for TMA.
const columnOrder = "col"

// tmaRows is what column-major grids are padded to a multiple of, so that each
// column starts on 16 bytes.
const tmaRows = 4

// operandFiles says where an operand is stored and how.
type operandFiles struct {
	Name          string // A or B, for messages
	Codes, Scales string
	ScaleType     scaleType
	Order         string
	Block         blockSize
}

// read loads the operand.
func (o operandFiles) read() (ref.Operand, error) {
	codes, err := readTensor(o.Codes)
	if err != nil {
		return ref.Operand{}, o.about(err)
	}
	scales, err := readTensor(o.Scales)
	if err != nil {
		return ref.Operand{}, o.about(err)
	}
	operand, err := o.assemble(codes, scales)
	if err != nil {
		return ref.Operand{}, o.about(err)
	}
	return operand, nil
}

func (o operandFiles) about(err error) error { return fmt.Errorf("operand %s: %w", o.Name, err) }

func (o operandFiles) assemble(codes, scales tensor) (ref.Operand, error) {
	if codes.dtype != safetensors.F8_E4M3 && codes.dtype != safetensors.U8 {
		return ref.Operand{}, codes.wrong("e4m3 codes as F8_E4M3 or uint8", string(codes.dtype))
	}
	rows, cols, err := codes.matrix()
	if err != nil {
		return ref.Operand{}, err
	}
	layout, err := o.layout(rows, cols, scales)
	if err != nil {
		return ref.Operand{}, err
	}
	grid, err := makeGrid(layout, scales, o.ScaleType)
	if err != nil {
		return ref.Operand{}, err
	}
	return ref.NewOperand(scale.E4M3s(codes.data), cols, grid)
}

// layout finds how the tensor of scales is stored, whose shape must be exactly
// what the operand and the order ask for.
func (o operandFiles) layout(rows, cols int, scales tensor) (scale.Layout, error) {
	gotRows, gotCols, err := scales.matrix()
	if err != nil {
		return scale.Layout{}, err
	}
	row := scale.RowMajor(rows, cols, o.Block.Rows, o.Block.Cols)
	want := fmt.Sprintf("[%d %d]", row.GridRows(), row.GridCols())
	if o.Order == columnOrder {
		for _, align := range []int{1, tmaRows} {
			column := scale.ColMajor(rows, cols, o.Block.Rows, o.Block.Cols, align)
			if gotRows == column.GridCols() && gotCols == column.ColStride {
				return column, nil
			}
		}
		want = fmt.Sprintf("[%d %d] (column order; rows may be padded to a multiple of %d)", row.GridCols(), row.GridRows(), tmaRows)
	} else if gotRows == row.GridRows() && gotCols == row.GridCols() {
		return row, nil
	}
	return scale.Layout{}, scales.wrong(fmt.Sprintf("scales of shape %s for [%d %d] in %v blocks", want, rows, cols, o.Block), fmt.Sprint(scales.shape))
}

// makeGrid reads the scales as what their dtype says, or what is declared where
// it says nothing.
func makeGrid(layout scale.Layout, scales tensor, declared scaleType) (scale.Grid, error) {
	switch {
	case scales.dtype == safetensors.U8 && declared == undeclared:
		return scale.Grid{}, scales.wrong("scales with a format", "uint8: a uint8 tensor without a declared format is an error (declare e8m0 if that is what it holds)")
	case declared == typeE8M0 && scales.dtype != safetensors.U8 && scales.dtype != safetensors.F8_E8M0:
		return scale.Grid{}, scales.wrong("e8m0 as declared, in F8_E8M0 or uint8", string(scales.dtype))
	case declared == typeFP32 && scales.dtype != safetensors.F32:
		return scale.Grid{}, scales.wrong("fp32 as declared", string(scales.dtype))
	case scales.dtype == safetensors.U8 || scales.dtype == safetensors.F8_E8M0:
		return scale.NewE8M0Grid(layout, scale.E8M0s(scales.data))
	}
	values, err := scales.floats()
	if err != nil {
		return scale.Grid{}, scales.wrong("scales of F8_E8M0, F32, F16 or BF16", string(scales.dtype))
	}
	return scale.NewFP32Grid(layout, values)
}

// readResult loads a kernel's output. float32 holds any format; 16-bit integers
// are the bits of f.
func readResult(arg string, f scale.Format) (ref.Matrix, error) {
	t, err := readTensor(arg)
	if err != nil {
		return ref.Matrix{}, fmt.Errorf("result C: %w", err)
	}
	rows, cols, err := t.matrix()
	if err != nil {
		return ref.Matrix{}, fmt.Errorf("result C: %w", err)
	}
	stored := map[scale.Format]safetensors.DType{scale.BFloat16: safetensors.BF16, scale.Float16: safetensors.F16, scale.Float32: safetensors.F32}[f]
	var values []float32
	switch {
	case t.dtype == stored || t.dtype == safetensors.F32:
		values, err = t.floats()
	case t.dtype == safetensors.U16 && f != scale.Float32:
		values = t.halves(f)
	default:
		err = t.wrong(fmt.Sprintf("%v values", f), string(t.dtype))
	}
	if err != nil {
		return ref.Matrix{}, fmt.Errorf("result C: %w", err)
	}
	return ref.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: values}, nil
}
