package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"blockfp8/safetensors"
)

// Files whose bytes the reference implementation's own tests state
// (safetensors/src/tensor.rs): Writer must produce the same.
func TestReferenceBytes(t *testing.T) {
	var floats []byte
	for i := range 6 {
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(float32(i)))
	}
	for _, c := range []struct {
		name     string
		tensors  []safetensors.Tensor
		metadata map[string]string
		data     []byte
		want     []byte
	}{
		{
			"forced alignment",
			[]safetensors.Tensor{{Name: "attn0", DType: safetensors.F32, Shape: []int64{1, 1, 2, 3}}},
			nil, floats,
			append([]byte("H\x00\x00\x00\x00\x00\x00\x00{\"attn0\":{\"dtype\":\"F32\",\"shape\":[1,1,2,3],\"data_offsets\":[0,24]}}       "), floats...),
		},
		{
			"metadata alone", nil,
			map[string]string{"framework": "pt"},
			nil,
			[]byte("(\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\":{\"framework\":\"pt\"}}     "),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.safetensors")
			w, err := safetensors.Create(path, c.tensors, c.metadata)
			if err != nil {
				t.Fatal(err)
			}
			for _, tensor := range c.tensors {
				if err := w.Write(tensor.Name, c.data); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q (%v)", got, c.want, err)
			}
		})
	}
}

// Forms that the reference reads: any JSON white space after the object, an
// empty tensor, a header that is not a multiple of 8.
func TestReferenceAccepts(t *testing.T) {
	mustOpen(t, []byte("\x06\x00\x00\x00\x00\x00\x00\x00{}\r \t\n"))
	f := mustOpen(t, []byte("<\x00\x00\x00\x00\x00\x00\x00{\"test\":{\"dtype\":\"I32\",\"shape\":[2,0],\"data_offsets\":[0, 0]}}"))
	if b, err := f.Read("test"); err != nil || len(b) != 0 {
		t.Errorf("empty tensor: %v, %v", b, err)
	}
}
