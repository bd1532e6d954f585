package main

import (
	"fmt"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

// onDevice multiplies codes on a device. The recipe is the device's, or has to be
// the one that was asked for.
func onDevice(dev *gpu.Device, a, b ref.Operand, asked *ref.Recipe, output scale.Format) (ref.Matrix, ref.Recipe, error) {
	// Scales inside the MMA, where both operands have such and nothing else was asked
	// for.
	inside := a.Grid().IsE8M0() && b.Grid().IsE8M0() && (asked == nil || asked.Scaling == ref.InMMA)
	input := gpu.CodesInput
	if inside {
		input = gpu.E8M0Input
	}
	w, err := gpu.NewWeight(dev, b, gpu.WeightOptions{E8M0Activations: inside})
	if err != nil {
		return ref.Matrix{}, ref.Recipe{}, err
	}
	defer w.Close()
	plan, err := w.Plan(a.Rows(), input, output)
	if err != nil {
		return ref.Matrix{}, ref.Recipe{}, err
	}
	if asked != nil && *asked != plan.Recipe {
		return ref.Matrix{}, ref.Recipe{}, fmt.Errorf("want the recipe of %s, %v, got --recipe %v", dev.Name(), plan.Recipe, *asked)
	}
	var c ref.Matrix
	switch output {
	case scale.BFloat16:
		c, err = multiplyAs(a, w, scale.BF16.Float32)
	case scale.Float16:
		c, err = multiplyAs(a, w, scale.FP16.Float32)
	default:
		c, err = multiplyAs(a, w, func(v float32) float32 { return v })
	}
	return c, plan.Recipe, err
}

// multiplyAs multiplies with results of one format and widens them.
func multiplyAs[T gpu.Element](a ref.Operand, w *gpu.Weight, widen func(T) float32) (ref.Matrix, error) {
	c := ref.NewMatrix(a.Rows(), w.N())
	out := gpu.Matrix[T]{Rows: c.Rows, Cols: c.Cols, Stride: c.Stride, Data: make([]T, len(c.Data))}
	if err := gpu.MatMulCodes(out, a, w, nil); err != nil {
		return ref.Matrix{}, err
	}
	for i, v := range out.Data {
		c.Data[i] = widen(v)
	}
	return c, nil
}
