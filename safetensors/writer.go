package safetensors

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

// Writer writes one safetensors file. Nothing appears at its path before Close
// has succeeded; whatever was at the path stays until then. The first error is
// final: every later call returns it. A Writer is for one goroutine at a time.
type Writer struct {
	path  string
	file  *os.File // beside path, until it is renamed or removed
	order []*entry // begin is where the tensor's next bytes go
	names map[string]*entry
	err   error
	done  bool
}

// Create starts the file at path with the given tensors, whose data follows in
// calls of Write, in any order. Tensors with wide elements are placed first and
// otherwise in the order given, so that each is aligned; equal arguments give
// equal headers. The caller ends with Close or Abort.
//
// Errors: ErrDuplicate, ErrDType, ErrShape, ErrSize (2^63 bytes or more),
// ErrHeader (a name that is not UTF-8), ErrHeaderSize, or the file system's.
func Create(path string, tensors []Tensor, metadata map[string]string) (*Writer, error) {
	entries, err := place(tensors)
	if err != nil {
		return nil, err
	}
	header, err := encodeHeader(entries, metadata)
	if err != nil {
		return nil, err
	}
	// Beside path, because a rename is atomic only within a file system; not
	// os.CreateTemp, which would leave the file readable by its owner alone.
	temporary := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	w := &Writer{path: path, file: file, names: map[string]*entry{}}
	for _, e := range entries {
		e.begin, e.end = e.begin+int64(len(header)), e.end+int64(len(header))
		w.order = append(w.order, &e)
		w.names[e.Name] = &e
	}
	if _, err := file.WriteAt(header, 0); err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// Write appends data to the tensor's bytes; a tensor may take several calls.
// The error is ErrNotFound for a name that was not declared, ErrSize for more
// bytes than it has left (then none is written), or the file system's.
func (w *Writer) Write(name string, data []byte) error {
	if w.err == nil {
		w.err = w.write(name, data)
	}
	return w.err
}

func (w *Writer) write(name string, data []byte) error {
	e, ok := w.names[name]
	if !ok {
		return &Error{Kind: ErrNotFound, Tensor: name, Want: fmt.Sprintf("one of %d declared tensors", len(w.order)), Got: "no such name"}
	}
	if int64(len(data)) > e.end-e.begin {
		return e.fail(ErrSize, fmt.Sprintf("at most %d more bytes", e.end-e.begin), fmt.Sprint(len(data)))
	}
	n, err := w.file.WriteAt(data, e.begin)
	e.begin += int64(n)
	return err
}

// Tensor returns an io.Writer that appends to the tensor's bytes, with the
// errors of Write.
func (w *Writer) Tensor(name string) io.Writer { return appender{w, name} }

type appender struct {
	to   *Writer
	name string
}

func (a appender) Write(data []byte) (int, error) {
	if err := a.to.Write(a.name, data); err != nil {
		return 0, err
	}
	return len(data), nil
}

// Close checks that every tensor got exactly its bytes and moves the file to
// its path. On an error, ErrSize for a tensor that lacks bytes, it aborts.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = w.finish()
	}
	if w.err != nil {
		w.Abort()
		return w.err
	}
	w.err, w.done = os.ErrClosed, true
	return nil
}

func (w *Writer) finish() error {
	for _, e := range w.order {
		if e.begin != e.end {
			return e.fail(ErrSize, fmt.Sprintf("%d bytes", e.Bytes()), fmt.Sprint(e.Bytes()-(e.end-e.begin)))
		}
	}
	// Before the rename, or a power failure could leave an empty file at path.
	if err := w.file.Sync(); err != nil {
		return err
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	return os.Rename(w.file.Name(), w.path)
}

// Abort removes what was written. After Close or Abort it does nothing, so it
// may be deferred.
func (w *Writer) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	if w.err == nil {
		w.err = os.ErrClosed
	}
	w.file.Close() // it may be closed already, and its bytes no longer matter
	return os.Remove(w.file.Name())
}
