package tensor

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blockfp8/safetensors"
)

func save(t *testing.T, path, descr, shape string, data []byte) string {
	t.Helper()
	write(t, path, EncodeNPY(descr, shape, data))
	return path
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestReadNPY(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, c := range []struct {
		descr, shape string
		bytes        int
		dtype        safetensors.DType
		want         []int
	}{
		{"|u1", "(2, 3)", 6, safetensors.U8, []int{2, 3}},
		{"|V1", "(2, 3)", 6, safetensors.U8, []int{2, 3}},
		{"<f1", "(6,)", 6, safetensors.U8, []int{6}},
		{"<u2", "(1, 2, 3)", 12, safetensors.U16, []int{1, 2, 3}},
		{"<V2", "(2,)", 4, safetensors.U16, []int{2}},
		{"<f2", "()", 2, safetensors.F16, nil},
		{"<f4", "(0, 7)", 0, safetensors.F32, []int{0, 7}},
	} {
		data := make([]byte, c.bytes)
		for i := range data {
			data[i] = byte(0xF9 + i)
		}
		got, err := ReadNPY(save(t, path, c.descr, c.shape, data))
		if err != nil || got.DType != c.dtype || !slices.Equal(got.Shape, c.want) || !slices.Equal(got.Data, data) {
			t.Errorf("%s %s: %+v, %v", c.descr, c.shape, got, err)
		}
	}
}

func TestReadNPYRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, c := range []struct{ descr, shape, want string }{
		{">f4", "(1,)", "little-endian"},
		{"<f8", "(1,)", "<f8"},
		{"<i4", "(1,)", "<i4"},
		{"<f4", "(2,)", "F32 [2], got 4 bytes"},
		{"<f4", "(0,)", "got 4 bytes"},
		{"<f4", "(-1,)", "got 4 bytes"},
		{"<f4", "(4611686018427387904, 4)", "got 4 bytes"},
	} {
		_, err := ReadNPY(save(t, path, c.descr, c.shape, make([]byte, 4)))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s %s: %v, want %q", c.descr, c.shape, err, c.want)
		}
	}
	file := EncodeNPY("<f4", "(2, 2)", make([]byte, 16))
	write(t, path, bytes.Replace(file, []byte("False, 'shape': (2, 2), }"), []byte("True, 'shape': (2, 2), } "), 1))
	if _, err := ReadNPY(path); err == nil || !strings.Contains(err.Error(), "Fortran") {
		t.Errorf("Fortran order: %v", err)
	}
}

// What is written is read again as it was.
func TestWriteNPY(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, want := range []Tensor{
		{DType: safetensors.U8, Shape: []int{2, 3}, Data: []byte("abcdef")},
		{DType: safetensors.F32, Shape: []int{1, 0}, Data: []byte{}},
		{DType: safetensors.U16, Shape: []int{2}, Data: []byte("abcd")},
	} {
		if err := want.WriteNPY(path); err != nil {
			t.Fatal(err)
		}
		got, err := ReadNPY(path)
		if err != nil || got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) || !slices.Equal(got.Data, want.Data) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	if err := (Tensor{DType: safetensors.I64}).WriteNPY(path); err == nil {
		t.Error("a type that is never read is written")
	}
}

// FuzzReadNPY looks for headers that make the reader panic or take more memory than
// the file has bytes.
func FuzzReadNPY(f *testing.F) {
	for _, s := range []string{
		"", "\x93NUMPY", "\x93NUMPY\x01\x00\x00\x00....", "\x93NUMPY\x01\x00\x05\x00{'a'}", "\x93NUMPY\x02\x00\xff\xff\xff\xff....",
		"\x93NUMPY\x03\x00\x02\x00\x00\x00{\n", "\x93NUMPY\x01\x00\x40\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }        \n\x00\x00\x00\x00",
		"\x93NUMPY\x01\x00\x2d\x00'shape': 'fortran_order': 'descr': }         \n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		header, data, err := splitNPY(file)
		if err == nil && len(data) > len(file)-10 {
			t.Errorf("%d bytes of data in a file of %d, header %+v", len(data), len(file), header)
		}
	})
}
