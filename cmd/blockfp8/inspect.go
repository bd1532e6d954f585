package main

import (
	"fmt"
	"math"

	"blockfp8/safetensors"
	"blockfp8/scale"
)

// inspectCommand shows what a checkpoint holds. It reads scales, never weights.
type inspectCommand struct {
	Checkpoint string    `arg:"" help:"A safetensors file, an index or a directory."`
	Block      blockSize `placeholder:"ROWSxCOLS" help:"Block of the weights; that of config.json, or 128x128, if left out."`
	JSON       bool      `help:"Write JSON."`
}

// Run prints every FP8 layer, the scale codes and what does not fit. Scales that do
// not fit their weights are an error after everything else has been shown.
func (c *inspectCommand) Run(con *console) error {
	checkpoint, block, err := openLayers(c.Checkpoint, c.Block)
	if err != nil {
		return err
	}
	defer checkpoint.Close()
	d := inspectDocument{Checkpoint: c.Checkpoint, Block: block, Layers: []layerInfo{}, Unpaired: []string{}}
	if err := d.survey(con, checkpoint); err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(con.out, d)
	} else {
		err = d.write(con.out)
	}
	if err == nil && len(d.Problems) > 0 {
		err = fmt.Errorf("%s: want scales that fit %v blocks, got %d layers whose do not", c.Checkpoint, block, len(d.Problems))
	}
	return err
}

// survey fills the document.
func (d *inspectDocument) survey(con *console, checkpoint *safetensors.Checkpoint) error {
	pairs, unpaired, err := checkpoint.Pairs()
	if err != nil {
		return err
	}
	bar := newProgress(con.status, int64(len(pairs)), "reading scales")
	defer bar.Clear()
	for _, p := range pairs {
		if err := con.ctx.Err(); err != nil {
			return err
		}
		if err := d.surveyPair(checkpoint, p); err != nil {
			return err
		}
		bar.Add(1)
	}
	for _, t := range unpaired {
		d.Unpaired = append(d.Unpaired, t.Name)
	}
	return nil
}

func (d *inspectDocument) surveyPair(checkpoint *safetensors.Checkpoint, p safetensors.Pair) error {
	l, err := newLayer(p, d.Block)
	if err != nil {
		d.Problems = append(d.Problems, err.Error())
		return nil
	}
	grid, err := l.grid(checkpoint)
	if err != nil {
		d.Problems = append(d.Problems, fmt.Sprintf("%s: %v", p.Scale.Name, err))
		return nil
	}
	info := layerInfo{
		Layer: p.Layer, N: l.layout.Rows, K: l.layout.Cols, Naming: string(p.Naming), ScaleType: string(p.Scale.DType),
		Grid: [2]int{l.layout.GridRows(), l.layout.GridCols()},
	}
	for i := range l.layout.GridRows() {
		for j := range l.layout.GridCols() {
			d.count(&info, grid, i, j)
		}
	}
	scales := int64(info.Grid[0] * info.Grid[1])
	d.BytesE8M0 += scales
	d.BytesFP32 += 4 * scales
	d.Layers = append(d.Layers, info)
	return nil
}

// count counts one scale, by its E8M0 code if it has one.
func (d *inspectDocument) count(info *layerInfo, grid scale.Grid, blockRow, blockCol int) {
	code, ok := codeOf(grid, blockRow, blockCol)
	if !ok {
		info.NotPowers++
		d.NotPowers++
		return
	}
	d.Codes[code]++
	switch code {
	case 0:
		info.Code00++
	case scale.NaNE8M0:
		info.CodeFF++
	}
}

// codeOf returns the E8M0 code of a scale; a float32 scale has one if it is a
// power of two in range, or NaN.
func codeOf(grid scale.Grid, blockRow, blockCol int) (scale.E8M0, bool) {
	if grid.IsE8M0() {
		return grid.Codes()[grid.Layout().Index(blockRow, blockCol)], true
	}
	v := float64(grid.At(blockRow, blockCol))
	code := scale.EncodeE8M0(v, scale.RoundFloor, scale.Saturate)
	return code, math.IsNaN(v) || code.Float64() == v
}
