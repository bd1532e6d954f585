package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blockfp8/internal/tensor"
	"blockfp8/safetensors"
)

// outcome is what a command line did.
type outcome struct {
	code     int
	out, err string
}

// command runs a command line as main does, with nothing that is a terminal.
func command(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := execute(args, &out, &errs)
	return outcome{code, out.String(), errs.String()}
}

// succeed runs a command line that must end with code 0 and no word on stderr.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	o := command(t, args...)
	if o.code != exitOK || o.err != "" {
		t.Fatalf("%q: exit %d, stderr %q, want 0 and nothing", args, o.code, o.err)
	}
	return o.out
}

// refuse runs a command line that must end with code 2, and checks that the message
// has all the words.
func refuse(t *testing.T, words []string, args ...string) {
	t.Helper()
	o := command(t, args...)
	if o.code != exitBadInput || o.out != "" {
		t.Errorf("%q: exit %d, stdout %q, want 2 and nothing", args, o.code, o.out)
	}
	if lines := strings.Count(o.err, "\n"); lines != 1 || !strings.HasPrefix(o.err, "blockfp8: ") {
		t.Errorf("%q: stderr %q, want one line", args, o.err)
	}
	for _, w := range words {
		if !strings.Contains(o.err, w) {
			t.Errorf("%q: stderr %q lacks %q", args, o.err, w)
		}
	}
}

// parseJSON reads exactly one document.
func parseJSON[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// stored is a tensor with its bytes.
type stored struct {
	safetensors.Tensor
	data []byte
}

func f8(name string, data []byte, shape ...int64) stored {
	return stored{safetensors.Tensor{Name: name, DType: safetensors.F8_E4M3, Shape: shape}, data}
}

func e8m0(name string, data []byte, shape ...int64) stored {
	return stored{safetensors.Tensor{Name: name, DType: safetensors.F8_E8M0, Shape: shape}, data}
}

func f32(name string, values []float32, shape ...int64) stored {
	return stored{safetensors.Tensor{Name: name, DType: safetensors.F32, Shape: shape}, floatBytes(values)}
}

func floatBytes(values []float32) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// save writes a safetensors file and returns its path.
func save(t *testing.T, path string, metadata map[string]string, tensors ...stored) string {
	t.Helper()
	var list []safetensors.Tensor
	for _, s := range tensors {
		list = append(list, s.Tensor)
	}
	w, err := safetensors.Create(path, list, metadata)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range tensors {
		if err := w.Write(s.Name, s.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// saveNPY writes a version 1.0 .npy file and returns its path.
func saveNPY(t *testing.T, path, descr, shape string, data []byte) string {
	t.Helper()
	write(t, path, tensor.EncodeNPY(descr, shape, data))
	return path
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// listing returns the names of everything below dir.
func listing(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if path != dir {
			names = append(names, filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator))))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// interrupted is a console whose user has already given up.
func interrupted() *console {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return &console{ctx: ctx, out: &bytes.Buffer{}, status: &bytes.Buffer{}}
}
