package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"blockfp8/scale"
)

// blockSize is the extent of a block as written in flags, such as 128x128: rows
// by columns. The zero value means that none was given.
type blockSize struct{ Rows, Cols int }

// UnmarshalText reads ROWSxCOLS.
func (b *blockSize) UnmarshalText(text []byte) error {
	rows, cols, ok := strings.Cut(string(text), "x")
	r, errRows := strconv.Atoi(rows)
	c, errCols := strconv.Atoi(cols)
	if !ok || errRows != nil || errCols != nil || r < 1 || c < 1 {
		return &scale.Mismatch{Kind: scale.ErrBlock, What: "block", Want: "ROWSxCOLS such as 128x128", Got: strconv.Quote(string(text))}
	}
	*b = blockSize{r, c}
	return nil
}

func (b blockSize) String() string { return fmt.Sprintf("%dx%d", b.Rows, b.Cols) }

// MarshalText writes what UnmarshalText reads.
func (b blockSize) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

func (b blockSize) isZero() bool { return b == blockSize{} }

// defaultBlock is the block of DeepSeek-V3 and V4.
var defaultBlock = blockSize{128, 128}

// configuredBlock returns the block size that the config.json of a checkpoint
// states, or defaultBlock where there is none: safetensors files do not say it,
// and a grid's shape fits many.
func configuredBlock(checkpoint string) (blockSize, error) {
	dir := checkpoint
	if info, err := os.Stat(checkpoint); err == nil && !info.IsDir() {
		dir = filepath.Dir(checkpoint)
	}
	path := filepath.Join(dir, "config.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return defaultBlock, nil
	}
	if err != nil {
		return blockSize{}, err
	}
	var config struct {
		Quantization struct {
			Block []int `json:"weight_block_size"`
		} `json:"quantization_config"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return blockSize{}, fmt.Errorf("%s: %w", path, err)
	}
	switch b := config.Quantization.Block; {
	case len(b) == 0:
		return defaultBlock, nil
	case len(b) == 2 && b[0] > 0 && b[1] > 0:
		return blockSize{b[0], b[1]}, nil
	default:
		return blockSize{}, fmt.Errorf("%s: %w", path, &scale.Mismatch{Kind: scale.ErrBlock, What: "weight_block_size", Want: "two positive numbers", Got: fmt.Sprint(b)})
	}
}
