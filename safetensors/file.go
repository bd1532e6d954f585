package safetensors

import (
	"fmt"
	"io"
	"maps"
	"os"
)

// File is an open safetensors file. Only its header is in memory. All methods
// may be called concurrently; after Close, reads return os.ErrClosed.
type File struct {
	catalog
	metadata map[string]string
	close    func() error
}

// Open opens the file at path and checks its whole header. Close it after use.
// Errors name the path and wrap an [Error] or the file system's own error.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	file, err := openFile(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

func openFile(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := NewReader(f, info.Size())
	if err != nil {
		return nil, err
	}
	file.close = f.Close
	return file, nil
}

// NewReader checks the header of the safetensors file that is the first size
// bytes of r, which stays the caller's: Close does not touch it. Errors are as
// for [Open], and r's own.
func NewReader(r io.ReaderAt, size int64) (*File, error) {
	header, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	entries, metadata, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	start := prefixBytes + int64(len(header))
	if err := arrange(entries, size-start); err != nil {
		return nil, err
	}
	f := &File{catalog: newCatalog(), metadata: metadata, close: func() error { return nil }}
	for _, e := range entries {
		f.add(entry{Tensor: e.Tensor, begin: start + e.begin, end: start + e.end, data: r})
	}
	return f, nil
}

// Metadata returns a copy of the header's __metadata__, empty if it has none.
func (f *File) Metadata() map[string]string { return maps.Clone(f.metadata) }

// Close closes a file that Open opened.
func (f *File) Close() error { return f.close() }
