package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"
)

// The exit codes.
const (
	exitOK        = 0
	exitDifferent = 1
	exitBadInput  = 2
)

// errDifferent says that a check found differing bits. The command has printed
// its report by then.
var errDifferent = errors.New("differing bits")

// cli is the grammar of the command line.
type cli struct {
	Version kong.VersionFlag `help:"Print the version and exit."`

	Run      runCommand      `cmd:"" help:"Multiply the FP8 layers of a checkpoint with the oracle."`
	Inspect  inspectCommand  `cmd:"" help:"Show the FP8 layers of a checkpoint and their scale codes."`
	Quantize quantizeCommand `cmd:"" help:"Quantise the weights of a checkpoint to FP8."`
	Check    checkCommand    `cmd:"" help:"Check a kernel's result against the oracle, bit for bit."`
	Conform  conformCommand  `cmd:"" help:"Hold a program to the oracle: your kernel, in any language."`
	Recipes  recipesCommand  `cmd:"" help:"List the recipes that have a name."`
	Explain  explainCommand  `cmd:"" help:"Run a multiplication on an emulated chip and show what its kernels do."`
	Probe    probeCommand    `cmd:"" help:"Check on a GPU that it does what the models of its arithmetic say, and print a report to publish."`
	Bench    benchCommand    `cmd:"" help:"Measure the kernels on a GPU."`
}

// console is where a command writes, and what tells it to stop.
type console struct {
	ctx    context.Context
	out    io.Writer // results
	status io.Writer // progress
}

// wait runs a task that cannot stop halfway and leaves nothing behind. It returns
// early when the console is interrupted.
func (con *console) wait(task func() error) error {
	done := make(chan error, 1)
	go func() { done <- task() }()
	select {
	case err := <-done:
		return err
	case <-con.ctx.Done():
		return con.ctx.Err()
	}
}

// execute runs the command line args and returns the exit code.
func execute(args []string, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	exited := -1
	parser, err := kong.New(&cli{},
		kong.Name("blockfp8"),
		kong.Description("Block-scaled FP8 weights: multiply, inspect, make and check them. Exit codes: 0 all is well, 1 a check found differing bits, 2 bad input."),
		kong.Vars{"version": "blockfp8 " + version()},
		kong.Writers(out, errs),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		return fail(errs, err)
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help or --version has answered
		return exited
	}
	if err != nil {
		return fail(errs, fmt.Errorf("%w (see blockfp8 --help)", err))
	}
	return fail(errs, parsed.Run(&console{ctx: ctx, out: out, status: errs}))
}

// fail reports err and returns the exit code for it.
func fail(errs io.Writer, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errDifferent):
		return exitDifferent
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	fmt.Fprintf(errs, "blockfp8: %v\n", err)
	return exitBadInput
}

// version is the module's version as the Go toolchain recorded it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
