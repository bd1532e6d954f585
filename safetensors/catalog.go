package safetensors

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// catalog is what File and Checkpoint have in common: tensors by name, and
// where their bytes are. It does not change once it is open, so it needs no
// lock.
type catalog struct {
	tensors []Tensor
	entries map[string]entry
}

func newCatalog() catalog { return catalog{entries: map[string]entry{}} }

func (c *catalog) add(e entry) {
	c.tensors = append(c.tensors, e.Tensor)
	c.entries[e.Name] = e
}

// Tensors returns all tensors, in file order; shards follow each other sorted
// by file name.
func (c *catalog) Tensors() []Tensor { return slices.Clone(c.tensors) }

// Lookup returns the tensor of that name, and whether there is one.
func (c *catalog) Lookup(name string) (Tensor, bool) {
	e, ok := c.entries[name]
	return e.Tensor, ok
}

// Section returns a reader of the tensor's bytes, for data that should be
// streamed. Each reader has a position of its own. The error is ErrNotFound.
func (c *catalog) Section(name string) (*io.SectionReader, error) {
	e, err := c.find(name)
	if err != nil {
		return nil, err
	}
	return e.section(), nil
}

// Read returns the tensor's bytes in a fresh slice. The error is ErrNotFound,
// ErrSize for a tensor beyond the address space, or the file's own.
func (c *catalog) Read(name string) ([]byte, error) {
	e, err := c.find(name)
	if err != nil {
		return nil, err
	}
	return e.read()
}

func (c *catalog) find(name string) (entry, error) {
	e, ok := c.entries[name]
	if !ok {
		return e, &Error{Kind: ErrNotFound, Tensor: name, Want: fmt.Sprintf("one of %d tensors", len(c.tensors)), Got: "no such name"}
	}
	return e, nil
}

func (e entry) section() *io.SectionReader {
	return io.NewSectionReader(e.data, e.begin, e.end-e.begin)
}

func (e entry) read() ([]byte, error) {
	n := e.end - e.begin
	if n > math.MaxInt {
		return nil, e.fail(ErrSize, fmt.Sprintf("at most %d bytes", math.MaxInt), fmt.Sprint(n))
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(e.section(), b); err != nil {
		return nil, fmt.Errorf("tensor %q: %w", e.Name, err)
	}
	return b, nil
}
