package main

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"

	"blockfp8/safetensors"
	"blockfp8/scale"
)

// flashLinears are dense linears of one DeepSeek-V4-Flash layer with their real
// shapes.
var flashLinears = []struct {
	layer string
	n, k  int
}{
	{"layers.0.attn.wq_a", 1024, 4096},
	{"layers.0.attn.wkv", 512, 4096},
	{"layers.0.attn.wo_b", 4096, 8192},
}

// writeExample writes a checkpoint with those linears, divided by divisor, to dir.
func writeExample(ctx context.Context, dir string, divisor int, seed uint64) error {
	var tensors []safetensors.Tensor
	for _, l := range flashLinears {
		layout := scale.RowMajor(shrink(l.n, divisor), shrink(l.k, divisor), defaultBlock.Rows, defaultBlock.Cols)
		pair := pairTensors(l.layer, safetensors.DotScale, safetensors.F8_E8M0, layout)
		tensors = append(tensors, pair[:]...)
	}
	w, err := safetensors.Create(filepath.Join(dir, "model.safetensors"), tensors, nil)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, l := range flashLinears {
		if err := ctx.Err(); err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(seed, ^nameHash(l.layer)))
		n, k := shrink(l.n, divisor), shrink(l.k, divisor)
		codes, grid, err := scale.QuantizeWeights(exampleWeights(rng, n, k), n, k, k, defaultBlock.Rows, defaultBlock.Cols, scale.WeightE8M0)
		if err != nil {
			return err
		}
		if err := writePair(w, l.layer, safetensors.DotScale, codes, grid); err != nil {
			return err
		}
	}
	return w.Close()
}

// shrink divides an extent to a multiple of 32, one MMA, that is no multiple of a
// block, so that the last block is partly filled. Divided by 1 it stays.
func shrink(extent, divisor int) int {
	if divisor == 1 {
		return extent
	}
	const step = 32
	small := (max(extent/divisor, 1) + step - 1) / step * step
	if small%defaultBlock.Cols == 0 {
		small += step
	}
	return small
}

// exampleWeights draws normal weights whose size differs from block to block by
// powers of two, so that a wrong scale is seen.
func exampleWeights(rng *rand.Rand, n, k int) []float32 {
	w := normal(rng, n*k)
	layout := scale.RowMajor(n, k, defaultBlock.Rows, defaultBlock.Cols)
	size := make([]float32, layout.Len())
	for i := range size {
		size[i] = float32(math.Ldexp(0.02, rng.IntN(9)-4))
	}
	for i := range w {
		w[i] *= size[layout.IndexOf(i/k, i%k)]
	}
	return w
}
