package main

import (
	"errors"
	"fmt"
	"slices"

	"blockfp8/ref"
	"blockfp8/scale"
)

// candidate is a recipe, with all its spellings: chips whose datapaths are the
// same arithmetic cannot be told apart by their bits.
type candidate struct {
	names  []string
	recipe ref.Recipe
}

// trial is what became of a candidate.
type trial struct {
	candidate
	report ref.Report
}

// runAuto tries every recipe and reports on those that fit, or else on the one
// with the fewest differences.
func (c *checkCommand) runAuto(con *console) error {
	f, err := outputFormat(c.Output)
	if err != nil {
		return err
	}
	p, err := c.load(f)
	if err != nil {
		return err
	}
	fit, unfit := applicable(candidates(c.Block.Cols, f), p)
	trials, err := try(con, p, fit)
	if err != nil {
		return err
	}
	slices.SortStableFunc(trials, func(x, y trial) int { return x.report.Different - y.report.Different })
	best := trials[0]
	return c.print(con, p, autoDocument(trials, unfit), best.recipe, best.report)
}

func try(con *console, p product, list []candidate) ([]trial, error) {
	bar := newProgress(con.status, int64(len(list)), "trying recipes")
	defer bar.Clear()
	var trials []trial
	for _, one := range list {
		report, err := p.compare(con, one.recipe)
		if err != nil {
			return nil, err
		}
		trials = append(trials, trial{one, report})
		bar.Add(1)
	}
	return trials, nil
}

// candidates are all recipes that a kernel may have followed: each datapath with
// partials of 64, of 128 and of the block, scaled in each order; scales inside the
// MMA; and no chip at all, exact to the end or in each partial.
func candidates(blockK int, f scale.Format) []candidate {
	var list []candidate
	for _, d := range ref.Datapaths() {
		for _, r := range variants(d, blockK, f) {
			list = addCandidate(list, r)
		}
	}
	// Exact dots are what kernels without MMA have. They come last: where a chip
	// fits too, it is the likelier answer.
	for _, r := range scaledPartials(ref.ExactSum, blockK, f) {
		list = addCandidate(list, r)
	}
	return list
}

func variants(d ref.Datapath, blockK int, f scale.Format) []ref.Recipe {
	switch {
	case d.Exact:
		return []ref.Recipe{ref.Exact(f)}
	case d.TakesScales:
		return []ref.Recipe{{Datapath: d, Scaling: ref.InMMA, Output: f}}
	}
	return scaledPartials(d, blockK, f)
}

func scaledPartials(d ref.Datapath, blockK int, f scale.Format) []ref.Recipe {
	partials := []int{64, 128, blockK}
	slices.Sort(partials)
	var list []ref.Recipe
	for _, k := range slices.Compact(partials) {
		for _, s := range []ref.Scaling{ref.ActThenWeight, ref.ProductFirst, ref.ActThenWeightUnfused, ref.ProductFirstUnfused} {
			list = append(list, ref.Recipe{Datapath: d, KPerPartial: k, Scaling: s, Output: f})
		}
	}
	return list
}

// addCandidate adds a recipe, or its name to the candidate of the same arithmetic.
func addCandidate(list []candidate, r ref.Recipe) []candidate {
	anonymous := func(r ref.Recipe) ref.Recipe {
		r.Datapath.Name = ""
		return r
	}
	for i, c := range list {
		if anonymous(c.recipe) == anonymous(r) {
			list[i].names = append(list[i].names, r.String())
			return list
		}
	}
	return append(list, candidate{[]string{r.String()}, r})
}

// inapplicable is a candidate that cannot multiply the operands, and why.
type inapplicable struct {
	candidate
	reason string
}

func applicable(list []candidate, p product) (fit []candidate, unfit []inapplicable) {
	for _, one := range list {
		err := one.recipe.Check(p.a, p.b)
		if err == nil {
			fit = append(fit, one)
			continue
		}
		reason := err.Error()
		if m, ok := errors.AsType[*scale.Mismatch](err); ok {
			reason = fmt.Sprintf("wants %s, got %s", m.Want, m.Got)
		}
		unfit = append(unfit, inapplicable{one, reason})
	}
	return fit, unfit
}
