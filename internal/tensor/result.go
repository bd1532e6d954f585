package tensor

import (
	"fmt"

	"blockfp8/ref"
	"blockfp8/safetensors"
	"blockfp8/scale"
)

// stored is the type of tensors that hold a format as such.
var stored = map[scale.Format]safetensors.DType{scale.BFloat16: safetensors.BF16, scale.Float16: safetensors.F16, scale.Float32: safetensors.F32}

// Result reads t as the output of a kernel. float32 holds any format; 16-bit
// integers are the bits of f.
func (t Tensor) Result(f scale.Format) (ref.Matrix, error) {
	rows, cols, err := t.Matrix()
	if err != nil {
		return ref.Matrix{}, err
	}
	c := ref.Matrix{Rows: rows, Cols: cols, Stride: cols}
	switch {
	case t.DType == stored[f] || t.DType == safetensors.F32:
		c.Data, err = t.Floats()
	case t.DType == safetensors.U16 && f != scale.Float32:
		c.Data = t.halves(f)
	default:
		err = t.Wrong(fmt.Sprintf("%v values", f), string(t.DType))
	}
	return c, err
}
