package main

import (
	"errors"

	"blockfp8/gpu"
	"blockfp8/gpu/predict"
	"blockfp8/scale"
)

// tilesDocument is what explain --tiles reports, as JSON. All times are predicted, and
// none was measured.
type tilesDocument struct {
	Chip  predict.Chip `json:"chip"`
	Arch  string       `json:"arch"`
	M     int          `json:"m"`
	N     int          `json:"n"`
	K     int          `json:"k"`
	Input string       `json:"input"`
	predict.Tiles
}

// chip is what the model predicts for.
func (c *explainCommand) chip() (predict.Chip, error) {
	chip, ok := predict.ChipOf(gpu.Arch(c.Arch))
	if !ok {
		return chip, &scale.Mismatch{Kind: scale.ErrOption, What: "chip", Want: "sm_89, sm_90, sm_120 or sm_121", Got: gpu.Arch(c.Arch).String()}
	}
	if c.MMACycles > 0 {
		chip.MMACycles = c.MMACycles
	}
	return chip, nil
}

// runTiles predicts all forms and prints.
func (c *explainCommand) runTiles(con *console) error {
	chip, err := c.chip()
	if err != nil {
		return err
	}
	d := tilesDocument{Chip: chip, Arch: chip.Arch.String(), M: c.M, N: c.N, K: c.K, Input: c.Input}
	err = con.wait(func() (err error) {
		d.Tiles, err = predict.Compare(chip, predict.Shape{M: c.M, N: c.N, K: c.K}, c.Kernel, c.Input == "e8m0")
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(con.out, d)
	}
	return d.write(con.out)
}

// predict completes the document with the time of the plan's kernel, where the model
// knows it.
func (c *explainCommand) predict(d *explainDocument) error {
	chip, err := c.chip()
	if err != nil {
		return err
	}
	w, err := predict.Count(chip, predict.Shape{M: c.M, N: c.N, K: c.K}, d.Plan.Kernel, c.Input == "e8m0")
	if errors.Is(err, gpu.ErrUnsupported) {
		return nil
	}
	p := chip.Predict(w)
	d.Predicted = &p
	return err
}
