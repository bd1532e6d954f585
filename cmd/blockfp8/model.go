package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blockfp8/safetensors"
)

// indexSuffix ends the name of a checkpoint's index.
const indexSuffix = ".safetensors.index.json"

// defaultIndex is the index of a directory that is made from one without.
const defaultIndex = "model" + indexSuffix

// model is a checkpoint file by file, so that it can be written again in the same
// files.
type model struct {
	sharded bool   // IN is an index or a directory
	dir     string // of the shards
	index   string // name of the index in dir
	shards  []shard
}

// shard is one file of a model.
type shard struct {
	name    string // relative to the model's directory, with slashes
	file    *safetensors.File
	tensors []safetensors.Tensor
}

// openModel opens the checkpoint at path; see [safetensors.OpenCheckpoint].
func openModel(path string) (*model, error) {
	checkpoint, err := safetensors.OpenCheckpoint(path) // checks that all parts fit together
	if err != nil {
		return nil, err
	}
	checkpoint.Close()
	m := &model{dir: filepath.Dir(path), index: defaultIndex}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		m.dir = path
	}
	m.sharded = info.IsDir() || strings.HasSuffix(path, ".json")
	if err := m.open(path); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *model) open(path string) error {
	if !m.sharded {
		return m.add(filepath.Base(path), nil)
	}
	indexes, err := m.files(indexSuffix)
	if err != nil {
		return err
	}
	switch {
	case filepath.Clean(path) != filepath.Clean(m.dir):
		m.index = filepath.Base(path)
	case len(indexes) > 0:
		m.index = indexes[0]
	default:
		return m.openAll()
	}
	return m.openIndexed()
}

// openAll opens every safetensors file of a directory without an index.
func (m *model) openAll() error {
	names, err := m.files(".safetensors")
	for _, name := range names {
		if err == nil {
			err = m.add(name, nil)
		}
	}
	return err
}

// openIndexed opens the files of the index, each with the tensors that the index
// takes from it.
func (m *model) openIndexed() error {
	text, err := os.ReadFile(filepath.Join(m.dir, m.index))
	if err != nil {
		return err
	}
	var index indexFile
	if err := json.Unmarshal(text, &index); err != nil {
		return fmt.Errorf("%s: %w", m.index, err)
	}
	var names []string
	for _, name := range index.WeightMap {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := m.add(name, index.WeightMap); err != nil {
			return err
		}
	}
	return nil
}

// add opens a shard. owner, if not nil, says which shard a tensor is taken from.
func (m *model) add(name string, owner map[string]string) error {
	file, err := safetensors.Open(filepath.Join(m.dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	s := shard{name: name, file: file}
	for _, t := range file.Tensors() {
		if owner == nil || owner[t.Name] == name {
			s.tensors = append(s.tensors, t)
		}
	}
	m.shards = append(m.shards, s)
	return nil
}

// files returns the names of the files in the model's directory with that suffix.
func (m *model) files(suffix string) ([]string, error) {
	entries, err := os.ReadDir(m.dir)
	var names []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), suffix) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func (m *model) close() {
	for _, s := range m.shards {
		s.file.Close()
	}
}

// tensors yields the tensors of all shards.
func (m *model) tensors() iter.Seq[safetensors.Tensor] {
	return func(yield func(safetensors.Tensor) bool) {
		for _, s := range m.shards {
			for _, t := range s.tensors {
				if !yield(t) {
					return
				}
			}
		}
	}
}

func (m *model) bytes() (sum int64) {
	for t := range m.tensors() {
		sum += t.Bytes()
	}
	return sum
}

// checkTarget refuses a path whose replacement would lose something.
func (m *model) checkTarget(out string, force bool) error {
	info, err := os.Stat(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	own := []string{m.dir}
	for _, s := range m.shards {
		file := filepath.Join(m.dir, filepath.FromSlash(s.name))
		own = append(own, file, filepath.Dir(file))
	}
	for _, path := range own {
		if i, err := os.Stat(path); err == nil && os.SameFile(i, info) {
			return fmt.Errorf("%s: want a path other than the input's, got a part of it", out)
		}
	}
	switch {
	case !force:
		return fmt.Errorf("%s: want a path where nothing is, got one that exists (--force replaces it)", out)
	case info.IsDir() != m.sharded:
		return fmt.Errorf("%s: want %s as the input is one, got %s", out, kindOfPath(m.sharded), kindOfPath(info.IsDir()))
	case info.IsDir():
		return onlyCheckpoint(out)
	}
	return nil
}

func kindOfPath(dir bool) string {
	if dir {
		return "a directory"
	}
	return "a file"
}

// onlyCheckpoint refuses a directory that holds anything but safetensors files and
// indexes: it is not ours to replace.
func onlyCheckpoint(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".safetensors") && !strings.HasSuffix(e.Name(), indexSuffix) {
			return fmt.Errorf("%s: want only safetensors files and indexes in a directory to replace, got %s", dir, e.Name())
		}
	}
	return nil
}
