package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"blockfp8/safetensors"
)

// image is a file's bytes: the header's length, the header, the data.
func image(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func open(b []byte) (*safetensors.File, error) {
	return safetensors.NewReader(bytes.NewReader(b), int64(len(b)))
}

func mustOpen(t *testing.T, b []byte) *safetensors.File {
	t.Helper()
	f, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// wantError demands the sentinel, the typed error and the tensor it names.
func wantError(t *testing.T, err, kind error, tensor string) {
	t.Helper()
	var typed *safetensors.Error
	switch {
	case !errors.Is(err, kind):
		t.Errorf("got %v, want %v", err, kind)
	case !errors.As(err, &typed):
		t.Errorf("%v is not an *Error", err)
	case typed.Tensor != tensor:
		t.Errorf("%v names tensor %q, want %q", err, typed.Tensor, tensor)
	case typed.Want == "" || typed.Got == "":
		t.Errorf("%v does not say what was wanted and what came", err)
	}
}

func save(t *testing.T, dir, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// filesAre demands exactly these names in dir.
func filesAre(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if len(got) != len(want) {
		t.Fatalf("directory holds %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("directory holds %q, want %q", got, want)
		}
	}
}
