package external

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blockfp8/internal/tensor"
	"blockfp8/ref"
	"blockfp8/safetensors"
	"blockfp8/scale"
)

// formatVersion is that of folders.
const formatVersion = 1

// Description is problem.json.
type Description struct {
	Format  int    `json:"format"` // 1
	M       int    `json:"m"`
	N       int    `json:"n"`
	K       int    `json:"k"`
	ABlock  [2]int `json:"a_block"`          // rows and columns that share a scale
	BBlock  [2]int `json:"b_block"`          //
	AScales string `json:"a_scales"`         // fp32 or e8m0
	BScales string `json:"b_scales"`         //
	Output  string `json:"output"`           // bf16, fp16 or float32
	Recipe  string `json:"recipe,omitempty"` // what C is compared with, if that is known
}

// Write puts a problem into a folder, which must exist.
func Write(folder string, a, b ref.Operand, output scale.Format, recipe string) error {
	d := Description{
		Format: formatVersion, M: a.Rows(), N: b.Rows(), K: a.K(),
		ABlock: blockOf(a), BBlock: blockOf(b), AScales: kindOf(a), BScales: kindOf(b),
		Output: output.String(), Recipe: recipe,
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "problem.json"), append(text, '\n'), 0o666); err != nil {
		return err
	}
	tensors := map[string]tensor.Tensor{
		"a": codesOf(a), "as": scalesOf(a.Grid()),
		"b": codesOf(b), "bs": scalesOf(b.Grid()),
	}
	for name, t := range tensors {
		if err := t.WriteNPY(filepath.Join(folder, name+".npy")); err != nil {
			return err
		}
	}
	return writeSafetensors(filepath.Join(folder, "operands.safetensors"), tensors)
}

func writeSafetensors(path string, tensors map[string]tensor.Tensor) error {
	var list []safetensors.Tensor
	for _, name := range []string{"a", "as", "b", "bs"} {
		t := safetensors.Tensor{Name: name, DType: tensors[name].DType}
		for _, d := range tensors[name].Shape {
			t.Shape = append(t.Shape, int64(d))
		}
		list = append(list, t)
	}
	w, err := safetensors.Create(path, list, nil)
	if err != nil {
		return err
	}
	for _, t := range list {
		if err := w.Write(t.Name, tensors[t.Name].Data); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}

func blockOf(o ref.Operand) [2]int {
	l := o.Grid().Layout()
	return [2]int{l.BlockRows, l.BlockCols}
}

func kindOf(o ref.Operand) string {
	if o.Grid().IsE8M0() {
		return "e8m0"
	}
	return "fp32"
}

// codesOf is an operand's codes without what may lie between its rows.
func codesOf(o ref.Operand) tensor.Tensor {
	t := tensor.Tensor{DType: safetensors.F8_E4M3, Shape: []int{o.Rows(), o.K()}}
	for i := range o.Rows() {
		for _, c := range o.Row(i) {
			t.Data = append(t.Data, byte(c))
		}
	}
	return t
}

// WriteResult writes C as the .npy file that is expected of a program: 16-bit
// formats as their bits.
func WriteResult(path string, c ref.Matrix, output scale.Format) error {
	t := tensor.Tensor{DType: safetensors.F32, Shape: []int{c.Rows, c.Cols}}
	if output.Width() == 16 {
		t.DType = safetensors.U16
	}
	for i := range c.Rows {
		for _, v := range c.Row(i) {
			t.Data = appendBits(t.Data, output.Bits(v), output.Width())
		}
	}
	return t.WriteNPY(path)
}

// readResult reads the answer to a problem of m rows and n columns.
func readResult(folder string, m, n int, output scale.Format) (ref.Matrix, error) {
	want := fmt.Sprintf("c.npy (or c.safetensors) with C as [%d %d] of %s", m, n, typesOf(output))
	for _, name := range []string{"c.npy", "c.safetensors"} {
		t, err := tensor.Read(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return ref.Matrix{}, fmt.Errorf("want %s: %w", want, err)
		}
		t.Source = name
		c, err := t.Result(output)
		if err != nil {
			return c, fmt.Errorf("want %s: %w", want, err)
		}
		if c.Rows != m || c.Cols != n {
			return c, fmt.Errorf("want %s, got [%d %d]", want, c.Rows, c.Cols)
		}
		return c, nil
	}
	return ref.Matrix{}, fmt.Errorf("want %s, got no such file", want)
}

func typesOf(output scale.Format) string {
	switch output {
	case scale.BFloat16:
		return "uint16 (the bits of bf16) or float32"
	case scale.Float16:
		return "uint16 (the bits of fp16), float16 or float32"
	}
	return "float32"
}
