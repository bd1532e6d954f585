package main

import (
	"encoding/binary"
	"math/rand/v2"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

// benchActivations is random activations on the host and on the device. Every
// multiplication reads as many of them as it needs, from the start.
type benchActivations struct {
	rows  int
	input gpu.Input

	codes  []byte    // of CodesInput, with
	scales []float32 // these
	values []float32 // of the other inputs, exactly as the device has them

	data, scaleData *gpu.Buffer
}

// benchInputs are the kinds of activations by the name of the flag.
var benchInputs = map[string]gpu.Input{"codes": gpu.CodesInput, "float32": gpu.Float32Input, "bf16": gpu.BFloat16Input}

// alignedStride is the distance between rows of width elements: what copies of 16
// bytes want.
func alignedStride(width int) int { return (width + 15) / 16 * 16 }

// randomActivations draws activations [rows, width] on the host.
func randomActivations(rng *rand.Rand, input gpu.Input, rows, width int) *benchActivations {
	a := &benchActivations{rows: rows, input: input}
	size := rows * alignedStride(width)
	if input != gpu.CodesInput {
		a.values = normal(rng, size)
		if input == gpu.BFloat16Input {
			for i, v := range a.values {
				a.values[i] = scale.BF16FromFloat32(v).Float32()
			}
		}
		return a
	}
	a.codes = randomCodes(rng, size)
	a.scales = make([]float32, rows*blocksOf(width))
	for i := range a.scales {
		a.scales[i] = (1 + rng.Float32()) / 448
	}
	return a
}

// upload copies the activations to the device.
func (a *benchActivations) upload(dev *gpu.Device, s *gpu.Stream) (err error) {
	if a.data, err = uploadBytes(dev, s, a.bytes()); err != nil || a.scales == nil {
		return err
	}
	a.scaleData, err = uploadBytes(dev, s, floatsAsBytes(a.scales))
	return err
}

// close gives the device's memory back.
func (a *benchActivations) close() error { return closeBuffers(a.data, a.scaleData) }

// bytes is what the device reads.
func (a *benchActivations) bytes() []byte {
	switch a.input {
	case gpu.Float32Input:
		return floatsAsBytes(a.values)
	case gpu.BFloat16Input:
		b := make([]byte, 0, 2*len(a.values))
		for _, v := range a.values {
			b = binary.LittleEndian.AppendUint16(b, uint16(scale.BF16FromFloat32(v)))
		}
		return b
	}
	return a.codes
}

// of returns the activations of a multiplication by rows of width elements.
func (a *benchActivations) of(width int) gpu.Activations {
	return gpu.Activations{
		Input: a.input, Data: gpu.Region{Buffer: a.data}, Stride: alignedStride(width),
		Scales: gpu.Region{Buffer: a.scaleData}, ScaleRow: blocksOf(width), ScaleCol: 1, Style: scale.StyleVLLM,
	}
}

// operand returns the same for the oracle.
func (a *benchActivations) operand(width int) (ref.Operand, error) {
	stride := alignedStride(width)
	if a.input != gpu.CodesInput {
		codes, grid, err := scale.QuantizeActivations(a.values, a.rows, width, stride, benchBlock, scale.StyleVLLM)
		if err != nil {
			return ref.Operand{}, err
		}
		return ref.NewOperand(codes, width, grid)
	}
	grid, err := scale.NewFP32Grid(scale.RowMajor(a.rows, width, 1, benchBlock), a.scales)
	if err != nil {
		return ref.Operand{}, err
	}
	return ref.NewOperand(scale.E4M3s(a.codes), stride, grid)
}
