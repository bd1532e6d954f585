package safetensors_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"blockfp8/safetensors"
)

// FuzzSafetensors holds every file that opens to two properties: its tensors
// share no byte and none lies outside the file, and a copy made by Writer has
// the same tensors, bytes and metadata.
func FuzzSafetensors(f *testing.F) {
	f.Add(image(`{}`))
	f.Add(image(`{"__metadata__":{"format":"pt","<":"\ud83d\ude00"}}  `))
	f.Add(image(`{"s":{"dtype":"F8_E8M0","shape":[3],"data_offsets":[0,3]}}`, 0x7E, 0x7F, 0x80))
	f.Add(image(`{"x.weight":{"dtype":"F8_E4M3","shape":[1,2],"data_offsets":[4,6]},"x.weight_scale_inv":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}`, 0, 0, 0x80, 0x3F, 0x38, 0x7F))
	f.Add(image(`{"x.weight":{"dtype":"F8_E4M3","shape":[],"data_offsets":[0,1]},"x.scale":{"dtype":"BF16","shape":[],"data_offsets":[1,3]},"e":{"dtype":"F64","shape":[0],"data_offsets":[3,3]}}`, 1, 2, 3))
	f.Add(image(`{"a":{"dtype":"F4","shape":[2],"data_offsets":[0,1]},"b":{"dtype":"F6_E3M2","shape":[4],"data_offsets":[1,4]}}`, 1, 2, 3, 4))
	f.Add(image(`{"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`))
	f.Add(image(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := open(b)
		if err != nil {
			return
		}
		disjoint(t, file, int64(len(b)))
		if _, _, err := file.Pairs(); err != nil {
			t.Log(err) // an answer; a panic would be none
		}
		copied, err := safetensors.Open(rewrite(t, file))
		if err != nil {
			t.Fatal(err)
		}
		defer copied.Close()
		same(t, copied, file)
	})
}

func disjoint(t *testing.T, f *safetensors.File, size int64) {
	var end int64
	for _, tensor := range f.Tensors() {
		s, err := f.Section(tensor.Name)
		if err != nil {
			t.Fatal(err)
		}
		_, begin, n := s.Outer()
		if begin < 8 || begin < end || n != tensor.Bytes() || n > size-begin {
			t.Fatalf("%v at byte %d, %d bytes; the one before ends at %d and the file at %d", tensor, begin, n, end, size)
		}
		end = begin + n
	}
}

func rewrite(t *testing.T, f *safetensors.File) string {
	path := filepath.Join(t.TempDir(), "copy.safetensors")
	w, err := safetensors.Create(path, f.Tensors(), f.Metadata())
	if err != nil {
		t.Fatal(err)
	}
	for _, tensor := range f.Tensors() {
		b, err := f.Read(tensor.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(tensor.Name, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func same(t *testing.T, got, want *safetensors.File) {
	if len(got.Tensors()) != len(want.Tensors()) || len(got.Metadata()) != len(want.Metadata()) {
		t.Fatalf("copy has %v and %v, want %v and %v", got.Tensors(), got.Metadata(), want.Tensors(), want.Metadata())
	}
	for k, v := range want.Metadata() {
		if got.Metadata()[k] != v {
			t.Errorf("metadata %q is %q in the copy, want %q", k, got.Metadata()[k], v)
		}
	}
	for _, tensor := range want.Tensors() {
		a, err := want.Read(tensor.Name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := got.Read(tensor.Name)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s is %x in the copy (%v), want %x", tensor.Name, b, err, a)
		}
	}
}
