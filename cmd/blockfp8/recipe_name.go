package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"blockfp8/ref"
	"blockfp8/scale"
)

// recipeNamer makes a recipe for a block extent along K.
type recipeNamer func(blockK int) ref.Recipe

// findRecipe reads a name of the listing, or a recipe spelled as [ref.Recipe]'s
// String does, such as sm90wgmma/act-then-weight/k128/bf16, whose last part may
// be left out. output is the format asked for: empty if none was, which is bf16
// unless the recipe says otherwise.
func findRecipe(name, output string) (recipeNamer, error) {
	if i := slices.IndexFunc(presets, func(p preset) bool { return p.name == name }); i >= 0 {
		f, err := outputFormat(output)
		return func(blockK int) ref.Recipe { return presets[i].recipe(blockK, f) }, err
	}
	r, err := parseRecipe(name, output)
	return func(int) ref.Recipe { return r }, err
}

func outputFormat(output string) (scale.Format, error) {
	if output == "" {
		return scale.BFloat16, nil
	}
	return scale.ParseFormat(output)
}

// parseRecipe reads DATAPATH/SCALING[/kN][/splitN][/OUTPUT].
func parseRecipe(text, output string) (ref.Recipe, error) {
	parts := strings.Split(text, "/")
	wrong := func(want, got string) (ref.Recipe, error) {
		return ref.Recipe{}, &scale.Mismatch{Kind: scale.ErrOption, What: "--recipe", Want: want, Got: got}
	}
	if len(parts) < 2 {
		return wrong("a name that blockfp8 recipes lists, or DATAPATH/SCALING[/kN][/splitN][/OUTPUT]", strconv.Quote(text))
	}
	datapaths := ref.Datapaths()
	d := slices.IndexFunc(datapaths, func(d ref.Datapath) bool { return d.Name == parts[0] })
	if d < 0 {
		return wrong("a datapath: "+datapathNames(datapaths), parts[0])
	}
	s, ok := parseScaling(parts[1])
	if !ok {
		return wrong("a scaling: "+scalingNames(), parts[1])
	}
	r := ref.Recipe{Datapath: datapaths[d], Scaling: s}
	named := ""
	for _, part := range parts[2:] {
		switch {
		case readNumber(part, "split", &r.Splits), readNumber(part, "k", &r.KPerPartial):
		case named == "":
			named = part
		default:
			return wrong("kN, splitN or one output format", part)
		}
	}
	if named != "" && output != "" && named != output {
		return wrong("the output format "+output, named)
	}
	f, err := outputFormat(cmp.Or(named, output))
	r.Output = f
	return r, err
}

// readNumber reads a part such as k128 into n.
func readNumber(part, prefix string, n *int) bool {
	digits, ok := strings.CutPrefix(part, prefix)
	if !ok {
		return false
	}
	v, err := strconv.Atoi(digits)
	if err != nil || v < 1 {
		return false
	}
	*n = v
	return true
}

func datapathNames(datapaths []ref.Datapath) string {
	var names []string
	for _, d := range datapaths {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

// scalings are all scalings of ref.
var scalings = []ref.Scaling{ref.ActThenWeight, ref.ActThenWeightUnfused, ref.ProductFirst, ref.ProductFirstUnfused, ref.InMMA, ref.Unrounded}

func parseScaling(name string) (ref.Scaling, bool) {
	for _, s := range scalings {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

func scalingNames() string {
	var names []string
	for _, s := range scalings {
		names = append(names, s.String())
	}
	return strings.Join(names, ", ")
}
