package fuzz_test

import (
	"errors"
	"fmt"

	"blockfp8/fuzz"
	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

// device makes an implementation of a gpu.Device: copy it to hold a card of your
// own, or one of its kernels by name, to the oracle.
type device struct {
	dev     *gpu.Device
	options gpu.WeightOptions
	limits  fuzz.Limits
}

func (d device) Limits() fuzz.Limits {
	l := d.limits
	l.Concurrent = true
	if d.options.E8M0Activations {
		l.ScalesA, l.ScalesB = fuzz.E8M0Scales, fuzz.E8M0Scales
	}
	return l
}

// Recipe asks the plan, which needs neither memory nor work.
func (d device) Recipe(_, b ref.Operand, output scale.Format) (ref.Recipe, error) {
	l := b.Grid().Layout()
	p := gpu.Problem{
		M: 1, N: l.Rows, K: l.Cols, BlockN: l.BlockRows, BlockK: l.BlockCols, RowOffset: l.RowOffset, E8M0: b.Grid().IsE8M0(), Output: output,
		E8M0Activations: d.options.E8M0Activations, UncachedUpcast: d.options.UncachedUpcast, Kernel: d.options.Kernel,
	}
	if p.E8M0Activations {
		p.Input = gpu.E8M0Input
	}
	plan, err := gpu.NewPlan(d.dev.Target(), p)
	return plan.Recipe, refusal(err)
}

func (d device) Multiply(dst ref.Matrix, a, b ref.Operand, output scale.Format) error {
	w, err := gpu.NewWeight(d.dev, b, d.options)
	if err != nil {
		return refusal(err)
	}
	return errors.Join(multiply(dst, a, w, output), w.Close())
}

// Keep lets the suite update and close weights.
func (d device) Keep(b ref.Operand) (fuzz.Weight, error) {
	w, err := gpu.NewWeight(d.dev, b, d.options)
	if err != nil {
		return nil, refusal(err)
	}
	return keptWeight{w}, nil
}

type keptWeight struct{ *gpu.Weight }

func (w keptWeight) Multiply(dst ref.Matrix, a ref.Operand, output scale.Format) error {
	return multiply(dst, a, w.Weight, output)
}

// refusal tells what a device does not do from what it does wrong.
func refusal(err error) error {
	if errors.Is(err, gpu.ErrUnsupported) || errors.Is(err, scale.ErrBlock) {
		return fmt.Errorf("%w: %w", fuzz.ErrUnsupported, err)
	}
	return err
}

func multiply(dst ref.Matrix, a ref.Operand, w *gpu.Weight, output scale.Format) error {
	switch output {
	case scale.BFloat16:
		return narrow(dst, a, w, scale.BF16.Float32)
	case scale.Float16:
		return narrow(dst, a, w, func(v scale.FP16) float32 { return v.Float32() })
	}
	return refusal(gpu.MatMulCodes(gpu.Matrix[float32](dst), a, w, nil))
}

// narrow multiplies into 16-bit elements between guard elements, and widens them.
func narrow[T scale.BF16 | scale.FP16](dst ref.Matrix, a ref.Operand, w *gpu.Weight, widen func(T) float32) error {
	c := gpu.Matrix[T]{Rows: dst.Rows, Cols: dst.Cols, Stride: dst.Stride, Data: make([]T, len(dst.Data))}
	if err := gpu.MatMulCodes(c, a, w, nil); err != nil {
		return refusal(err)
	}
	for m := range dst.Rows {
		for n := range dst.Row(m) {
			dst.Row(m)[n] = widen(c.Data[m*c.Stride+n])
		}
	}
	return nil
}
