package main

import (
	"fmt"

	"blockfp8/internal/tensor"
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
	codes, err := tensor.Read(o.Codes)
	if err != nil {
		return ref.Operand{}, o.about(err)
	}
	scales, err := tensor.Read(o.Scales)
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

func (o operandFiles) assemble(codes, scales tensor.Tensor) (ref.Operand, error) {
	if codes.DType != safetensors.F8_E4M3 && codes.DType != safetensors.U8 {
		return ref.Operand{}, codes.Wrong("e4m3 codes as F8_E4M3 or uint8", string(codes.DType))
	}
	rows, cols, err := codes.Matrix()
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
	return ref.NewOperand(scale.E4M3s(codes.Data), cols, grid)
}

// layout finds how the tensor of scales is stored, whose shape must be exactly
// what the operand and the order ask for.
func (o operandFiles) layout(rows, cols int, scales tensor.Tensor) (scale.Layout, error) {
	gotRows, gotCols, err := scales.Matrix()
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
	return scale.Layout{}, scales.Wrong(fmt.Sprintf("scales of shape %s for [%d %d] in %v blocks", want, rows, cols, o.Block), fmt.Sprint(scales.Shape))
}

// makeGrid reads the scales as what their dtype says, or what is declared where
// it says nothing.
func makeGrid(layout scale.Layout, scales tensor.Tensor, declared scaleType) (scale.Grid, error) {
	switch {
	case scales.DType == safetensors.U8 && declared == undeclared:
		return scale.Grid{}, scales.Wrong("scales with a format", "uint8: a uint8 tensor without a declared format is an error (declare e8m0 if that is what it holds)")
	case declared == typeE8M0 && scales.DType != safetensors.U8 && scales.DType != safetensors.F8_E8M0:
		return scale.Grid{}, scales.Wrong("e8m0 as declared, in F8_E8M0 or uint8", string(scales.DType))
	case declared == typeFP32 && scales.DType != safetensors.F32:
		return scale.Grid{}, scales.Wrong("fp32 as declared", string(scales.DType))
	case scales.DType == safetensors.U8 || scales.DType == safetensors.F8_E8M0:
		return scale.NewE8M0Grid(layout, scale.E8M0s(scales.Data))
	}
	values, err := scales.Floats()
	if err != nil {
		return scale.Grid{}, scales.Wrong("scales of F8_E8M0, F32, F16 or BF16", string(scales.DType))
	}
	return scale.NewFP32Grid(layout, values)
}

// readResult loads a kernel's output.
func readResult(arg string, f scale.Format) (ref.Matrix, error) {
	t, err := tensor.Read(arg)
	if err != nil {
		return ref.Matrix{}, fmt.Errorf("result C: %w", err)
	}
	c, err := t.Result(f)
	if err != nil {
		return ref.Matrix{}, fmt.Errorf("result C: %w", err)
	}
	return c, nil
}
