package safetensors

import (
	"fmt"
	"os"
	"path/filepath"
)

// index is the weight_map of a sharded checkpoint.
type index struct {
	names  []string          // tensors, in the index's order
	shards map[string]string // file, by tensor
}

func readIndex(path string) (index, error) {
	info, err := os.Stat(path)
	if err != nil {
		return index{}, err
	}
	if info.Size() > MaxHeader {
		return index{}, &Error{Kind: ErrHeaderSize, Want: fmt.Sprintf("an index of at most %d bytes", MaxHeader), Got: fmt.Sprint(info.Size())}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return index{}, err
	}
	return parseIndex(b)
}

func parseIndex(b []byte) (index, error) {
	x := index{}
	err := parse(b, ErrIndex, func(p *parser, key string) error {
		if key != "weight_map" {
			return p.skip()
		}
		x.shards = map[string]string{}
		return p.texts(x.add)
	})
	if err == nil && x.shards == nil {
		err = &Error{Kind: ErrIndex, Want: "a weight_map", Got: "none"}
	}
	return x, err
}

// add refuses a path that leaves the directory: an index comes from a download
// and must not reach the rest of the disk.
func (x *index) add(tensor, shard string) error {
	if !filepath.IsLocal(filepath.FromSlash(shard)) {
		return &Error{Kind: ErrIndex, Tensor: tensor, Want: "a file in the index's directory", Got: fmt.Sprintf("%q", shard)}
	}
	x.names = append(x.names, tensor)
	x.shards[tensor] = shard
	return nil
}
