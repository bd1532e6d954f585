package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"

	"blockfp8/ref"
	"blockfp8/safetensors"
	"blockfp8/scale"
)

// runCommand multiplies the FP8 layers of a checkpoint, on a device and with the
// oracle.
type runCommand struct {
	Checkpoint  string     `arg:"" optional:"" help:"A safetensors file, an index or a directory. Without it a small checkpoint in the manner of DeepSeek-V4-Flash is made and removed again."`
	M           *int       `help:"Rows of activations; 16, or those of the file, if left out."`
	ScaleDown   int        `default:"8" help:"Divisor of the real shapes where a checkpoint is made; 1 is the real layer."`
	Device      deviceName `default:"auto" placeholder:"auto|oracle|NUMBER|sm_120" help:"What multiplies: a CUDA device, an emulated chip, the oracle alone, or CUDA device 0 and the emulated sm_120 where there is none (${default})."`
	Recipe      string     `placeholder:"NAME" help:"A recipe (see blockfp8 recipes); that of the device, or sm120, if left out. With --device=auto a recipe means the oracle."`
	Output      string     `enum:",bf16,fp16,float32" placeholder:"bf16|fp16|float32" default:"" help:"Output format; bf16 unless the recipe names one."`
	Activations string     `placeholder:"FILE" help:"Activations [M,K] as .npy, .safetensors or .safetensors:TENSOR instead of random ones."`
	Style       string     `enum:"vllm,deepseek" placeholder:"vllm|deepseek" default:"vllm" help:"How activations are quantised: vllm has fp32 scales, deepseek powers of two (${default})."`
	Seed        uint64     `default:"1" help:"Seed of everything random."`
	Layer       string     `default:"*" placeholder:"GLOB" help:"Layers to multiply, by name without .weight (${default})."`
	Block       blockSize  `placeholder:"ROWSxCOLS" help:"Block of the weights; that of config.json, or 128x128, if left out."`
	JSON        bool       `help:"Write JSON."`
}

// Run multiplies, spot-checks and prints; the error is errDifferent if MatMul and
// Element disagree anywhere.
func (c *runCommand) Run(con *console) error {
	if c.M != nil && *c.M < 0 {
		return fmt.Errorf("--m: want at least 0, got %d", *c.M)
	}
	if c.ScaleDown < 1 {
		return fmt.Errorf("--scale-down: want at least 1, got %d", c.ScaleDown)
	}
	m, err := c.multiplier()
	if err != nil {
		return err
	}
	defer m.close()
	if c.Checkpoint != "" {
		return c.multiply(con, c.Checkpoint, m)
	}
	dir, err := os.MkdirTemp("", "blockfp8-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := writeExample(con.ctx, dir, c.ScaleDown, c.Seed); err != nil {
		return err
	}
	return c.multiply(con, dir, m)
}

func (c *runCommand) multiply(con *console, path string, m *multiplier) error {
	checkpoint, block, err := openLayers(path, c.Block)
	if err != nil {
		return err
	}
	defer checkpoint.Close()
	layers, err := selectLayers(checkpoint, block, c.Layer)
	if err != nil {
		return err
	}
	source, err := c.source(layers)
	if err != nil {
		return err
	}
	document := runDocument{Checkpoint: c.Checkpoint, Device: m.where, M: source.rows, Style: source.style.String(), Block: block}
	if m.dev != nil {
		document.name = m.dev.Name()
	}
	m.blockK = block.Cols
	if err := document.multiply(con, checkpoint, layers, source, m); err != nil {
		return err
	}
	return document.print(con, c.JSON)
}

// multiply multiplies the layers, of which one at a time is in memory.
func (d *runDocument) multiply(con *console, checkpoint *safetensors.Checkpoint, layers []layer, source activationSource, m *multiplier) error {
	bar := newProgress(con.status, int64(len(layers)), "multiplying")
	defer bar.Clear()
	for _, l := range layers {
		err := con.wait(func() error {
			result, err := multiplyLayer(checkpoint, l, source, m)
			d.add(result)
			return err
		})
		if err != nil {
			return fmt.Errorf("layer %s: %w", l.Layer, err)
		}
		bar.Add(1)
	}
	return nil
}

// source makes the activations, which are random unless there is a file.
func (c *runCommand) source(layers []layer) (activationSource, error) {
	s := activationSource{rows: defaultRows, seed: c.Seed, style: scale.StyleVLLM}
	if c.Style == "deepseek" {
		s.style = scale.StyleDeepSeek
	}
	if c.M != nil {
		s.rows = *c.M
	}
	if c.Activations == "" {
		return s, nil
	}
	s, err := s.withFile(c.Activations, layers)
	if err == nil && c.M != nil && *c.M != s.rows {
		err = fmt.Errorf("%s: want %d rows as in --m, got %d", c.Activations, *c.M, s.rows)
	}
	return s, err
}

// defaultRows is how many activations are multiplied unless something else is
// asked for.
const defaultRows = 16

// multiplyLayer reads one layer, multiplies it and checks what came out.
func multiplyLayer(checkpoint *safetensors.Checkpoint, l layer, source activationSource, m *multiplier) (layerResult, error) {
	result := layerResult{Layer: l.Layer, N: l.layout.Rows, K: l.layout.Cols}
	if err := source.checkSize(l); err != nil {
		return result, err
	}
	b, err := l.operand(checkpoint)
	if err != nil {
		return result, err
	}
	a, err := source.operand(l)
	if err != nil {
		return result, err
	}
	got, recipe, err := m.multiply(a, b, &result)
	if err != nil {
		return result, explainStyle(err)
	}
	result.Recipe = recipe.String()
	exact := ref.NewMatrix(a.Rows(), b.Rows())
	if err := ref.MatMul(exact, a, b, ref.Exact(recipe.Output)); err != nil {
		return result, err
	}
	report, err := ref.Compare(got, exact, recipe.Output)
	if err != nil {
		return result, err
	}
	result.MaxULP = report.MaxULP
	result.Checksum = fmt.Sprintf("%016x", checksum(got, recipe.Output))
	return result, result.spotCheck(got, a, b, recipe, source.seed)
}

// explainStyle adds what to do to the error of a recipe that wants E8M0 scales.
func explainStyle(err error) error {
	if errors.Is(err, scale.ErrInexact) {
		return fmt.Errorf("%w (--style deepseek makes E8M0 scales for the activations)", err)
	}
	return err
}

// spots is how many elements of a layer are checked with ref.Element.
const spots = 64

// spotCheck compares some elements with the literal oracle: the corners and
// random ones.
func (r *layerResult) spotCheck(c ref.Matrix, a, b ref.Operand, recipe ref.Recipe, seed uint64) error {
	if c.Rows == 0 || c.Cols == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, nameHash(r.Layer)))
	m, n := c.Rows-1, c.Cols-1
	where := [][2]int{{0, 0}, {0, n}, {m, 0}, {m, n}}
	for len(where) < spots {
		where = append(where, [2]int{rng.IntN(c.Rows), rng.IntN(c.Cols)})
	}
	for _, at := range where {
		want, err := ref.Element(a, b, recipe, at[0], at[1])
		if err != nil {
			return err
		}
		r.checked++
		if ref.ULPDistance(c.Row(at[0])[at[1]], want, recipe.Output) != 0 {
			r.different++
		}
	}
	return nil
}

func ulpText(ulp uint64) string {
	if ulp == math.MaxUint64 {
		return "NaN"
	}
	return strconv.FormatUint(ulp, 10)
}
