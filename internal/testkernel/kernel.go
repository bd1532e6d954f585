// Package testkernel is a program of package external's kind, right or wrong in a
// chosen way. Tests run themselves as it.
package testkernel

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"blockfp8/fuzz/external"
	"blockfp8/internal/tensor"
	"blockfp8/ref"
	"blockfp8/scale"
)

// variable is where a process finds that it is to be a kernel, and how.
const variable = "BLOCKFP8_TESTKERNEL"

// RunIfAsked makes the process a kernel if it was started as one, and then never
// returns. TestMain calls it first.
func RunIfAsked() {
	how, asked := os.LookupEnv(variable)
	if !asked {
		return
	}
	if err := run(how, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

// Command is the command line that runs the present program as a kernel.
func Command(how string, args ...string) []string {
	return slices.Concat([]string{"env", variable + "=" + how, os.Args[0]}, args)
}

// Recipe is what the right kernel follows.
var Recipe = ref.F32ScaleMMA(ref.SM120, 128, scale.BFloat16)

func run(how string, args []string) error {
	if len(args) > 0 {
		return answer(how, args[0])
	}
	if how == "chatty" {
		fmt.Println("compiling kernels ... done") // which is no answer
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if err := answer(how, in.Text()); err != nil {
			return err
		}
		if how == "ends" { // and leaves saying so to its status
			return nil
		}
		fmt.Println("done", in.Text())
	}
	return in.Err()
}

// answer writes C, or does what a broken program does.
func answer(how, folder string) error {
	p, err := read(folder)
	if err != nil {
		return err
	}
	result := filepath.Join(folder, "c.npy")
	switch how {
	case "crashes":
		if p.a.Rows() > 2 {
			return fmt.Errorf("illegal memory access of row %d", p.a.Rows()-1)
		}
	case "hangs":
		fmt.Fprintln(os.Stderr, "waiting for a barrier")
		time.Sleep(time.Hour)
	case "silent":
		return nil
	case "rubbish":
		return os.WriteFile(result, []byte("rubbish"), 0o666)
	case "codes":
		return tensor.Tensor{DType: "U8", Shape: []int{p.a.Rows(), p.b.Rows()}, Data: make([]byte, p.a.Rows()*p.b.Rows())}.WriteNPY(result)
	case "transposed":
		return external.WriteResult(result, ref.NewMatrix(p.b.Rows(), p.a.Rows()), p.output)
	}
	c, err := p.multiply(faults[how])
	if err != nil {
		return err
	}
	return external.WriteResult(result, c, p.output)
}

// faults are wrong kernels: what they make of a problem.
var faults = map[string]func(p *problem){
	// The last block of K gets the scale of the one before.
	"last-scale": func(p *problem) {
		p.eachScaleOfB(func(i, j, _, cols int) (int, int) { return i, min(j, max(0, cols-2)) })
	},
	// B's grid is read with rows and columns exchanged, as far as it goes.
	"grid": func(p *problem) {
		p.eachScaleOfB(func(i, j, rows, cols int) (int, int) { return min(j, rows-1), min(i, cols-1) })
	},
	// What is left of K after whole blocks of 32 is not multiplied.
	"tail": func(p *problem) {
		codes, stride := p.b.Codes()
		for row := range p.b.Rows() {
			clear(codes[row*stride+p.b.K()/32*32 : row*stride+p.b.K()])
		}
	},
}

// problem is a folder that was read.
type problem struct {
	a, b   ref.Operand
	output scale.Format
}

func read(folder string) (p *problem, err error) {
	text, err := os.ReadFile(filepath.Join(folder, "problem.json"))
	if err != nil {
		return nil, err
	}
	var d external.Description
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	p = new(problem)
	if p.output, err = scale.ParseFormat(d.Output); err != nil {
		return nil, err
	}
	if p.a, err = operand(folder, "a", d.ABlock); err != nil {
		return nil, err
	}
	p.b, err = operand(folder, "b", d.BBlock)
	return p, err
}

func operand(folder, name string, block [2]int) (ref.Operand, error) {
	codes, err := tensor.Read(filepath.Join(folder, name+".npy"))
	if err != nil {
		return ref.Operand{}, err
	}
	scales, err := tensor.Read(filepath.Join(folder, name+"s.npy"))
	if err != nil {
		return ref.Operand{}, err
	}
	l := scale.RowMajor(codes.Shape[0], codes.Shape[1], block[0], block[1])
	grid, err := scale.NewE8M0Grid(l, scale.E8M0s(scales.Data))
	if scales.DType == "F32" {
		var values []float32
		if values, err = scales.Floats(); err == nil {
			grid, err = scale.NewFP32Grid(l, values)
		}
	}
	if err != nil {
		return ref.Operand{}, err
	}
	return ref.NewOperand(scale.E4M3s(codes.Data), codes.Shape[1], grid)
}

func (p *problem) multiply(fault func(p *problem)) (ref.Matrix, error) {
	r := Recipe
	r.Output = p.output
	c := ref.NewMatrix(p.a.Rows(), p.b.Rows())
	if fault != nil {
		fault(p)
	}
	return c, ref.MatMul(c, p.a, p.b, r)
}

// eachScaleOfB takes every scale of B from elsewhere in its grid of so many rows and
// columns.
func (p *problem) eachScaleOfB(from func(i, j, rows, cols int) (int, int)) {
	g := p.b.Grid()
	l := g.Layout()
	e8m0, fp32 := slices.Clone(g.Codes()), slices.Clone(g.Values())
	for i := range l.GridRows() {
		for j := range l.GridCols() {
			to := l.Index(i, j)
			at := l.Index(from(i, j, l.GridRows(), l.GridCols()))
			if g.IsE8M0() {
				g.Codes()[to] = e8m0[at]
			} else {
				g.Values()[to] = fp32[at]
			}
		}
	}
}
