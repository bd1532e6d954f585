package main

import (
	"fmt"
	"path"

	"blockfp8/internal/tensor"
	"blockfp8/ref"
	"blockfp8/safetensors"
	"blockfp8/scale"
)

// layer is an FP8 layer whose scales belong to its weight.
type layer struct {
	safetensors.Pair
	layout scale.Layout
}

// openLayers opens a checkpoint, whose block size is the given one or else the
// configured one.
func openLayers(path string, given blockSize) (*safetensors.Checkpoint, blockSize, error) {
	checkpoint, err := safetensors.OpenCheckpoint(path)
	if err != nil {
		return nil, given, err
	}
	if given.isZero() {
		given, err = configuredBlock(path)
	}
	if err != nil {
		checkpoint.Close()
		return nil, given, err
	}
	return checkpoint, given, nil
}

// newLayer checks that the shapes of a pair fit the block.
func newLayer(p safetensors.Pair, block blockSize) (layer, error) {
	if len(p.Weight.Shape) != 2 {
		return layer{}, fmt.Errorf("%s: want a weight of shape [N K], got %v", p.Weight.Name, p.Weight.Shape)
	}
	l := layer{p, scale.RowMajor(int(p.Weight.Shape[0]), int(p.Weight.Shape[1]), block.Rows, block.Cols)}
	if err := l.layout.Validate(); err != nil {
		return layer{}, fmt.Errorf("%s: %w", p.Weight.Name, err)
	}
	got := p.Scale.Shape
	if len(got) != 2 || got[0] != int64(l.layout.GridRows()) || got[1] != int64(l.layout.GridCols()) {
		return layer{}, fmt.Errorf("%s: want shape [%d %d] for %v in %v blocks, got %v (--block sets the block)",
			p.Scale.Name, l.layout.GridRows(), l.layout.GridCols(), p.Weight.Shape, block, got)
	}
	return l, nil
}

// selectLayers returns the layers whose name matches the pattern of [path.Match].
func selectLayers(checkpoint *safetensors.Checkpoint, block blockSize, pattern string) ([]layer, error) {
	pairs, _, err := checkpoint.Pairs()
	if err != nil {
		return nil, err
	}
	var layers []layer
	for _, p := range pairs {
		match, err := path.Match(pattern, p.Layer)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		if !match {
			continue
		}
		l, err := newLayer(p, block)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	if len(layers) == 0 {
		return nil, fmt.Errorf("want FP8 layers that match %q, got none among %d", pattern, len(pairs))
	}
	return layers, nil
}

// grid reads the scales.
func (l layer) grid(checkpoint *safetensors.Checkpoint) (scale.Grid, error) {
	data, err := checkpoint.Read(l.Scale.Name)
	if err != nil {
		return scale.Grid{}, err
	}
	return makeGrid(l.layout, tensor.Tensor{Source: l.Scale.Name, DType: l.Scale.DType, Data: data}, undeclared)
}

// operand reads weight and scales.
func (l layer) operand(checkpoint *safetensors.Checkpoint) (ref.Operand, error) {
	grid, err := l.grid(checkpoint)
	if err != nil {
		return ref.Operand{}, fmt.Errorf("%s: %w", l.Scale.Name, err)
	}
	codes, err := checkpoint.E4M3(l.Weight.Name)
	if err != nil {
		return ref.Operand{}, err
	}
	return ref.NewOperand(codes, l.layout.Cols, grid)
}
