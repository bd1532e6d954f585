package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"blockfp8/gpu"
	"github.com/schollz/progressbar/v3"
)

// benchDecodeCommand replays the dense FP8 multiplications of one decode step of
// DeepSeek-V4-Flash, with the weights of all layers in device memory, once with
// cached float32 scales and once with an upcast at each call.
type benchDecodeCommand struct {
	Device  int    `default:"0" help:"Number of the device (${default})."`
	TP      int    `name:"tp" enum:"1,2" default:"1" placeholder:"1|2" help:"Ranks of tensor parallelism, of which one is replayed (${default})."`
	M       []int  `default:"1,6,12" help:"Rows of activations (${default})."`
	WoA     bool   `name:"wo-a" help:"Add the grouped multiplication by wo_a of each layer."`
	Input   string `enum:"codes,float32,bf16" placeholder:"codes|float32|bf16" default:"codes" help:"Activations: ready codes, or numbers that each call quantises (${default})."`
	Samples int    `default:"6" help:"Samples of each arm; the arms take turns (${default})."`
	Steps   int    `default:"10" help:"Steps of which a sample is the mean (${default})."`
	Seed    uint64 `default:"1" help:"Seed of everything random."`
	JSON    bool   `help:"Write JSON."`
}

// Run measures and prints; the error is errDifferent if the arms do not give the
// same bits, or not those of the oracle.
func (c *benchDecodeCommand) Run(con *console) error {
	if err := c.check(); err != nil {
		return err
	}
	return withDevice(c.Device, func(dev *gpu.Device) error {
		document, err := c.measure(con, dev)
		if err != nil {
			return err
		}
		return document.print(con, c.JSON)
	})
}

func (c *benchDecodeCommand) check() error {
	if err := checkRows(c.M); err != nil {
		return err
	}
	if err := checkAtLeastOne("--samples", c.Samples); err != nil {
		return err
	}
	return checkAtLeastOne("--steps", c.Steps)
}

func (c *benchDecodeCommand) measure(con *console, dev *gpu.Device) (*decodeDocument, error) {
	step := decodeStep(c.TP, c.WoA)
	rng := rand.New(rand.NewPCG(c.Seed, 0))
	weights, err := randomStepWeights(rng, step)
	if err != nil {
		return nil, err
	}
	bar := newProgress(con.status, int64(len(decodeArms)*(len(step)+len(c.M)*(c.Samples+1))), "uploading")
	defer bar.Clear()
	bench := decodeBench{benchDecodeCommand: c, con: con, dev: dev, bar: bar}
	if bench.arms, err = uploadArms(con, dev, weights, bar); err != nil {
		return nil, err
	}
	if bench.watch, err = newStopwatch(dev); err != nil {
		return nil, err
	}
	bench.document = &decodeDocument{
		Device: describeDevice(dev), TP: c.TP, Input: c.Input, Samples: c.Samples, Steps: c.Steps, Size: sizeOf(step),
	}
	bar.Describe("measuring")
	for _, m := range c.M {
		a := randomActivations(rng, benchInputs[c.Input], m, widest(step))
		if err := bench.measureRows(stepOperands{step, weights, a}); err != nil {
			return nil, fmt.Errorf("%d rows: %w", m, err)
		}
	}
	return bench.document, nil
}

// decodeBench is a benchmark whose weights are in device memory.
type decodeBench struct {
	*benchDecodeCommand
	con      *console
	dev      *gpu.Device
	watch    stopwatch
	arms     []decodeArm
	document *decodeDocument
	bar      *progressbar.ProgressBar
}

// stepOperands is one decode step on the host.
type stepOperands struct {
	step        []stepLinear
	weights     []groupedWeight
	activations *benchActivations
}

// measureRows checks and measures all arms with the step's activations.
func (b *decodeBench) measureRows(o stepOperands) (err error) {
	if err := o.activations.upload(b.dev, b.watch.stream); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.activations.close()) }()
	replays := make([]*decodeReplay, len(b.arms))
	for i, arm := range b.arms {
		if replays[i], err = newDecodeReplay(b.dev, b.watch.stream, arm, o); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, replays[i].close()) }()
	}
	bits, err := checkReplays(b.watch.stream, replays, o, b.Seed)
	if err != nil {
		return err
	}
	b.document.add(bits)
	b.bar.Add(len(b.arms))
	ways := waysOf(replays)
	samples, err := interleave(b.Samples, len(ways), func(i int) (timing, error) {
		if err := b.con.ctx.Err(); err != nil {
			return timing{}, err
		}
		if i == 0 {
			b.bar.Add(len(b.arms))
		}
		return b.watch.mean(b.Steps, ways[i].give)
	})
	if err != nil {
		return err
	}
	for i, way := range ways {
		b.document.Rows = append(b.document.Rows, newDecodeRow(o.activations.rows, way, samples[i]))
	}
	return nil
}

// widest is the longest row of activations of a step.
func widest(step []stepLinear) (width int) {
	for _, l := range step {
		width = max(width, l.width())
	}
	return width
}
