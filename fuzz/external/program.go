package external

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"blockfp8/fuzz"
	"blockfp8/ref"
	"blockfp8/scale"
)

// Options says what a program does.
type Options struct {
	Recipe ref.Recipe  // what decides the bits of its answers
	Limits fuzz.Limits // what it takes. Files have no placement, so Dense and WholeBlocks always hold.
	// Timeout is for one problem, which includes starting the command where that
	// is due, and kernels that are compiled when first called. 0 means a minute.
	Timeout time.Duration
}

// Program is a command that multiplies. It is a [fuzz.Implementation] for one
// goroutine at a time. Close it.
type Program struct {
	Options Options // may be changed between problems
	ctx     context.Context
	process process
	dir     string // where the folders are
	asked   int
}

// New returns the program that a command is. It is started with the first problem
// and ends with ctx at the latest. A command that does not exist is an error.
func New(ctx context.Context, command []string, o Options) (*Program, error) {
	process, err := newProcess(command)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "blockfp8-conform-")
	if err != nil {
		return nil, err
	}
	return &Program{Options: o, ctx: ctx, process: process, dir: dir}, nil
}

// Close ends the command and removes what was written for it.
func (p *Program) Close() error {
	p.process.close()
	return os.RemoveAll(p.dir)
}

// Limits are those of the options.
func (p *Program) Limits() fuzz.Limits {
	l := p.Options.Limits
	l.Dense, l.WholeBlocks, l.Concurrent = true, true, false
	return l
}

// Recipe is that of the options, for its output.
func (p *Program) Recipe(_, _ ref.Operand, output scale.Format) (ref.Recipe, error) {
	if r := p.Options.Recipe; r.Output != output {
		return r, fmt.Errorf("%w: the recipe is %v, the output %v", fuzz.ErrUnsupported, r, output)
	}
	return p.Options.Recipe, nil
}

// Multiply asks the command. Answers that are late, missing, or of the wrong shape or
// type are errors that say what was expected.
func (p *Program) Multiply(dst ref.Matrix, a, b ref.Operand, output scale.Format) error {
	r, err := p.Recipe(a, b, output)
	if err != nil {
		return err
	}
	if err := r.Check(a, b); err != nil {
		return err
	}
	if dst.Rows != a.Rows() || dst.Cols != b.Rows() {
		return &scale.Mismatch{
			Kind: scale.ErrShape, What: "result",
			Want: fmt.Sprintf("[%d,%d]", a.Rows(), b.Rows()), Got: fmt.Sprintf("[%d,%d]", dst.Rows, dst.Cols),
		}
	}
	c, err := p.Ask(a, b, output)
	if err != nil {
		return err
	}
	for m := range dst.Rows {
		copy(dst.Row(m), c.Row(m))
	}
	return nil
}

// Ask returns the command's answer, whatever the recipe is.
func (p *Program) Ask(a, b ref.Operand, output scale.Format) (c ref.Matrix, err error) {
	p.asked++
	folder := filepath.Join(p.dir, fmt.Sprintf("%06d", p.asked))
	if err := os.Mkdir(folder, 0o777); err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	recipe := ""
	if p.Options.Recipe != (ref.Recipe{}) {
		recipe = p.Options.Recipe.String()
	}
	if err := Write(folder, a, b, output, recipe); err != nil {
		return c, err
	}
	if err := p.process.answer(p.ctx, folder, p.timeout()); err != nil {
		return c, err
	}
	if c, err = readResult(folder, a.Rows(), b.Rows(), output); err != nil {
		err = p.process.fault(err.Error())
	}
	return c, err
}

func (p *Program) timeout() time.Duration {
	if p.Options.Timeout == 0 {
		return time.Minute
	}
	return p.Options.Timeout
}
