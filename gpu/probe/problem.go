package probe

import (
	"fmt"
	"math"
	"math/rand/v2"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

// problem is a multiplication for the kernels.
type problem struct {
	nature string
	a, b   ref.Operand
	output scale.Format
}

func (p problem) String() string {
	l := p.b.Grid().Layout()
	return fmt.Sprintf("M=%d N=%d K=%d, blocks %dx%d, %s, %v", p.a.Rows(), p.b.Rows(), p.b.K(), l.BlockRows, l.BlockCols, p.nature, p.output)
}

// natures are what the numbers of a problem are like.
var natures = [...]struct {
	name  string
	code  func(rng *rand.Rand) scale.E4M3
	scale func(rng *rand.Rand) scale.E8M0
}{
	{"finite codes", drawFinite, scaleNearOne},
	{"few NaN", drawRareNaN, scaleNearOne},
	{"extreme scales", drawFinite, func(rng *rand.Rand) scale.E8M0 {
		return [...]scale.E8M0{0x00, 0x01, 0x34, 0x40, 0x7E, 0x7F, 0x80, 0xC0, 0xFE, 0xFF}[rng.IntN(10)]
	}},
	{"zeros and subnormal codes", func(rng *rand.Rand) scale.E4M3 { return drawSign(rng) | scale.E4M3(rng.IntN(8)*rng.IntN(2)) }, scaleNearOne},
	{"largest codes of both signs", func(rng *rand.Rand) scale.E4M3 { return drawSign(rng) | scale.E4M3(0x7E-rng.IntN(3)) }, scaleNearOne},
}

func drawRareNaN(rng *rand.Rand) scale.E4M3 {
	if rng.IntN(1000) == 0 {
		return scale.NaNE4M3
	}
	return drawFinite(rng)
}

func scaleNearOne(rng *rand.Rand) scale.E8M0 { return scale.E8M0(0x7F - 6 + rng.IntN(13)) }

// shapes go through the tiles of the kernels, their tails, and the block sizes.
var shapes = [...]struct{ m, n, k, blockN, blockK int }{
	{3, 17, 129, 128, 128},
	{1, 136, 1024, 128, 128},
	{16, 72, 512, 128, 128},
	{9, 33, 144, 32, 32},
	{40, 136, 384, 128, 128},
	{5, 50, 320, 64, 64},
	{70, 40, 96, 48, 96},
}

// drawProblem draws problem n: natures, shapes, kinds of scales and outputs take
// turns.
func drawProblem(n int, seed uint64) (p problem, err error) {
	rng := rand.New(rand.NewPCG(seed, 1000+uint64(n)))
	shape, nature := shapes[n%len(shapes)], natures[n%len(natures)]
	p.nature, p.output = nature.name, scale.Format(n%3)
	draw := func(rows, blockRows int, e8m0 bool) (ref.Operand, error) {
		codes := make([]scale.E4M3, rows*shape.k)
		for i := range codes {
			codes[i] = nature.code(rng)
		}
		grid, err := drawGrid(rng, scale.RowMajor(rows, shape.k, blockRows, shape.blockK), nature.scale, e8m0)
		if err != nil {
			return ref.Operand{}, err
		}
		return ref.NewOperand(codes, shape.k, grid)
	}
	if p.a, err = draw(shape.m, 1, n%4 != 1); err != nil {
		return p, err
	}
	p.b, err = draw(shape.n, shape.blockN, n%4 != 3)
	return p, err
}

// drawGrid draws a grid of powers of two or of any float32s of the same exponents.
func drawGrid(rng *rand.Rand, l scale.Layout, draw func(*rand.Rand) scale.E8M0, e8m0 bool) (scale.Grid, error) {
	codes := make([]scale.E8M0, l.Len())
	values := make([]float32, l.Len())
	for i := range codes {
		codes[i] = draw(rng)
		values[i] = math.Float32frombits(math.Float32bits(codes[i].Float32()) | uint32(rng.IntN(1<<23)))
	}
	if e8m0 {
		return scale.NewE8M0Grid(l, codes)
	}
	return scale.NewFP32Grid(l, values)
}

// multiply runs the problem on a weight of its b.
func (p problem) multiply(w *gpu.Weight) (ref.Matrix, error) {
	switch p.output {
	case scale.BFloat16:
		return multiply(w, p.a, scale.BF16.Float32)
	case scale.Float16:
		return multiply(w, p.a, scale.FP16.Float32)
	}
	return multiply(w, p.a, func(v float32) float32 { return v })
}

func multiply[T gpu.Element](w *gpu.Weight, a ref.Operand, widen func(T) float32) (ref.Matrix, error) {
	c := gpu.Matrix[T]{Rows: a.Rows(), Cols: w.N(), Stride: w.N(), Data: make([]T, a.Rows()*w.N())}
	if err := gpu.MatMulCodes(c, a, w, nil); err != nil {
		return ref.Matrix{}, err
	}
	wide := ref.NewMatrix(c.Rows, c.Cols)
	for i, v := range c.Data {
		wide.Data[i] = widen(v)
	}
	return wide, nil
}
