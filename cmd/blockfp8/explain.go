package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

// explainCommand runs one multiplication on an emulated chip and prints what its
// kernels did: a static picture of a card that need not be there.
type explainCommand struct {
	M      int      `arg:"" help:"Rows of activations."`
	N      int      `arg:"" help:"Rows of the weight."`
	K      int      `arg:"" help:"Columns of both."`
	Arch   chipName `default:"sm_120" placeholder:"sm_89|sm_90|sm_120|sm_121" help:"The chip (${default})."`
	Input  string   `enum:"codes,e8m0,bf16" default:"codes" help:"Activations: codes with float32 scales, codes with E8M0 scales, or bf16 that is quantised on the device (${default})."`
	Kernel string   `placeholder:"NAME" help:"A form of the kernel ladder instead of the plan's choice."`
	Seed   uint64   `default:"1" help:"Seed of everything random."`
	// The half rate is reported of plain MMAs with float32 sums.
	MMACycles float64 `name:"mma-cycles" placeholder:"CYCLES" help:"For the prediction: from one MMA of a multiprocessor to the next, 4 or, as reported of GeForce cards, 8; the product's if 0."`
	Tiles     bool    `help:"Predict the times of all forms of the kernel ladder, and multiply a corner only."`
	JSON      bool    `help:"Write JSON."`
}

// Run counts and prints.
func (c *explainCommand) Run(con *console) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Tiles {
		return c.runTiles(con)
	}
	dev, err := gpu.Emulate(gpu.Arch(c.Arch))
	if err != nil {
		return err
	}
	document, err := c.explain(con, dev)
	if err := errors.Join(err, dev.Close()); err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(con.out, document)
	}
	return document.write(con.out)
}

func (c *explainCommand) check() error {
	if c.M < 1 || c.N < 1 || c.K < 1 || c.K > maxElements/max(c.M, c.N) || c.N > maxElements/c.M {
		return &scale.Mismatch{
			Kind: scale.ErrShape, What: "multiplication", Want: fmt.Sprintf("M N K of at least 1, and at most %d elements in each operand", maxElements),
			Got: fmt.Sprintf("%d %d %d", c.M, c.N, c.K),
		}
	}
	return nil
}

// explain multiplies random operands and collects plan and counters.
func (c *explainCommand) explain(con *console, dev *gpu.Device) (*explainDocument, error) {
	rng := rand.New(rand.NewPCG(c.Seed, 0))
	b, err := randomWeight(rng, randomCodes(rng, c.N*c.K), c.N, c.K)
	if err != nil {
		return nil, err
	}
	input := explainInputs[c.Input]
	w, err := gpu.NewWeight(dev, b, gpu.WeightOptions{Kernel: c.Kernel, E8M0Activations: input == gpu.E8M0Input})
	if err != nil {
		return nil, err
	}
	plan, err := w.Plan(c.M, input, scale.BFloat16)
	if err != nil {
		return nil, err
	}
	atLoad := dev.Counters()
	out := gpu.Matrix[scale.BF16]{Rows: c.M, Cols: c.N, Stride: c.N, Data: make([]scale.BF16, c.M*c.N)}
	if err := con.wait(func() error { return c.multiply(rng, out, w, input) }); err != nil {
		return nil, err
	}
	d := &explainDocument{Chip: dev.Name(), Arch: dev.Arch().String(), M: c.M, N: c.N, K: c.K, Input: c.Input, Plan: plan}
	d.count(dev.Arch(), atLoad, dev.Counters())
	return d, c.predict(d)
}

func (c *explainCommand) multiply(rng *rand.Rand, out gpu.Matrix[scale.BF16], w *gpu.Weight, input gpu.Input) error {
	if input == gpu.BFloat16Input {
		x := gpu.Matrix[scale.BF16]{Rows: c.M, Cols: c.K, Stride: c.K, Data: make([]scale.BF16, c.M*c.K)}
		for i := range x.Data {
			x.Data[i] = scale.BF16FromFloat32(float32(rng.NormFloat64()))
		}
		return gpu.MatMul(out, x, w, gpu.HostOptions{Style: scale.StyleVLLM})
	}
	a, err := randomTokens(rng, c.M, c.K, input == gpu.E8M0Input)
	if err != nil {
		return err
	}
	return gpu.MatMulCodes(out, a, w, nil)
}

// explainInputs are the kinds of activations by their names in flags.
var explainInputs = map[string]gpu.Input{"codes": gpu.CodesInput, "e8m0": gpu.E8M0Input, "bf16": gpu.BFloat16Input}

// randomTokens makes activations [m,k] with E8M0 or float32 scales.
func randomTokens(rng *rand.Rand, m, k int, e8m0 bool) (ref.Operand, error) {
	layout := scale.RowMajor(m, k, 1, benchBlock)
	codes, values := make([]scale.E8M0, layout.Len()), make([]float32, layout.Len())
	for i := range codes {
		codes[i] = scale.E8M0(0x74 + rng.IntN(8))
		values[i] = codes[i].Float32() * (1 + rng.Float32())
	}
	grid, err := scale.NewFP32Grid(layout, values)
	if e8m0 {
		grid, err = scale.NewE8M0Grid(layout, codes)
	}
	if err != nil {
		return ref.Operand{}, err
	}
	return ref.NewOperand(scale.E4M3s(randomCodes(rng, m*k)), k, grid)
}
