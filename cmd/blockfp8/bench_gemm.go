package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"blockfp8/gpu"
	"blockfp8/ref"
)

// benchGemmCommand times multiplications with ready codes and float32 scales of
// the activations and bf16 results, in CUDA graphs. The weights take turns, so
// that none is in the cache of the device when it is needed.
type benchGemmCommand struct {
	Device int         `default:"0" help:"Number of the device (${default})."`
	Shapes []gemmShape `placeholder:"NxK,..." default:"1536x4096,16384x1024,4096x4096,32768x1024,4096x8192,8192x1024,36864x7168" help:"Weights (${default})."`
	M      []int       `default:"1,8,16,64,512,4096" help:"Rows of activations (${default})."`
	Levels levels      `placeholder:"auto|all|0,1,..." default:"auto" help:"Levels of the kernel ladder: every form of all or some, or what the plan chooses (${default})."`
	Seed   uint64      `default:"1" help:"Seed of everything random."`
	Peers  string      `placeholder:"FILE" help:"Times of others on the same shapes, as harness.py bench --times writes them, for the table and the plot."`
	Plot   string      `placeholder:"FILE.png" help:"Draw the roofline with these results and those of --peers."`
	JSON   bool        `help:"Write JSON."`
}

// Run measures and prints.
func (c *benchGemmCommand) Run(con *console) error {
	if err := checkRows(c.M); err != nil {
		return err
	}
	return withDevice(c.Device, func(dev *gpu.Device) error {
		document := &gemmDocument{Device: describeDevice(dev)}
		var err error
		if document.Peers, err = readPeers(c.Peers); err != nil {
			return err
		}
		if err := c.measure(con, dev, document); err != nil {
			return err
		}
		return errors.Join(document.print(con, c.JSON), document.plot(c.Plot))
	})
}

func (c *benchGemmCommand) measure(con *console, dev *gpu.Device, document *gemmDocument) error {
	kernels := c.Levels.kernels()
	bar := newProgress(con.status, int64(len(c.Shapes)*len(kernels)), "measuring")
	defer bar.Clear()
	watch, err := newStopwatch(dev)
	if err != nil {
		return err
	}
	if document.CopyGBs, err = copyBandwidth(dev, watch); err != nil {
		return err
	}
	bench := gemmBench{con, dev, watch, rand.New(rand.NewPCG(c.Seed, 0))}
	for _, shape := range c.Shapes {
		bar.Describe(shape.String())
		weight, err := randomWeight(bench.rng, randomCodes(bench.rng, shape.N*shape.K), shape.N, shape.K)
		if err != nil {
			return err
		}
		for _, kernel := range kernels {
			results, err := bench.measureKernel(weight, kernel, c.M)
			if err != nil {
				return fmt.Errorf("%s: %w", shape, err)
			}
			for _, r := range results {
				document.Results = append(document.Results, r.rate(document.CopyGBs))
			}
			bar.Add(1)
		}
	}
	return nil
}

// gemmBench is what measurements of all shapes share.
type gemmBench struct {
	con   *console
	dev   *gpu.Device
	watch stopwatch
	rng   *rand.Rand
}

// measureKernel times one kernel, or the plan's choice, with those numbers of rows
// that it takes.
func (b *gemmBench) measureKernel(weight ref.Operand, kernel string, rows []int) (results []gemmResult, err error) {
	rows = rowsFor(b.dev.Target(), rows, weight, kernel)
	if len(rows) == 0 {
		return nil, nil
	}
	copies, err := uploadCopies(b.dev, weight, gpu.WeightOptions{Kernel: kernel})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeWeights(copies)) }()
	for _, m := range rows {
		if err := b.con.ctx.Err(); err != nil {
			return nil, err
		}
		result, err := b.measureRows(copies, m)
		if err != nil {
			return nil, fmt.Errorf("%d rows: %w", m, err)
		}
		results = append(results, result)
	}
	return results, nil
}

// rowsFor returns the numbers of rows that the kernel takes on a device.
func rowsFor(t gpu.Target, rows []int, weight ref.Operand, kernel string) (taken []int) {
	for _, m := range rows {
		_, err := gpu.NewPlan(t, gpu.Problem{
			M: m, N: weight.Rows(), K: weight.K(), BlockN: benchBlock, BlockK: benchBlock, E8M0: true, Output: benchOutput, Kernel: kernel,
		})
		if kernel == "" || !errors.Is(err, gpu.ErrUnsupported) {
			taken = append(taken, m)
		}
	}
	return taken
}

// uploadCopies makes as many weights of an operand as the device's cache cannot
// hold.
func uploadCopies(dev *gpu.Device, weight ref.Operand, o gpu.WeightOptions) ([]*gpu.Weight, error) {
	var copies []*gpu.Weight
	for range copiesOf(gemmShape{weight.Rows(), weight.K()}) {
		w, err := gpu.NewWeight(dev, weight, o)
		if err != nil {
			return nil, errors.Join(err, closeWeights(copies))
		}
		copies = append(copies, w)
	}
	return copies, nil
}
