package main

import (
	"fmt"
	"math/rand/v2"

	"blockfp8/gpu"
	"blockfp8/ref"
	"github.com/schollz/progressbar/v3"
)

// groupedWeight is the weights of one multiplication on the host.
type groupedWeight []ref.Operand

// randomStepWeights makes the weights of a step. All share the memory of their
// codes; every one has scales of its own.
func randomStepWeights(rng *rand.Rand, step []stepLinear) ([]groupedWeight, error) {
	largest := 0
	for _, l := range step {
		largest = max(largest, l.Groups*l.N*l.K)
	}
	codes := randomCodes(rng, largest)
	weights := make([]groupedWeight, len(step))
	for i, l := range step {
		for g := range l.Groups {
			o, err := randomWeight(rng, codes[g*l.N*l.K:], l.N, l.K)
			if err != nil {
				return nil, err
			}
			weights[i] = append(weights[i], o)
		}
	}
	return weights, nil
}

// decodeArm is the weights of a step in device memory, all with the same options.
type decodeArm struct {
	name       string
	weights    []*gpu.Weight
	cacheBytes int64
}

// decodeArms are the arms that are compared.
var decodeArms = []struct {
	name    string
	options gpu.WeightOptions
}{
	{"cached", gpu.WeightOptions{}},
	{"per call", gpu.WeightOptions{UncachedUpcast: true}},
}

func uploadArms(con *console, dev *gpu.Device, weights []groupedWeight, bar *progressbar.ProgressBar) ([]decodeArm, error) {
	var arms []decodeArm
	for _, a := range decodeArms {
		arm := decodeArm{name: a.name}
		for i, groups := range weights {
			if err := con.ctx.Err(); err != nil {
				return nil, err
			}
			w, err := gpu.NewGroupedWeight(dev, groups, a.options)
			if err != nil {
				return nil, fmt.Errorf("weight %d of %d: %w", i+1, len(weights), err)
			}
			arm.weights = append(arm.weights, w)
			arm.cacheBytes += w.CacheBytes()
			bar.Add(1)
		}
		arms = append(arms, arm)
	}
	return arms, nil
}
