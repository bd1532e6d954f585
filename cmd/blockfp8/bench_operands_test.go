package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

func fixedRandom() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func TestRandomCodes(t *testing.T) {
	codes := randomCodes(fixedRandom(), 100_001)
	seen := map[byte]bool{}
	for _, c := range codes {
		seen[c] = true
	}
	if len(codes) != 100_001 || len(seen) != 254 || seen[0x7F] || seen[0xFF] {
		t.Errorf("%d codes of %d kinds, NaN %t %t; want 100001 of 254, none NaN", len(codes), len(seen), seen[0x7F], seen[0xFF])
	}
}

func TestRandomStepWeights(t *testing.T) {
	step := []stepLinear{{"a", 2, 130, 256}, {"b", 1, 128, 128}, {"b", 1, 128, 128}}
	weights, err := randomStepWeights(fixedRandom(), step)
	if err != nil {
		t.Fatal(err)
	}
	if len(weights) != 3 || len(weights[0]) != 2 || len(weights[1]) != 1 {
		t.Fatalf("got %d weights of %d and %d groups", len(weights), len(weights[0]), len(weights[1]))
	}
	a := weights[0]
	if a[0].Rows() != 130 || a[0].K() != 256 || len(a[0].Grid().Codes()) != 4 || slices.Equal(a[0].Row(0), a[1].Row(0)) {
		t.Errorf("groups %v and %v, want two different [130,256]", a[0], a[1])
	}
}

// TestActivationsAsOperand compares what the device would read with what the
// oracle is given.
func TestActivationsAsOperand(t *testing.T) {
	const rows, widest, width = 3, 384, 136 // width is no multiple of 16 or of the block
	codes := randomActivations(fixedRandom(), gpu.CodesInput, rows, widest)
	o, err := codes.operand(width)
	if err != nil {
		t.Fatal(err)
	}
	if at := codes.of(width); at.Stride != 144 || at.ScaleRow != 2 || at.ScaleCol != 1 {
		t.Errorf("got %+v, want stride 144 and scales [2 1]", at)
	}
	if got, want := byte(o.Row(2)[5]), codes.bytes()[2*144+5]; got != want {
		t.Errorf("code (2, 5) is %#x, want %#x", got, want)
	}
	if got, want := o.Grid().At(2, 1), codes.scales[5]; got != want {
		t.Errorf("scale (2, 1) is %g, want %g", got, want)
	}
	for input, size := range map[gpu.Input]int{gpu.Float32Input: 4, gpu.BFloat16Input: 2} {
		numbers := randomActivations(fixedRandom(), input, rows, widest)
		if got, want := len(numbers.bytes()), rows*widest*size; got != want {
			t.Errorf("input %d: %d bytes, want %d", input, got, want)
		}
		o, err := numbers.operand(width)
		if err != nil {
			t.Fatal(err)
		}
		row, grid, err := scale.QuantizeActivations(numbers.values[144:], 1, width, width, 128, scale.StyleVLLM)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(o.Row(1), row) || o.Grid().At(1, 1) != grid.At(0, 1) {
			t.Errorf("input %d: row 1 of the operand is not that of the numbers", input)
		}
	}
}

// TestStepElement holds the spot check's element to a plain multiplication.
func TestStepElement(t *testing.T) {
	step := []stepLinear{{"a", 1, 8, 128}, {"b", 2, 5, 256}}
	weights, err := randomStepWeights(fixedRandom(), step)
	if err != nil {
		t.Fatal(err)
	}
	o := stepOperands{step, weights, randomActivations(fixedRandom(), gpu.BFloat16Input, 3, widest(step))}
	recipe := ref.F32ScaleMMA(ref.SM120, 128, scale.BFloat16)
	a, err := o.activations.operand(512)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = a.SliceK(256, 512); err != nil {
		t.Fatal(err)
	}
	want := ref.NewMatrix(3, 5)
	if err := ref.MatMul(want, a, weights[1][1], recipe); err != nil {
		t.Fatal(err)
	}
	for m := range 3 {
		for n := range 5 {
			if got, err := o.element(1, 1, m, n, recipe); err != nil || got != want.Row(m)[n] {
				t.Errorf("element (%d, %d) is %g, %v, want %g", m, n, got, err, want.Row(m)[n])
			}
		}
	}
}
