package safetensors_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"blockfp8/safetensors"
)

const indexName = "model.safetensors.index.json"

func bytesTensor(name string, value byte) []byte {
	return image(fmt.Sprintf(`{"%s":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}`, name), value)
}

// shards writes a (1) to one file, and b (2) and c (3) to another.
func shards(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	save(t, dir, "model-1.safetensors", bytesTensor("a", 1))
	save(t, dir, "model-2.safetensors", image(`{"b":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"c":{"dtype":"U8","shape":[],"data_offsets":[1,2]}}`, 2, 3))
	return dir
}

func TestCheckpoint(t *testing.T) {
	indexed := shards(t)
	// Of b and c the index lists b alone, so b alone is part of the model.
	index := save(t, indexed, indexName, []byte(`{"metadata":{"total_size":2,"more":[{}]},"weight_map":{"b":"model-2.safetensors","a":"model-1.safetensors"}}`))
	plain := shards(t)
	for _, c := range []struct{ name, path, want string }{
		{"an index", index, "a=1 b=2 "},
		{"a directory with an index", indexed, "a=1 b=2 "},
		{"a directory without", plain, "a=1 b=2 c=3 "},
		{"a file", filepath.Join(plain, "model-2.safetensors"), "b=2 c=3 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkpoint, err := safetensors.OpenCheckpoint(c.path)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			for _, tensor := range checkpoint.Tensors() {
				b, err := checkpoint.Read(tensor.Name)
				if err != nil {
					t.Fatal(err)
				}
				got += fmt.Sprintf("%s=%d ", tensor.Name, b[0])
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if err := checkpoint.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := checkpoint.Read("b"); !errors.Is(err, os.ErrClosed) {
				t.Errorf("Read after Close: %v", err)
			}
		})
	}
}

func TestCheckpointInSubdirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "part"), 0o755); err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "part"), "1.safetensors", bytesTensor("a", 1))
	save(t, dir, indexName, []byte(`{"weight_map":{"a":"part/1.safetensors"}}`))
	c, err := safetensors.OpenCheckpoint(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestCheckpointRefuses(t *testing.T) {
	for _, c := range []struct {
		name, index string
		kind        error
		tensor      string
	}{
		{"tensor not in its file", `{"weight_map":{"a":"model-2.safetensors"}}`, safetensors.ErrIndex, "a"},
		{"path to the parent", `{"weight_map":{"a":"../model-1.safetensors"}}`, safetensors.ErrIndex, "a"},
		{"path out and in again", `{"weight_map":{"a":"x/../../model-1.safetensors"}}`, safetensors.ErrIndex, "a"},
		{"absolute path", `{"weight_map":{"a":"/model-1.safetensors"}}`, safetensors.ErrIndex, "a"},
		{"no path", `{"weight_map":{"a":""}}`, safetensors.ErrIndex, "a"},
		{"tensor twice", `{"weight_map":{"a":"model-1.safetensors","a":"model-2.safetensors"}}`, safetensors.ErrDuplicate, "a"},
		{"map twice", `{"weight_map":{},"weight_map":{}}`, safetensors.ErrDuplicate, "weight_map"},
		{"no map", `{"metadata":{}}`, safetensors.ErrIndex, ""},
		{"map of numbers", `{"weight_map":{"a":1}}`, safetensors.ErrIndex, ""},
		{"not JSON", `weights`, safetensors.ErrIndex, ""},
		{"broken metadata", `{"metadata":{`, safetensors.ErrIndex, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := shards(t)
			save(t, dir, indexName, []byte(c.index))
			_, err := safetensors.OpenCheckpoint(dir)
			wantError(t, err, c.kind, c.tensor)
		})
	}
}

func TestCheckpointMissing(t *testing.T) {
	dir := shards(t)
	index := save(t, dir, indexName, []byte(`{"weight_map":{"a":"model-3.safetensors"}}`))
	if _, err := safetensors.OpenCheckpoint(index); !errors.Is(err, safetensors.ErrIndex) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing shard: %v, want ErrIndex and fs.ErrNotExist", err)
	}
	save(t, dir, "b.safetensors.index.json", []byte(`{"weight_map":{}}`))
	_, err := safetensors.OpenCheckpoint(dir)
	wantError(t, err, safetensors.ErrIndex, "") // two indexes
	_, err = safetensors.OpenCheckpoint(t.TempDir())
	wantError(t, err, safetensors.ErrNotFound, "")
	if _, err := safetensors.OpenCheckpoint(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing path: %v", err)
	}
}

func TestIndexOverTheLimit(t *testing.T) {
	path := save(t, t.TempDir(), indexName, []byte(`{}`))
	if err := os.Truncate(path, safetensors.MaxHeader+1); err != nil {
		t.Fatal(err)
	}
	_, err := safetensors.OpenCheckpoint(path)
	wantError(t, err, safetensors.ErrHeaderSize, "")
}

func TestConcurrentReads(t *testing.T) {
	c, err := safetensors.OpenCheckpoint(shards(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var group sync.WaitGroup
	for range 8 {
		for name, want := range map[string]byte{"a": 1, "b": 2, "c": 3} {
			group.Go(func() {
				if b, err := c.Read(name); err != nil || b[0] != want {
					t.Errorf("Read(%s) = %v, %v; want %d", name, b, err, want)
				}
			})
		}
	}
	group.Wait()
}

func TestCheckpointTensorInTwoFiles(t *testing.T) {
	dir := shards(t)
	save(t, dir, "model-3.safetensors", bytesTensor("a", 4))
	_, err := safetensors.OpenCheckpoint(dir)
	wantError(t, err, safetensors.ErrDuplicate, "a")
	// An index says which of the two counts.
	save(t, dir, indexName, []byte(`{"weight_map":{"a":"model-3.safetensors","b":"model-2.safetensors"}}`))
	c, err := safetensors.OpenCheckpoint(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if b, err := c.Read("a"); err != nil || b[0] != 4 {
		t.Errorf("Read(a) = %v, %v; want 4", b, err)
	}
}
