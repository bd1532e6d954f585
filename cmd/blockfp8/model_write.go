package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"blockfp8/safetensors"
)

// indexFile is a checkpoint's index.
type indexFile struct {
	Metadata struct {
		TotalSize int64 `json:"total_size"`
	} `json:"metadata"`
	WeightMap map[string]string `json:"weight_map"`
}

// writeDirectory makes the directory out with a file for each shard, written by
// writeShard, and an index. It is built beside out and moved there when complete.
func (m *model) writeDirectory(out string, writeShard func(s shard, path string) error) error {
	out = filepath.Clean(out)
	building := fmt.Sprintf("%s.%016x.tmp", out, rand.Uint64())
	if err := os.Mkdir(building, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(building) // gone already when it was moved
	index := indexFile{WeightMap: map[string]string{}}
	for _, s := range m.shards {
		path := filepath.Join(building, filepath.FromSlash(s.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := writeShard(s, path); err != nil {
			return err
		}
		if err := index.add(s.name, path); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(building, m.index), append(text, '\n'), 0o666); err != nil {
		return err
	}
	return replaceDirectory(building, out)
}

// add lists the tensors of the file at path under name.
func (x *indexFile) add(name, path string) error {
	f, err := safetensors.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, t := range f.Tensors() {
		x.WeightMap[t.Name] = name
		x.Metadata.TotalSize += t.Bytes()
	}
	return nil
}

// replaceDirectory moves from to to. What was at to is kept until the move has
// succeeded.
func replaceDirectory(from, to string) error {
	old := from + ".old"
	err := os.Rename(to, old)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(from, to)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return errors.Join(err, os.Rename(old, to))
	}
	return os.RemoveAll(old)
}
