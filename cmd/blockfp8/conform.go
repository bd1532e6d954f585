package main

import (
	"errors"
	"fmt"
	"time"

	"blockfp8/fuzz"
	"blockfp8/fuzz/external"
	"blockfp8/ref"
	"blockfp8/scale"
)

// conformCommand holds a program to the oracle.
type conformCommand struct {
	Command []string `arg:"" help:"After --: the command that multiplies. It is given folders, see docs/oracle.md: one as the argument {}, or many, a line each on its standard input."`

	Recipe string    `default:"auto" placeholder:"NAME" help:"A recipe (see blockfp8 recipes), or auto to find the one that the answers follow (${default})."`
	Output string    `enum:",bf16,fp16,float32" placeholder:"bf16|fp16|float32" default:"" help:"Output format; bf16 unless the recipe names one."`
	Block  blockSize `placeholder:"ROWSxCOLS" default:"128x128" help:"Block of the weights, rows by columns (${default})."`
	AsType string    `enum:"both,e8m0,fp32" placeholder:"both|e8m0|fp32" default:"both" help:"Scales of the activations that the kernel takes (${default})."`
	BsType string    `enum:"both,e8m0,fp32" placeholder:"both|e8m0|fp32" default:"both" help:"Scales of the weights that the kernel takes (${default})."`

	MinM    int    `default:"1" help:"Smallest M (${default})."`
	MaxM    int    `default:"150" help:"Largest M (${default})."`
	MaxN    int    `default:"300" help:"Largest N (${default})."`
	MaxK    int    `default:"1100" help:"Largest K (${default})."`
	StepM   int    `default:"1" help:"M is a multiple of this (${default})."`
	StepN   int    `default:"1" help:"N is a multiple of this (${default})."`
	StepK   int    `default:"1" help:"K is a multiple of this (${default})."`
	Empty   bool   `help:"Try M, N and K of 0 too."`
	Numbers string `enum:"any,finite,tame" placeholder:"any|finite|tame" default:"any" help:"Codes and scales: any, none that is NaN or infinite, or also scales near 1 only (${default})."`

	Problems int           `default:"1000" help:"Multiplications, at least (${default})."`
	Seed     uint64        `default:"1" help:"Seed of everything random."`
	Shrink   int           `default:"3000" help:"Most multiplications to make a failure smaller (${default})."`
	Timeout  time.Duration `default:"60s" help:"For one multiplication, the start of the command included (${default})."`
	Save     string        `placeholder:"DIR" default:"blockfp8-failure" help:"Where a failure is saved (${default})."`
	Replay   string        `placeholder:"DIR" help:"Try a saved failure again, and nothing else."`
	JSON     bool          `help:"Write JSON."`
}

// Run runs the suite on the program, or a single problem, and reports. The error is
// errDifferent if the program does not follow the recipe.
func (c *conformCommand) Run(con *console) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	named, limits, err := c.recipeAndLimits()
	if err != nil {
		return err
	}
	program, err := external.New(con.ctx, c.Command, external.Options{Limits: limits, Timeout: c.Timeout})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	x := &conformance{conformCommand: c, con: con, program: program}
	if c.Replay != "" {
		return x.replay(named)
	}
	if err := x.choose(named); err != nil {
		return err
	}
	if err := x.run(); err != nil {
		return err
	}
	return x.report()
}

func (c *conformCommand) check() error {
	var errs []error
	for _, number := range []struct {
		flag         string
		value, least int
	}{
		{"--min-m", c.MinM, 1},
		{"--step-m", c.StepM, 1},
		{"--step-n", c.StepN, 1},
		{"--step-k", c.StepK, 1},
		{"--max-m", c.MaxM, max(c.MinM, c.StepM)},
		{"--max-n", c.MaxN, c.StepN},
		{"--max-k", c.MaxK, c.StepK},
		{"--problems", c.Problems, 1},
		{"--shrink", c.Shrink, 1},
	} {
		if number.value < number.least {
			errs = append(errs, fmt.Errorf("%s: want at least %d, got %d", number.flag, number.least, number.value))
		}
	}
	if c.Timeout <= 0 {
		errs = append(errs, fmt.Errorf("--timeout: want some time, got %v", c.Timeout))
	}
	return errors.Join(errs...)
}

// recipeAndLimits is the recipe asked for, nil if it is to be found, and what the
// kernel takes. Scales inside an MMA are E8M0, whatever the flags say.
func (c *conformCommand) recipeAndLimits() (*ref.Recipe, fuzz.Limits, error) {
	output := c.Output
	var recipe *ref.Recipe
	if c.Recipe != autoRecipe {
		named, err := findRecipe(c.Recipe, c.Output)
		if err != nil {
			return nil, fuzz.Limits{}, err
		}
		r := named(c.Block.Cols)
		recipe, output = &r, r.Output.String()
	}
	f, err := outputFormat(output)
	l := fuzz.Limits{
		MinM: c.MinM, MaxM: c.MaxM, MaxN: c.MaxN, MaxK: c.MaxK, StepM: c.StepM, StepN: c.StepN, StepK: c.StepK,
		NoEmpty: !c.Empty, Finite: c.Numbers != "any", Tame: c.Numbers == "tame",
		Blocks:  []fuzz.Block{{Rows: c.Block.Rows, Cols: c.Block.Cols}},
		Outputs: []scale.Format{f}, ScalesA: scaleKinds[c.AsType], ScalesB: scaleKinds[c.BsType],
		Dense: true, WholeBlocks: true,
	}
	if recipe != nil && recipe.Scaling == ref.InMMA {
		l.ScalesA, l.ScalesB = fuzz.E8M0Scales, fuzz.E8M0Scales
	}
	return recipe, l, err
}

var scaleKinds = map[string]fuzz.ScaleKind{"both": fuzz.E8M0Scales | fuzz.FP32Scales, "e8m0": fuzz.E8M0Scales, "fp32": fuzz.FP32Scales}
