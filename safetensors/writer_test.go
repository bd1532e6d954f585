package safetensors_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blockfp8/safetensors"
)

var two = []safetensors.Tensor{
	{Name: "w", DType: safetensors.F8_E4M3, Shape: []int64{1, 3}},
	{Name: "b", DType: safetensors.BF16}, // a scalar
}

func create(t *testing.T, dir string) *safetensors.Writer {
	t.Helper()
	w, err := safetensors.Create(filepath.Join(dir, "a.safetensors"), two, map[string]string{"z": "<1>", "a": "2"})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The whole file, byte for byte: wide elements first, keys sorted, data at a
// multiple of 8. Data may come in any order and in pieces.
func TestWriterBytes(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir)
	if _, err := io.Copy(w.Tensor("w"), bytes.NewReader([]byte{1, 2})); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		data []byte
	}{{"b", []byte{8, 9}}, {"w", []byte{3}}, {"w", nil}} {
		if err := w.Write(step.name, step.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	header := `{"__metadata__":{"a":"2","z":"\u003c1\u003e"},"b":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},"w":{"dtype":"F8_E4M3","shape":[1,3],"data_offsets":[2,5]}}`
	want := image(header+strings.Repeat(" ", (8-len(header)%8)%8), 8, 9, 1, 2, 3)
	got, err := os.ReadFile(filepath.Join(dir, "a.safetensors"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got  %q\nwant %q (%v)", got, want, err)
	}
	filesAre(t, dir, "a.safetensors")
	if err := w.Write("w", nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write after Close: %v", err)
	}
	if err := w.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	if err := w.Abort(); err != nil {
		t.Errorf("Abort after Close: %v", err)
	}
	filesAre(t, dir, "a.safetensors")
}

func TestWriterLeavesNothingHalfWritten(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   error
		tensor string
		fill   func(w *safetensors.Writer) error
	}{
		{"too few bytes", safetensors.ErrSize, "w", func(w *safetensors.Writer) error {
			return errors.Join(w.Write("b", []byte{0, 0}), w.Write("w", []byte{0, 0}))
		}},
		{"a tensor never written", safetensors.ErrSize, "b", func(w *safetensors.Writer) error {
			return w.Write("w", []byte{0, 0, 0})
		}},
		{"too many bytes", safetensors.ErrSize, "b", func(w *safetensors.Writer) error {
			_, err := w.Tensor("b").Write([]byte{0, 0, 0})
			return err
		}},
		{"an undeclared tensor", safetensors.ErrNotFound, "c", func(w *safetensors.Writer) error {
			return w.Write("c", nil)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			save(t, dir, "a.safetensors", []byte("old"))
			w := create(t, dir)
			first := c.fill(w)
			err := w.Close()
			wantError(t, err, c.kind, c.tensor)
			if first != nil && err != first {
				t.Errorf("Close returned %v, want the first error %v", err, first)
			}
			filesAre(t, dir, "a.safetensors")
			if old, err := os.ReadFile(filepath.Join(dir, "a.safetensors")); err != nil || string(old) != "old" {
				t.Errorf("the file there before is now %q, %v", old, err)
			}
		})
	}
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir)
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	filesAre(t, dir)
	if err := w.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Close after Abort: %v", err)
	}
	if err := w.Abort(); err != nil {
		t.Errorf("second Abort: %v", err)
	}
}

// A failed rename must not leave the temporary file.
func TestCloseWhenPathIsADirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a.safetensors", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := safetensors.Create(filepath.Join(dir, "a.safetensors"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("Close replaced a directory")
	}
	filesAre(t, dir, "a.safetensors")
}

func TestCreateRefuses(t *testing.T) {
	u8 := func(name string, shape ...int64) safetensors.Tensor {
		return safetensors.Tensor{Name: name, DType: safetensors.U8, Shape: shape}
	}
	for _, c := range []struct {
		name     string
		tensors  []safetensors.Tensor
		metadata map[string]string
		kind     error
		tensor   string
	}{
		{"a name twice", []safetensors.Tensor{u8("a"), u8("a")}, nil, safetensors.ErrDuplicate, "a"},
		{"the name of the metadata", []safetensors.Tensor{u8("__metadata__")}, nil, safetensors.ErrDuplicate, "__metadata__"},
		{"a dtype unknown", []safetensors.Tensor{{Name: "a", DType: "E8M0"}}, nil, safetensors.ErrDType, "a"},
		{"a dimension negative", []safetensors.Tensor{u8("a", -1)}, nil, safetensors.ErrShape, "a"},
		{"half a byte", []safetensors.Tensor{{Name: "a", DType: safetensors.F4, Shape: []int64{1}}}, nil, safetensors.ErrShape, "a"},
		{"a name not UTF-8", []safetensors.Tensor{u8("\xff")}, nil, safetensors.ErrHeader, "\xff"},
		{"metadata not UTF-8", nil, map[string]string{"a": "\xff"}, safetensors.ErrHeader, "__metadata__"},
		{"offsets beyond 2^63", []safetensors.Tensor{
			u8("a", 1<<60-1), u8("b", 1<<60-1), u8("c", 1<<60-1), u8("d", 1<<60-1), u8("e", 1<<60-1),
			u8("f", 1<<60-1), u8("g", 1<<60-1), u8("h", 1<<60-1), u8("i", 9),
		}, nil, safetensors.ErrSize, "i"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := safetensors.Create(filepath.Join(dir, "a.safetensors"), c.tensors, c.metadata)
			wantError(t, err, c.kind, c.tensor)
			filesAre(t, dir)
		})
	}
}

func TestCreateRefusesHeaderOverTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes 100 MB")
	}
	dir := t.TempDir()
	_, err := safetensors.Create(filepath.Join(dir, "a.safetensors"), nil, map[string]string{"a": strings.Repeat("x", safetensors.MaxHeader)})
	wantError(t, err, safetensors.ErrHeaderSize, "")
	filesAre(t, dir)
}
