package main

import (
	"cmp"
	"fmt"
	"slices"

	"blockfp8/fuzz"
	"blockfp8/ref"
)

// Problems whose answers a recipe is found with. A program that answers none of the
// first few, of which the very first is the smallest, will answer none at all.
const (
	openingProblems = 24
	patience        = 3
)

// choose settles the recipe. On the way it sees whether the program answers at all:
// one that does not is bad input rather than a wrong kernel.
func (x *conformance) choose(named *ref.Recipe) error {
	if named != nil {
		if err := x.checkRecipe(*named); err != nil {
			return err
		}
		x.program.Options.Recipe = *named
		_, err := x.opening(1)
		return err
	}
	products, err := x.opening(openingProblems)
	if err != nil {
		return err
	}
	x.search, err = x.searchRecipe(products)
	if err == nil {
		x.program.Options.Recipe = x.search.ranked[0].recipe
	}
	return err
}

// checkRecipe refuses a recipe that cannot multiply two blocks of K.
func (x *conformance) checkRecipe(r ref.Recipe) error {
	l := x.program.Options.Limits
	if l.MaxK <= x.Block.Cols {
		return nil
	}
	l.StepK, l.MaxK = 2*x.Block.Cols, 2*x.Block.Cols
	a, b, err := smallest(l).Operands()
	if err != nil {
		return err
	}
	return r.Check(a, b)
}

// smallest is a problem of the least extents that are allowed.
func smallest(l fuzz.Limits) fuzz.Problem {
	l.MaxM, l.MaxN, l.MaxK, l.NoEmpty = (max(l.MinM, 1)+l.StepM-1)/l.StepM*l.StepM, l.StepN, l.StepK, true
	return fuzz.Problems(l).Example(0)
}

// opening asks for so many answers.
func (x *conformance) opening(wanted int) (products []product, err error) {
	bar := newProgress(x.con.status, int64(wanted), "first answers")
	defer bar.Clear()
	l := x.program.Options.Limits
	for i := 0; len(products) < wanted && i < wanted+patience; i++ {
		p := fuzz.Problems(l).Example(int(x.Seed&0xFFFF)<<8 + i)
		if i == 0 {
			p = smallest(l)
		}
		one := product{}
		if one.a, one.b, err = p.Operands(); err != nil {
			return nil, err
		}
		if one.got, err = x.program.Ask(one.a, one.b, p.Output); err == nil {
			products = append(products, one)
			bar.Add(1)
		}
		if err := x.con.ctx.Err(); err != nil {
			return nil, err
		}
		if len(products) == 0 && i == patience-1 {
			return nil, fmt.Errorf("no answer to %d problems, the last (%v): %w", patience, p, err)
		}
	}
	return products, nil
}

// recipeSearch is which recipes fit the first answers.
type recipeSearch struct {
	problems int
	ranked   []rankedRecipe // the best first
}

// rankedRecipe is a candidate with how many of the answers it explains.
type rankedRecipe struct {
	candidate
	fits, different int // answers equal in every bit; elements of the others that differ
}

// searchRecipe tries every candidate that can multiply all of the problems.
func (x *conformance) searchRecipe(products []product) (*recipeSearch, error) {
	s := &recipeSearch{problems: len(products)}
	list := candidates(x.Block.Cols, x.program.Options.Limits.Outputs[0])
	bar := newProgress(x.con.status, int64(len(list)), "trying recipes")
	defer bar.Clear()
	for _, one := range list {
		ranked, ok, err := x.rank(one, products)
		if err != nil {
			return nil, err
		}
		if ok {
			s.ranked = append(s.ranked, ranked)
		}
		bar.Add(1)
	}
	slices.SortStableFunc(s.ranked, func(x, y rankedRecipe) int {
		return cmp.Or(cmp.Compare(y.fits, x.fits), cmp.Compare(x.different, y.different))
	})
	return s, nil
}

func (x *conformance) rank(one candidate, products []product) (r rankedRecipe, ok bool, err error) {
	r.candidate = one
	for _, p := range products {
		if one.recipe.Check(p.a, p.b) != nil {
			return r, false, nil
		}
		report, err := p.compare(x.con, one.recipe)
		if err != nil {
			return r, false, err
		}
		r.different += report.Different
		if report.Equal() {
			r.fits++
		}
	}
	return r, true, nil
}

// toTry are the recipes that fit all answers, or else the nearest.
func (s *recipeSearch) toTry() []ref.Recipe {
	list := []ref.Recipe{s.ranked[0].recipe}
	for _, r := range s.ranked[1:] {
		if r.fits == s.problems {
			list = append(list, r.recipe)
		}
	}
	return list
}

// of is the candidate that was chosen.
func (s *recipeSearch) of(chosen ref.Recipe) rankedRecipe {
	return s.ranked[slices.IndexFunc(s.ranked, func(r rankedRecipe) bool { return r.recipe == chosen })]
}
