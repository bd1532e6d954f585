package main

import (
	"fmt"
	"math/rand/v2"

	"blockfp8/internal/tensor"
	"blockfp8/ref"
	"blockfp8/scale"
)

// activationSource makes the activations of a layer.
type activationSource struct {
	rows   int
	style  scale.ActivationStyle
	seed   uint64
	values []float32 // [rows, K] from a file, the same for every layer; nil if random
}

// withFile takes the activations from a file, whose K must be that of every layer.
func (s activationSource) withFile(arg string, layers []layer) (activationSource, error) {
	t, err := tensor.Read(arg)
	if err != nil {
		return s, err
	}
	rows, cols, err := t.Matrix()
	if err != nil {
		return s, err
	}
	for _, l := range layers {
		if l.layout.Cols != cols {
			return s, t.Wrong(fmt.Sprintf("K = %d for layer %s (--layer chooses layers)", l.layout.Cols, l.Layer), fmt.Sprint(cols))
		}
	}
	s.rows = rows
	s.values, err = t.Floats()
	return s, err
}

// maxElements bounds the activations and the result of a layer: 4 GiB each.
const maxElements = 1 << 30

// checkSize refuses a multiplication that no memory holds.
func (s activationSource) checkSize(l layer) error {
	for _, extent := range []int{l.layout.Rows, l.layout.Cols} {
		if extent > 0 && s.rows > maxElements/extent {
			return fmt.Errorf("want at most %d elements of activations and of the result, got M = %d, N = %d, K = %d", maxElements, s.rows, l.layout.Rows, l.layout.Cols)
		}
	}
	return nil
}

// operand quantises activations for l, in groups as long as its blocks.
func (s activationSource) operand(l layer) (ref.Operand, error) {
	k := l.layout.Cols
	values := s.values
	if values == nil {
		values = normal(rand.New(rand.NewPCG(s.seed, nameHash(l.Layer))), s.rows*k)
	}
	codes, grid, err := scale.QuantizeActivations(values, s.rows, k, max(k, 1), l.layout.BlockCols, s.style)
	if err != nil {
		return ref.Operand{}, err
	}
	return ref.NewOperand(codes, max(k, 1), grid)
}

// normal draws n values of the standard normal distribution.
func normal(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}
