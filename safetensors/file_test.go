package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"blockfp8/safetensors"
)

func TestFileOrderAndMetadata(t *testing.T) {
	f := mustOpen(t, image(`{"b":{"dtype":"I16","shape":[2],"data_offsets":[1,5]},"__metadata__":{"format":"pt"},`+
		`"a":{"data_offsets":[0,1],"shape":[],"dtype":"BOOL"},"none":{"dtype":"F64","shape":[3,0],"data_offsets":[5,5]}}   `, 1, 2, 3, 4, 5))
	if got, want := fmt.Sprint(f.Tensors()), `[{a BOOL []} {b I16 [2]} {none F64 [3 0]}]`; got != want {
		t.Errorf("Tensors() = %s, want %s", got, want)
	}
	if got := f.Metadata(); len(got) != 1 || got["format"] != "pt" {
		t.Errorf("Metadata() = %v", got)
	}
	for name, want := range map[string][]byte{"a": {1}, "b": {2, 3, 4, 5}, "none": {}} {
		if got, err := f.Read(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("Read(%s) = %v, %v; want %v", name, got, err, want)
		}
	}
	b, ok := f.Lookup("b")
	if !ok || b.Elements() != 2 || b.Bytes() != 4 {
		t.Errorf("Lookup(b) = %v %v", b, ok)
	}
	s, err := f.Section("b")
	if err != nil {
		t.Fatal(err)
	}
	last := make([]byte, 2)
	if _, err := s.ReadAt(last, 2); err != nil || last[0] != 4 || last[1] != 5 {
		t.Errorf("section's last bytes: %v, %v", last, err)
	}
}

func TestNotFound(t *testing.T) {
	f := mustOpen(t, image(`{}`))
	if _, ok := f.Lookup("w"); ok {
		t.Error("Lookup found a tensor in an empty file")
	}
	_, err := f.Section("w")
	wantError(t, err, safetensors.ErrNotFound, "w")
	_, err = f.Read("w")
	wantError(t, err, safetensors.ErrNotFound, "w")
	_, err = f.E8M0("w")
	wantError(t, err, safetensors.ErrNotFound, "w")
	_, err = f.Floats("w")
	wantError(t, err, safetensors.ErrNotFound, "w")
}

func TestEveryDType(t *testing.T) {
	for _, c := range []struct {
		dtype safetensors.DType
		bytes int // of eight elements
	}{
		{"BOOL", 8},
		{"F4", 4},
		{"F6_E2M3", 6},
		{"F6_E3M2", 6},
		{"U8", 8},
		{"I8", 8},
		{"F8_E5M2", 8},
		{"F8_E4M3", 8},
		{"F8_E8M0", 8},
		{"F8_E4M3FNUZ", 8},
		{"F8_E5M2FNUZ", 8},
		{"I16", 16},
		{"U16", 16},
		{"F16", 16},
		{"BF16", 16},
		{"I32", 32},
		{"U32", 32},
		{"F32", 32},
		{"C64", 64},
		{"F64", 64},
		{"I64", 64},
		{"U64", 64},
	} {
		header := fmt.Sprintf(`{"a":{"dtype":"%s","shape":[2,4],"data_offsets":[0,%d]}}`, c.dtype, c.bytes)
		f := mustOpen(t, image(header, make([]byte, c.bytes)...))
		if a, ok := f.Lookup("a"); !ok || a.DType != c.dtype || a.Bytes() != int64(c.bytes) {
			t.Errorf("%s: Lookup = %v %v, %d bytes", c.dtype, a, ok, a.Bytes())
		}
	}
}

func TestHandMadeTensor(t *testing.T) {
	for _, bad := range []safetensors.Tensor{
		{DType: safetensors.U8, Shape: []int64{-1}},
		{DType: safetensors.U8, Shape: []int64{1 << 62, 2}},
	} {
		if bad.Elements() != -1 || bad.Bytes() != -1 {
			t.Errorf("%v: %d elements, %d bytes; want -1, -1", bad, bad.Elements(), bad.Bytes())
		}
	}
	if got := (safetensors.Tensor{DType: "E8M0"}).Bytes(); got != -1 {
		t.Errorf("unknown dtype: %d bytes, want -1", got)
	}
}

func TestOpenNamesThePath(t *testing.T) {
	path := save(t, t.TempDir(), "cut.safetensors", []byte{1})
	_, err := safetensors.Open(path)
	wantError(t, err, safetensors.ErrTruncated, "")
	if want := path + ": truncated file: want 8 bytes of header length, got 1"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := safetensors.Open(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestReadAfterClose(t *testing.T) {
	f, err := safetensors.Open(save(t, t.TempDir(), "a.safetensors", image(`{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}`, 7)))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read("a"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Read after Close: %v, want os.ErrClosed", err)
	}
}

// A file that shrinks after it was opened is an error, not zeros.
func TestShortRead(t *testing.T) {
	b := image(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 1, 2, 3)
	f, err := safetensors.NewReader(bytes.NewReader(b), int64(len(b)+1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read("a"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Read = %v, want io.ErrUnexpectedEOF", err)
	}
}

func TestHundredGigabytes(t *testing.T) {
	const size int64 = 100 << 30
	header := fmt.Sprintf(`{"big":{"dtype":"F8_E4M3","shape":[%d,1048576],"data_offsets":[0,%d]},"s":{"dtype":"F8_E8M0","shape":[1],"data_offsets":[%d,%d]}}`,
		size>>20, size, size, size+1)
	path := save(t, t.TempDir(), "big.safetensors", image(header))
	if err := os.Truncate(path, int64(8+len(header))+size+1); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	codes, err := f.E8M0("s")
	runtime.ReadMemStats(&after)
	if err != nil || len(codes) != 1 || codes[0] != 0 {
		t.Errorf("E8M0(s) = %v, %v", codes, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 64<<10 {
		t.Errorf("opening allocated %d bytes, want at most 64 KiB", got)
	}
}

// A header that claims more than the file has must not be allocated for.
func TestHostileLengthAllocatesNothing(t *testing.T) {
	path := save(t, t.TempDir(), "lie.safetensors", []byte{0, 0xE1, 0xF5, 0x05, 0, 0, 0, 0, '{'}) // 100,000,000: the limit itself
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := safetensors.Open(path)
	runtime.ReadMemStats(&after)
	wantError(t, err, safetensors.ErrTruncated, "")
	if got := after.TotalAlloc - before.TotalAlloc; got > 64<<10 {
		t.Errorf("the error allocated %d bytes", got)
	}
}

func TestCreateInMissingDirectory(t *testing.T) {
	_, err := safetensors.Create(filepath.Join(t.TempDir(), "no", "a.safetensors"), nil, nil)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Create in a missing directory: %v", err)
	}
}
