package safetensors

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Checkpoint is a model in one safetensors file or in many, read as if it were
// one. All methods may be called concurrently; after Close, reads return
// os.ErrClosed.
type Checkpoint struct {
	catalog
	files []*File
}

// OpenCheckpoint opens what is at path: a safetensors file; an index
// (model.safetensors.index.json), whose weight_map then decides which tensors
// there are and in which file; or a directory, which holds one index, or else
// safetensors files that are all opened. It reads and checks every header, and
// no data, and holds every file open until Close.
//
// Errors: those of [Open]; ErrIndex for a weight_map that names a file or a
// tensor that is not there, or a file outside the index's directory, and for a
// directory with two indexes; ErrDuplicate for a tensor that two files of a
// directory without an index have; ErrNotFound for a directory without
// safetensors files.
func OpenCheckpoint(path string) (*Checkpoint, error) {
	c := &Checkpoint{catalog: newCatalog()}
	if err := c.open(path); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close closes all files.
func (c *Checkpoint) Close() error {
	var errs []error
	for _, f := range c.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

func (c *Checkpoint) open(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return c.openDirectory(path)
	case strings.HasSuffix(path, ".json"):
		return c.openIndex(path)
	}
	return c.openAll([]string{path})
}

func (c *Checkpoint) openDirectory(path string) error {
	indexes, err := filesIn(path, ".safetensors.index.json")
	if err != nil {
		return err
	}
	switch len(indexes) {
	case 0:
	case 1:
		return c.openIndex(indexes[0])
	default:
		return &Error{Kind: ErrIndex, Want: "one index in " + path, Got: strings.Join(indexes, ", ")}
	}
	shards, err := filesIn(path, ".safetensors")
	if err != nil {
		return err
	}
	if len(shards) == 0 {
		return &Error{Kind: ErrNotFound, Want: "safetensors files in " + path, Got: "none"}
	}
	return c.openAll(shards)
}

func (c *Checkpoint) openAll(paths []string) error {
	owner := map[string]string{}
	for _, path := range paths {
		f, err := c.openShard(path)
		if err != nil {
			return err
		}
		for _, t := range f.tensors {
			if other, ok := owner[t.Name]; ok {
				return t.fail(ErrDuplicate, "it in one file", other+" and "+path)
			}
			owner[t.Name] = path
			c.add(f.entries[t.Name])
		}
	}
	return nil
}

func (c *Checkpoint) openIndex(path string) error {
	x, err := readIndex(path)
	if err == nil {
		err = c.openShards(filepath.Dir(path), x)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (c *Checkpoint) openShards(dir string, x index) error {
	for _, shard := range slices.Compact(slices.Sorted(maps.Values(x.shards))) {
		f, err := c.openShard(filepath.Join(dir, filepath.FromSlash(shard)))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrIndex, err)
		}
		for _, t := range f.tensors {
			if x.shards[t.Name] == shard {
				c.add(f.entries[t.Name])
			}
		}
	}
	for _, name := range x.names {
		if _, ok := c.entries[name]; !ok {
			return &Error{Kind: ErrIndex, Tensor: name, Want: "it in " + x.shards[name], Got: "a file without it"}
		}
	}
	return nil
}

func (c *Checkpoint) openShard(path string) (*File, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	c.files = append(c.files, f)
	return f, nil
}

// filesIn returns the paths of dir's files with that suffix, sorted.
func filesIn(dir, suffix string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}
