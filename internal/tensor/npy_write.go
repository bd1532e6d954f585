package tensor

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"

	"blockfp8/safetensors"
)

// npyDescr names element types as .npy files do. What NumPy has no type for is
// unsigned integers.
var npyDescr = map[safetensors.DType]string{
	safetensors.U8: "|u1", safetensors.F8_E4M3: "|u1", safetensors.F8_E8M0: "|u1",
	safetensors.U16: "<u2", safetensors.BF16: "<u2", safetensors.F16: "<f2", safetensors.F32: "<f4",
}

// WriteNPY writes t as a .npy file.
func (t Tensor) WriteNPY(path string) error {
	descr, ok := npyDescr[t.DType]
	if !ok {
		return fmt.Errorf("%s: want a type that .npy files have, got %s", path, t.DType)
	}
	var shape strings.Builder
	for _, d := range t.Shape {
		fmt.Fprintf(&shape, "%d, ", d)
	}
	return os.WriteFile(path, EncodeNPY(descr, "("+shape.String()+")", t.Data), 0o666)
}

// EncodeNPY returns a .npy file of version 1.0. descr and shape are as in Python,
// such as <f4 and (2, 3).
func EncodeNPY(descr, shape string, data []byte) []byte {
	const prefix, alignment = 10, 64
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	header += strings.Repeat(" ", (alignment-(prefix+len(header)+1)%alignment)%alignment) + "\n"
	file := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	return slices.Concat(file, []byte(header), data)
}
