package main

import (
	"time"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

// multiplier is what multiplies the layers of a run: a device, whose results are
// compared with the oracle's, or the oracle alone.
type multiplier struct {
	dev    *gpu.Device // nil for the oracle
	where  string
	named  recipeNamer // nil for the recipe of the device
	output scale.Format
	blockK int
}

// multiplier opens the device and reads the recipe.
func (c *runCommand) multiplier() (*multiplier, error) {
	m := &multiplier{}
	device := c.Device
	var err error
	switch {
	case c.Recipe != "":
		m.named, err = findRecipe(c.Recipe, c.Output)
		if device == autoDevice {
			device = oracleDevice
		}
	case device == oracleDevice:
		m.named, err = findRecipe("sm120", c.Output)
	default:
		m.output, err = outputFormat(c.Output)
	}
	if err == nil {
		m.dev, m.where, err = device.open()
	}
	return m, err
}

func (m *multiplier) close() {
	if m.dev != nil {
		m.dev.Close()
	}
}

// multiply returns the product and its recipe, and notes time and comparison.
func (m *multiplier) multiply(a, b ref.Operand, result *layerResult) (ref.Matrix, ref.Recipe, error) {
	var asked *ref.Recipe
	output := m.output
	if m.named != nil {
		r := m.named(m.blockK)
		asked, output = &r, r.Output
	}
	start := time.Now()
	if m.dev == nil {
		c := ref.NewMatrix(a.Rows(), b.Rows())
		err := ref.MatMul(c, a, b, *asked)
		result.Seconds = time.Since(start).Seconds()
		return c, *asked, err
	}
	c, recipe, err := onDevice(m.dev, a, b, asked, output)
	result.Seconds = time.Since(start).Seconds()
	if err != nil {
		return c, recipe, err
	}
	want := ref.NewMatrix(c.Rows, c.Cols)
	if err := ref.MatMul(want, a, b, recipe); err != nil {
		return c, recipe, err
	}
	report, err := ref.Compare(c, want, output)
	result.device = deviceCheck{Checked: report.Total, Different: report.Different}
	return c, recipe, err
}
