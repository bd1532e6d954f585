package main

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/schollz/progressbar/v3"

	"blockfp8/safetensors"
	"blockfp8/scale"
)

// quantizeCommand turns the weights of a checkpoint into E4M3 codes and scales.
type quantizeCommand struct {
	In      string    `arg:"" help:"A safetensors file, an index or a directory, with weights in F32, BF16 or F16."`
	Out     string    `arg:"" help:"The file to make, or the directory where IN is an index or a directory. Files other than safetensors are not copied."`
	Naming  string    `enum:"v4,v3" placeholder:"v4|v3" default:"v4" help:"Name of the scales of X.weight: v4 is X.scale, v3 is X.weight_scale_inv (a multiplier all the same) (${default})."`
	Scales  string    `enum:",e8m0,fp32" placeholder:"e8m0|fp32" default:"" help:"Type of the scales: e8m0 for v4 and fp32 for v3 if left out."`
	Block   blockSize `placeholder:"ROWSxCOLS" default:"128x128" help:"Block that shares a scale, rows by columns (${default})."`
	Include []string  `default:"*" sep:"none" placeholder:"GLOB" help:"Layers to quantise, by name without .weight; may be repeated (${default})."`
	Exclude []string  `sep:"none" placeholder:"GLOB" help:"Layers to leave alone; may be repeated."`
	Force   bool      `help:"Replace OUT if it exists; never IN."`
	JSON    bool      `help:"Write JSON."`
}

// Run quantises and prints a summary of the errors. OUT appears when it is
// complete.
func (c *quantizeCommand) Run(con *console) error {
	in, err := openModel(c.In)
	if err != nil {
		return err
	}
	defer in.close()
	if err := in.checkTarget(c.Out, c.Force); err != nil {
		return err
	}
	job, err := c.plan(in)
	if err != nil {
		return err
	}
	if err := job.write(con, in, c.Out); err != nil {
		return err
	}
	return job.document.print(con.out, c.JSON)
}

// quantizeJob is a quantisation under way.
type quantizeJob struct {
	con      *console
	bar      *progressbar.ProgressBar
	block    blockSize
	naming   safetensors.Naming
	scales   scale.WeightScale
	chosen   map[string]bool // names of the tensors to quantise
	document quantizeDocument
}

// plan chooses the tensors and checks that no name is taken.
func (c *quantizeCommand) plan(in *model) (*quantizeJob, error) {
	job := &quantizeJob{block: c.Block, naming: safetensors.DotScale, scales: scale.WeightE8M0, chosen: map[string]bool{}}
	if c.Naming == "v3" {
		job.naming, job.scales = safetensors.WeightScaleInv, scale.WeightFP32
	}
	switch c.Scales {
	case "e8m0":
		job.scales = scale.WeightE8M0
	case "fp32":
		job.scales = scale.WeightFP32
	}
	names := map[string]bool{}
	for t := range in.tensors() {
		names[t.Name] = true
		chosen, err := c.chooses(t)
		if err != nil {
			return nil, err
		}
		if chosen {
			job.chosen[t.Name] = true
		}
	}
	for name := range job.chosen {
		if taken := strings.TrimSuffix(name, "weight") + string(job.naming); names[taken] {
			return nil, fmt.Errorf("tensor %q: want no tensor of the name that its scales would have, got %q", name, taken)
		}
	}
	if len(job.chosen) == 0 {
		return nil, fmt.Errorf("%s: want 2-D tensors X.weight in F32, BF16 or F16 that --include names, got none among %d tensors", c.In, len(names))
	}
	job.document = quantizeDocument{In: c.In, Out: c.Out, Block: c.Block, Naming: string(job.naming), Scales: string(job.scaleType())}
	return job, nil
}

// chooses reports whether t is a weight to quantise.
func (c *quantizeCommand) chooses(t safetensors.Tensor) (bool, error) {
	layer, ok := strings.CutSuffix(t.Name, ".weight")
	switch t.DType {
	case safetensors.F32, safetensors.BF16, safetensors.F16:
	default:
		ok = false
	}
	included, err := matchAny(c.Include, layer)
	if err != nil {
		return false, err
	}
	excluded, err := matchAny(c.Exclude, layer)
	return ok && len(t.Shape) == 2 && included && !excluded, err
}

// matchAny reports whether one of the patterns of [path.Match] matches.
func matchAny(patterns []string, name string) (bool, error) {
	for _, p := range patterns {
		match, err := path.Match(p, name)
		if err != nil {
			return false, fmt.Errorf("pattern %q: %w", p, err)
		}
		if match {
			return true, nil
		}
	}
	return false, nil
}

func (j *quantizeJob) scaleType() safetensors.DType {
	if j.scales == scale.WeightFP32 {
		return safetensors.F32
	}
	return safetensors.F8_E8M0
}

func (j *quantizeJob) layout(t safetensors.Tensor) scale.Layout {
	return scale.RowMajor(int(t.Shape[0]), int(t.Shape[1]), j.block.Rows, j.block.Cols)
}

// write makes OUT: one file, or a directory with the shards of IN.
func (j *quantizeJob) write(con *console, in *model, out string) error {
	j.con = con
	j.bar = newProgress(con.status, in.bytes(), "quantising", progressbar.OptionShowBytes(true))
	defer j.bar.Clear()
	if !in.sharded {
		return j.writeShard(in.shards[0], out)
	}
	return in.writeDirectory(out, j.writeShard)
}

// outputs returns what becomes of a shard's tensors.
func (j *quantizeJob) outputs(s shard) (list []safetensors.Tensor) {
	for _, t := range s.tensors {
		if !j.chosen[t.Name] {
			list = append(list, t)
			continue
		}
		pair := j.pair(t)
		list = append(list, pair[:]...)
	}
	return list
}

func (j *quantizeJob) pair(t safetensors.Tensor) [2]safetensors.Tensor {
	return pairTensors(strings.TrimSuffix(t.Name, ".weight"), j.naming, j.scaleType(), j.layout(t))
}

// writeShard writes one file, tensor by tensor.
func (j *quantizeJob) writeShard(s shard, path string) error {
	w, err := safetensors.Create(path, j.outputs(s), s.file.Metadata())
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, t := range s.tensors {
		if err := j.con.ctx.Err(); err != nil {
			return err
		}
		if j.chosen[t.Name] {
			err = j.quantize(w, s.file, t)
		} else {
			err = j.pass(w, s.file, t)
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// pass copies a tensor byte for byte.
func (j *quantizeJob) pass(w *safetensors.Writer, from *safetensors.File, t safetensors.Tensor) error {
	section, err := from.Section(t.Name)
	if err != nil {
		return err
	}
	j.document.Passed++
	j.document.BytesIn += t.Bytes()
	j.document.BytesOut += t.Bytes()
	_, err = io.CopyBuffer(io.MultiWriter(w.Tensor(t.Name), meter{j.con, j.bar}), section, make([]byte, 1<<20))
	return err
}

// quantize writes a tensor's codes and scales.
func (j *quantizeJob) quantize(w *safetensors.Writer, from *safetensors.File, t safetensors.Tensor) error {
	values, err := from.Floats(t.Name)
	if err != nil {
		return err
	}
	l := j.layout(t)
	codes, grid, err := scale.QuantizeWeights(values, l.Rows, l.Cols, max(l.Cols, 1), l.BlockRows, l.BlockCols, j.scales)
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	summary := measure(values, codes, grid)
	summary.Layer = strings.TrimSuffix(t.Name, ".weight")
	if err := writePair(w, summary.Layer, j.naming, codes, grid); err != nil {
		return err
	}
	pair := j.pair(t)
	j.document.Layers = append(j.document.Layers, summary)
	j.document.BytesIn += t.Bytes()
	j.document.BytesOut += pair[0].Bytes() + pair[1].Bytes()
	j.bar.Add64(t.Bytes())
	return nil
}

// meter counts bytes on their way, and stops them on an interrupt.
type meter struct {
	con *console
	bar *progressbar.ProgressBar
}

func (m meter) Write(b []byte) (int, error) {
	m.bar.Add(len(b))
	return len(b), m.con.ctx.Err()
}
