package main

import (
	"fmt"

	"blockfp8/ref"
	"blockfp8/scale"
)

// recipesCommand lists the presets.
type recipesCommand struct {
	Block  blockSize `placeholder:"ROWSxCOLS" default:"128x128" help:"Block of the weights; only its extent along K matters (${default})."`
	Output string    `default:"bf16" enum:"bf16,fp16,float32" placeholder:"bf16|fp16|float32" help:"Output format (${default})."`
	JSON   bool      `help:"Write JSON."`
}

// Run prints every preset and the recipe it stands for.
func (c *recipesCommand) Run(con *console) error {
	f, err := scale.ParseFormat(c.Output)
	if err != nil {
		return err
	}
	type entry struct {
		Name   string `json:"name"`
		Recipe string `json:"recipe"`
		About  string `json:"about"`
	}
	var list []entry
	t := newTable("name", "recipe", "about")
	for _, p := range presets {
		recipe := p.recipe(c.Block.Cols, f).String()
		list = append(list, entry{p.name, recipe, p.about})
		t.add(p.name, recipe, p.about)
	}
	if c.JSON {
		return writeJSON(con.out, list)
	}
	if err := t.write(con.out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(con.out, "\nOr spell one out: DATAPATH/SCALING[/kN][/splitN][/OUTPUT]\ndatapaths: %s\nscalings: %s\n", datapathNames(ref.Datapaths()), scalingNames())
	return err
}
