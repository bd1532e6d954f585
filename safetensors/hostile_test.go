package safetensors_test

import (
	"encoding/binary"
	"testing"

	"blockfp8/safetensors"
)

func TestHostile(t *testing.T) {
	length := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	four := make([]byte, 4)
	for _, c := range []struct {
		name   string
		file   []byte
		kind   error
		tensor string
	}{
		{"empty file", nil, safetensors.ErrTruncated, ""},
		{"seven bytes", length(2)[:7], safetensors.ErrTruncated, ""},
		{"no header", length(2), safetensors.ErrTruncated, ""},
		{"header cut", image(`{}`)[:9], safetensors.ErrTruncated, ""},
		{"header at the limit, not there", length(100_000_000), safetensors.ErrTruncated, ""},
		{"header over the limit", length(100_000_001), safetensors.ErrHeaderSize, ""},
		{"header length of all ones", length(1<<64 - 1), safetensors.ErrHeaderSize, ""},
		{"header of no bytes", length(0), safetensors.ErrHeader, ""},

		{"space before the object", image(` {}`), safetensors.ErrHeader, ""},
		{"an array", image(`[]`), safetensors.ErrHeader, ""},
		{"object not closed", image(`{`), safetensors.ErrHeader, ""},
		{"comma too many", image(`{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},}`, 0), safetensors.ErrHeader, ""},
		{"two objects", image(`{}{}`), safetensors.ErrHeader, ""},
		{"padded with zeros", image("{}\x00\x00"), safetensors.ErrHeader, ""},
		{"name not UTF-8", image("{\"\xff\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}", 0), safetensors.ErrHeader, ""},
		{"tensor is null", image(`{"a":null}`), safetensors.ErrHeader, "a"},
		{"tensor is an array", image(`{"a":[]}`), safetensors.ErrHeader, "a"},
		{"dtype is a number", image(`{"a":{"dtype":8,"shape":[],"data_offsets":[0,1]}}`, 0), safetensors.ErrHeader, "a"},
		{"shape is a string", image(`{"a":{"dtype":"U8","shape":"1","data_offsets":[0,1]}}`, 0), safetensors.ErrHeader, "a"},
		{"shape is nested", image(`{"a":{"dtype":"U8","shape":[[1]],"data_offsets":[0,1]}}`, 0), safetensors.ErrHeader, "a"},
		{"field unknown", image(`{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1],"scale":2}}`, 0), safetensors.ErrHeader, "a"},
		{"no dtype", image(`{"a":{"shape":[],"data_offsets":[0,1]}}`, 0), safetensors.ErrHeader, "a"},
		{"no shape", image(`{"a":{"dtype":"U8","data_offsets":[0,1]}}`, 0), safetensors.ErrHeader, "a"},
		{"no offsets", image(`{"a":{"dtype":"U8","shape":[]}}`, 0), safetensors.ErrHeader, "a"},
		{"one offset", image(`{"a":{"dtype":"U8","shape":[],"data_offsets":[0]}}`, 0), safetensors.ErrHeader, "a"},
		{"three offsets", image(`{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1,2]}}`, 0), safetensors.ErrHeader, "a"},
		{"metadata of numbers", image(`{"__metadata__":{"a":1}}`), safetensors.ErrHeader, "__metadata__"},
		{"metadata is a string", image(`{"__metadata__":"pt"}`), safetensors.ErrHeader, "__metadata__"},

		{"tensor twice", image(`{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}`, 0), safetensors.ErrDuplicate, "a"},
		{"tensor twice, once escaped", image(`{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"\u0061":{"dtype":"U8","shape":[],"data_offsets":[1,2]}}`, 0, 0), safetensors.ErrDuplicate, "a"},
		{"field twice", image(`{"a":{"dtype":"U8","dtype":"I8","shape":[],"data_offsets":[0,1]}}`, 0), safetensors.ErrDuplicate, "a"},
		{"metadata twice", image(`{"__metadata__":{},"__metadata__":{}}`), safetensors.ErrDuplicate, "__metadata__"},
		{"metadata key twice", image(`{"__metadata__":{"k":"1","k":"2"}}`), safetensors.ErrDuplicate, "__metadata__"},

		{"dtype unknown", image(`{"a":{"dtype":"F8_E3M4","shape":[],"data_offsets":[0,1]}}`, 0), safetensors.ErrDType, "a"},
		{"dtype in lower case", image(`{"a":{"dtype":"u8","shape":[],"data_offsets":[0,1]}}`, 0), safetensors.ErrDType, "a"},

		{"dimension negative", image(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, 0), safetensors.ErrShape, "a"},
		{"dimensions negative, product right", image(`{"a":{"dtype":"U8","shape":[-2,-2],"data_offsets":[0,4]}}`, four...), safetensors.ErrShape, "a"},
		{"dimension a fraction", image(`{"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}}`, 0), safetensors.ErrShape, "a"},
		{"dimension of 2^63", image(`{"a":{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,1]}}`, 0), safetensors.ErrShape, "a"},
		{"product of 2^64", image(`{"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`), safetensors.ErrShape, "a"},
		{"product overflows before a zero", image(`{"a":{"dtype":"U8","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}}`), safetensors.ErrShape, "a"},
		{"bits overflow", image(`{"a":{"dtype":"F64","shape":[288230376151711744],"data_offsets":[0,0]}}`), safetensors.ErrShape, "a"},
		{"half a byte", image(`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`, 0, 0), safetensors.ErrShape, "a"},
		{"six bits", image(`{"a":{"dtype":"F6_E2M3","shape":[2],"data_offsets":[0,2]}}`, 0, 0), safetensors.ErrShape, "a"},

		{"offset negative", image(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[-1,0]}}`, 0), safetensors.ErrOffsets, "a"},
		{"offset of 2^64", image(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[18446744073709551615,0]}}`, 0), safetensors.ErrOffsets, "a"},
		{"offsets reversed", image(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}}`, 0), safetensors.ErrOffsets, "a"},
		{"hole at the start", image(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 0, 0), safetensors.ErrOffsets, "a"},
		{"hole between", image(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`, 0, 0, 0), safetensors.ErrOffsets, "b"},
		{"hole at the end", image(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 0, 0), safetensors.ErrOffsets, ""},
		{"data without a tensor", image(`{}`, 0), safetensors.ErrOffsets, ""},
		{"overlap", image(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 0, 0, 0), safetensors.ErrOffsets, "b"},
		{"the same bytes", image(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, 0, 0), safetensors.ErrOffsets, "b"},
		{"empty tensor inside another", image(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}}`, 0, 0), safetensors.ErrOffsets, "b"},
		{"data cut", image(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, four[:3]...), safetensors.ErrTruncated, "a"},
		{"offset near 2^63", image(`{"a":{"dtype":"U8","shape":[1152921504606846975],"data_offsets":[0,1152921504606846975]}}`), safetensors.ErrTruncated, "a"},

		{"one byte for F32", image(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,1]}}`, 0), safetensors.ErrSize, "a"},
		{"four bytes for an empty tensor", image(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,4]}}`, four...), safetensors.ErrSize, "a"},
		{"no bytes for a scalar", image(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,0]}}`), safetensors.ErrSize, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := open(c.file)
			wantError(t, err, c.kind, c.tensor)
		})
	}
}
