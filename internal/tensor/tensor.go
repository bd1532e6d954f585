// Package tensor reads and writes arrays in files: .npy and .safetensors.
package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"blockfp8/safetensors"
	"blockfp8/scale"
)

// Tensor is one array of a .npy or .safetensors file: row-major, little-endian.
type Tensor struct {
	Source string // where it came from, for messages
	DType  safetensors.DType
	Shape  []int
	Data   []byte
}

// Read reads FILE.npy, FILE.safetensors with a single tensor, or
// FILE.safetensors:TENSOR.
func Read(arg string) (Tensor, error) {
	if strings.HasSuffix(arg, ".npy") {
		return ReadNPY(arg)
	}
	path, name := arg, ""
	if i := strings.Index(arg, ".safetensors:"); i >= 0 {
		path, name = arg[:i+len(".safetensors")], arg[i+len(".safetensors:"):]
	}
	if !strings.HasSuffix(path, ".safetensors") {
		return Tensor{}, fmt.Errorf("%s: want FILE.npy, FILE.safetensors or FILE.safetensors:TENSOR", arg)
	}
	f, err := safetensors.Open(path)
	if err != nil {
		return Tensor{}, err
	}
	defer f.Close()
	if name == "" {
		all := f.Tensors()
		if len(all) != 1 {
			return Tensor{}, fmt.Errorf("%s: want one tensor, got %d; name one as %s:TENSOR", path, len(all), path)
		}
		name = all[0].Name
	}
	return fromFile(f, name, arg)
}

func fromFile(f *safetensors.File, name, source string) (Tensor, error) {
	info, ok := f.Lookup(name)
	data, err := f.Read(name)
	if err != nil || !ok {
		return Tensor{}, fmt.Errorf("%s: %w", source, err)
	}
	t := Tensor{Source: source, DType: info.DType, Data: data}
	for _, d := range info.Shape {
		t.Shape = append(t.Shape, int(d)) // Read has checked that the size fits
	}
	return t, nil
}

// Floats returns the values of an F32, F16 or BF16 tensor, which float32 holds
// exactly.
func (t Tensor) Floats() ([]float32, error) {
	switch t.DType {
	case safetensors.F32:
		v := make([]float32, len(t.Data)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:]))
		}
		return v, nil
	case safetensors.F16:
		return t.halves(scale.Float16), nil
	case safetensors.BF16:
		return t.halves(scale.BFloat16), nil
	}
	return nil, t.Wrong("F32, F16 or BF16 values", string(t.DType))
}

// halves reads 16-bit words as values of f, whatever the dtype.
func (t Tensor) halves(f scale.Format) []float32 {
	v := make([]float32, len(t.Data)/2)
	for i := range v {
		bits := binary.LittleEndian.Uint16(t.Data[2*i:])
		if f == scale.Float16 {
			v[i] = scale.FP16(bits).Float32()
		} else {
			v[i] = scale.BF16(bits).Float32()
		}
	}
	return v
}

// Matrix returns the extents of a tensor [..., columns] whose leading dimensions
// together count rows.
func (t Tensor) Matrix() (rows, cols int, err error) {
	if len(t.Shape) < 2 {
		return 0, 0, t.Wrong("at least 2 dimensions", fmt.Sprint(t.Shape))
	}
	rows = 1
	for _, d := range t.Shape[:len(t.Shape)-1] {
		rows *= d
	}
	return rows, t.Shape[len(t.Shape)-1], nil
}

// Wrong says what was expected of t and what came.
func (t Tensor) Wrong(want, got string) error {
	return fmt.Errorf("%s: want %s, got %s", t.Source, want, got)
}
