package main

import (
	"fmt"

	"github.com/schollz/progressbar/v3"

	"blockfp8/fuzz"
	"blockfp8/fuzz/external"
	"blockfp8/ref"
	"blockfp8/scale"
)

// conformance is a run of conform.
type conformance struct {
	*conformCommand
	con     *console
	program *external.Program

	search  *recipeSearch // nil if the recipe was given
	result  fuzz.Result
	failure *fuzz.Failure
	saved   string // where the failure is, "" if it is not saved
	mapped  string // what the map shows, "" if there is none
}

// conformProperties are those that a program can fail. What has to do with memory, it
// cannot: it never sees that of the suite. The other properties follow from bits.
var conformProperties = []string{"bits", "repeats", "every-scale", "every-product"}

// run checks the properties until one fails. Of several recipes that fitted all of
// the first answers it is enough that one holds: the first failure is kept otherwise.
func (x *conformance) run() error {
	recipes := []ref.Recipe{x.program.Options.Recipe}
	if x.search != nil {
		recipes = x.search.toTry()
	}
	for i, r := range recipes {
		x.program.Options.Recipe = r
		result, failure, err := x.check()
		if err != nil {
			return err
		}
		if i == 0 || failure == nil {
			x.result, x.failure = result, failure
		}
		if failure == nil {
			return nil
		}
	}
	x.program.Options.Recipe = recipes[0]
	return x.save()
}

// check checks the properties under one recipe.
func (x *conformance) check() (fuzz.Result, *fuzz.Failure, error) {
	bar := newProgress(x.con.status, int64(x.Problems), "multiplying")
	defer bar.Clear()
	impl := watched{x.program, bar}
	var result fuzz.Result
	for _, property := range conformProperties {
		bar.Describe(property)
		one, err := fuzz.Check(x.con.ctx, impl, fuzz.Options{
			Draws: x.Problems, Seed: x.Seed, Shrink: x.Shrink, Properties: []string{property},
		})
		if err == nil {
			err = x.con.ctx.Err() // an interrupted multiplication looks like one that failed
		}
		if err != nil {
			return result, nil, err
		}
		result.Properties = append(result.Properties, one.Properties...)
		if failures := one.Failures(); len(failures) > 0 {
			return result, failures[0], nil
		}
	}
	return result, nil, nil
}

// watched is a program with a bar that shows how far it is.
type watched struct {
	*external.Program
	bar *progressbar.ProgressBar
}

// Multiply is the program's. The bar is done before the last of the multiplications:
// how many there are is known only when they are.
func (w watched) Multiply(dst ref.Matrix, a, b ref.Operand, output scale.Format) error {
	if !w.bar.IsFinished() && w.bar.State().CurrentNum+1 < w.bar.GetMax64() {
		w.bar.Add(1)
	}
	return w.Program.Multiply(dst, a, b, output)
}

// replay tries a saved failure again.
func (x *conformance) replay(named *ref.Recipe) error {
	record, err := fuzz.Load(failureFile(x.Replay))
	if err != nil {
		return err
	}
	switch {
	case named != nil:
		x.program.Options.Recipe = *named
	case record.Recipe == "":
		return fmt.Errorf("--replay: %s has no recipe, want one as --recipe", x.Replay)
	default:
		r, err := findRecipe(record.Recipe, "")
		if err != nil {
			return fmt.Errorf("%s: %w", x.Replay, err)
		}
		x.program.Options.Recipe = r(0) // a recipe in full needs no block
	}
	failure, err := fuzz.Replay(x.program, record)
	if err != nil {
		return err
	}
	if err := x.con.ctx.Err(); err != nil {
		return err
	}
	x.failure = failure
	x.result.Properties = []fuzz.Outcome{{Property: record.Property, Replayed: 1, Failure: failure}}
	return x.report()
}
