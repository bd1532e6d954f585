package tensor

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"codeberg.org/sbinet/npyio/npy"

	"blockfp8/safetensors"
)

// npyDTypes are the element types of .npy files that tensors may have. V1, f1
// and V2 are what NumPy writes for the ml_dtypes extension types: raw bytes whose
// format the file does not say, just as for unsigned integers.
var npyDTypes = map[string]safetensors.DType{
	"u1": safetensors.U8, "V1": safetensors.U8, "f1": safetensors.U8,
	"u2": safetensors.U16, "V2": safetensors.U16,
	"f2": safetensors.F16, "f4": safetensors.F32,
}

// ReadNPY reads a .npy file. npyio reads the header; the data are taken as they
// lie, so that no NaN changes on the way and a size that does not fit is noticed.
func ReadNPY(path string) (Tensor, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return Tensor{}, err
	}
	header, data, err := splitNPY(file)
	if err != nil {
		return Tensor{}, fmt.Errorf("%s: %w", path, err)
	}
	t := Tensor{Source: path, Data: data, Shape: header.Descr.Shape}
	if t.DType, err = npyDType(header.Descr.Type); err != nil {
		return Tensor{}, fmt.Errorf("%s: %w", path, err)
	}
	if header.Descr.Fortran && len(t.Shape) > 1 {
		return Tensor{}, fmt.Errorf("%s: want C order, got Fortran order (numpy.ascontiguousarray converts)", path)
	}
	described := safetensors.Tensor{DType: t.DType}
	for _, d := range t.Shape {
		described.Shape = append(described.Shape, int64(d))
	}
	if want := described.Bytes(); want != int64(len(data)) {
		return Tensor{}, fmt.Errorf("%s: want the bytes of %s %v, got %d bytes", path, t.DType, t.Shape, len(data))
	}
	return t, nil
}

// npyDType reads a type such as '<f4', quotes included.
func npyDType(descr string) (safetensors.DType, error) {
	name := strings.Trim(descr, `'"`)
	dtype, ok := npyDTypes[strings.TrimLeft(name, "<|=")]
	if !ok {
		return "", fmt.Errorf("want little-endian uint8, uint16, float16 or float32, got %s", descr)
	}
	return dtype, nil
}

// splitNPY returns the header of a .npy file and the data behind it. npyio trusts
// that a header is well formed, so its length is checked first and what goes wrong
// inside becomes an error.
func splitNPY(file []byte) (header npy.Header, data []byte, err error) {
	if len(file) < 12 || !bytes.Equal(file[:6], npy.Magic[:]) {
		return header, nil, fmt.Errorf("want a .npy file, got %d bytes without its magic number", len(file))
	}
	size := 10 + int64(binary.LittleEndian.Uint16(file[8:]))
	if file[6] >= 2 {
		size = 12 + int64(binary.LittleEndian.Uint32(file[8:]))
	}
	if size > int64(len(file)) {
		return header, nil, fmt.Errorf("want a header of %d bytes, got a file of %d", size, len(file))
	}
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("want a header with descr, fortran_order and shape, got %q", file[10:size])
		}
	}()
	r, err := npy.NewReader(bytes.NewReader(file[:size]))
	if err != nil {
		return header, nil, err
	}
	return r.Header, file[size:], nil
}
