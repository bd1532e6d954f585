package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"blockfp8/safetensors"
	"blockfp8/scale"
)

// tensor is one array of a .npy or .safetensors file: row-major, little-endian.
type tensor struct {
	source string // where it came from, for messages
	dtype  safetensors.DType
	shape  []int
	data   []byte
}

// readTensor reads FILE.npy, FILE.safetensors with a single tensor, or
// FILE.safetensors:TENSOR.
func readTensor(arg string) (tensor, error) {
	if strings.HasSuffix(arg, ".npy") {
		return readNPY(arg)
	}
	path, name := arg, ""
	if i := strings.Index(arg, ".safetensors:"); i >= 0 {
		path, name = arg[:i+len(".safetensors")], arg[i+len(".safetensors:"):]
	}
	if !strings.HasSuffix(path, ".safetensors") {
		return tensor{}, fmt.Errorf("%s: want FILE.npy, FILE.safetensors or FILE.safetensors:TENSOR", arg)
	}
	f, err := safetensors.Open(path)
	if err != nil {
		return tensor{}, err
	}
	defer f.Close()
	if name == "" {
		all := f.Tensors()
		if len(all) != 1 {
			return tensor{}, fmt.Errorf("%s: want one tensor, got %d; name one as %s:TENSOR", path, len(all), path)
		}
		name = all[0].Name
	}
	return fromFile(f, name, arg)
}

func fromFile(f *safetensors.File, name, source string) (tensor, error) {
	info, ok := f.Lookup(name)
	data, err := f.Read(name)
	if err != nil || !ok {
		return tensor{}, fmt.Errorf("%s: %w", source, err)
	}
	t := tensor{source: source, dtype: info.DType, data: data}
	for _, d := range info.Shape {
		t.shape = append(t.shape, int(d)) // Read has checked that the size fits
	}
	return t, nil
}

// floats returns the values of an F32, F16 or BF16 tensor, which float32 holds
// exactly.
func (t tensor) floats() ([]float32, error) {
	switch t.dtype {
	case safetensors.F32:
		v := make([]float32, len(t.data)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.data[4*i:]))
		}
		return v, nil
	case safetensors.F16:
		return t.halves(scale.Float16), nil
	case safetensors.BF16:
		return t.halves(scale.BFloat16), nil
	}
	return nil, t.wrong("F32, F16 or BF16 values", string(t.dtype))
}

// halves reads 16-bit words as values of f, whatever the dtype.
func (t tensor) halves(f scale.Format) []float32 {
	v := make([]float32, len(t.data)/2)
	for i := range v {
		bits := binary.LittleEndian.Uint16(t.data[2*i:])
		if f == scale.Float16 {
			v[i] = scale.FP16(bits).Float32()
		} else {
			v[i] = scale.BF16(bits).Float32()
		}
	}
	return v
}

// matrix returns the extents of a tensor [..., columns] whose leading dimensions
// together count rows.
func (t tensor) matrix() (rows, cols int, err error) {
	if len(t.shape) < 2 {
		return 0, 0, t.wrong("at least 2 dimensions", fmt.Sprint(t.shape))
	}
	rows = 1
	for _, d := range t.shape[:len(t.shape)-1] {
		rows *= d
	}
	return rows, t.shape[len(t.shape)-1], nil
}

// wrong says what was expected of t and what came.
func (t tensor) wrong(want, got string) error {
	return fmt.Errorf("%s: want %s, got %s", t.source, want, got)
}
