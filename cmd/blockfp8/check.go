package main

import (
	"cmp"
	"fmt"

	"blockfp8/ref"
	"blockfp8/scale"
)

// autoRecipe asks check to try every recipe.
const autoRecipe = "auto"

// checkCommand compares a kernel's result with the oracle's.
type checkCommand struct {
	A          string     `required:"" placeholder:"FILE" help:"Codes of the activations [M,K]: .npy, .safetensors or .safetensors:TENSOR."`
	As         string     `required:"" placeholder:"FILE" help:"Scales of the activations."`
	B          string     `required:"" placeholder:"FILE" help:"Codes of the weights [N,K]."`
	Bs         string     `required:"" placeholder:"FILE" help:"Scales of the weights."`
	C          string     `required:"" placeholder:"FILE" help:"The kernel's result [M,N]; uint16 holds the bits of a 16-bit output."`
	Recipe     string     `required:"" placeholder:"NAME" help:"A recipe (see blockfp8 recipes), or auto to try all of them."`
	Block      blockSize  `placeholder:"ROWSxCOLS" default:"128x128" help:"Block of the weights, rows by columns (${default})."`
	ABlock     blockSize  `placeholder:"ROWSxCOLS" help:"Block of the activations; 1 row by the columns of --block if left out."`
	AsType     scaleType  `enum:",e8m0,fp32" placeholder:"e8m0|fp32" default:"" help:"What --as holds; uint8 scales need it."`
	BsType     scaleType  `enum:",e8m0,fp32" placeholder:"e8m0|fp32" default:"" help:"What --bs holds; uint8 scales need it."`
	ScaleOrder string     `enum:"row,col" placeholder:"row|col" default:"row" help:"Order of both grids: row is [rows, K blocks], col is [K blocks, rows] (${default})."`
	AsOrder    string     `enum:",row,col" placeholder:"row|col" default:"" help:"Order of --as, if not --scale-order."`
	BsOrder    string     `enum:",row,col" placeholder:"row|col" default:"" help:"Order of --bs, if not --scale-order."`
	Output     string     `enum:",bf16,fp16,float32" placeholder:"bf16|fp16|float32" default:"" help:"Output format; bf16 unless the recipe names one."`
	Device     deviceName `default:"auto" placeholder:"auto|oracle|NUMBER|sm_120" help:"Where blockfp8's own kernel multiplies the same operands, if its recipe is the one that is checked; oracle runs none (${default})."`
	First      int        `default:"10" help:"Differences to show, at most 64."`
	JSON       bool       `help:"Write JSON."`
}

// Run compares and reports; the error is errDifferent if any bit differs.
func (c *checkCommand) Run(con *console) error {
	if c.First < 0 {
		return fmt.Errorf("--first: want at least 0, got %d", c.First)
	}
	if c.Recipe == autoRecipe {
		return c.runAuto(con)
	}
	named, err := findRecipe(c.Recipe, c.Output)
	if err != nil {
		return err
	}
	recipe := named(c.Block.Cols)
	p, err := c.load(recipe.Output)
	if err != nil {
		return err
	}
	report, err := p.compare(con, recipe)
	if err != nil {
		return err
	}
	return c.print(con, p, checkDocument{}, recipe, report)
}

// product is a multiplication and what a kernel made of it.
type product struct {
	a, b ref.Operand
	got  ref.Matrix
}

func (c *checkCommand) load(f scale.Format) (product, error) {
	aBlock := c.ABlock
	if aBlock.isZero() {
		aBlock = blockSize{1, c.Block.Cols}
	}
	var p product
	var err error
	a := operandFiles{Name: "A", Codes: c.A, Scales: c.As, ScaleType: c.AsType, Order: cmp.Or(c.AsOrder, c.ScaleOrder), Block: aBlock}
	if p.a, err = a.read(); err != nil {
		return p, err
	}
	b := operandFiles{Name: "B", Codes: c.B, Scales: c.Bs, ScaleType: c.BsType, Order: cmp.Or(c.BsOrder, c.ScaleOrder), Block: c.Block}
	if p.b, err = b.read(); err != nil {
		return p, err
	}
	if p.got, err = readResult(c.C, f); err != nil {
		return p, err
	}
	if m, n := p.a.Rows(), p.b.Rows(); p.got.Rows != m || p.got.Cols != n {
		return p, fmt.Errorf("result C: %s: want shape [%d %d], got [%d %d]", c.C, m, n, p.got.Rows, p.got.Cols)
	}
	return p, ref.Exact(f).Check(p.a, p.b)
}

// compare multiplies under the recipe and compares.
func (p product) compare(con *console, recipe ref.Recipe) (ref.Report, error) {
	want := ref.NewMatrix(p.a.Rows(), p.b.Rows())
	if err := con.wait(func() error { return ref.MatMul(want, p.a, p.b, recipe) }); err != nil {
		return ref.Report{}, err
	}
	return ref.Compare(p.got, want, recipe.Output)
}

// print writes the document, completed with the report on recipe.
func (c *checkCommand) print(con *console, p product, d checkDocument, recipe ref.Recipe, report ref.Report) error {
	report.First = report.First[:min(len(report.First), c.First)]
	if err := report.Explain(p.a, p.b, recipe); err != nil {
		return err
	}
	d.Recipe = recipe.String()
	d.fill(report)
	var err error
	if d.Kernel, err = p.compareKernel(con, c.Device, recipe); err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(con.out, d)
	} else {
		err = d.write(con.out, recipe, report)
	}
	if err == nil && !report.Equal() {
		err = errDifferent
	}
	return err
}
