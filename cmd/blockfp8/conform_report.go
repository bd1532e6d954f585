package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"blockfp8/fuzz"
)

// conformDocument is what conform reports, as JSON.
type conformDocument struct {
	Command    []string         `json:"command"`
	Recipe     string           `json:"recipe"`
	Found      *foundRecipe     `json:"found,omitempty"` // if the recipe was looked for
	Follows    bool             `json:"follows"`
	Properties []checkedOutcome `json:"properties"`
	Failure    *foundFailure    `json:"failure,omitempty"`
}

type foundRecipe struct {
	Names    []string `json:"names"` // of equal arithmetic
	Problems int      `json:"problems"`
	Fits     int      `json:"fits"`
}

type checkedOutcome struct {
	Property    string `json:"property"`
	Holds       bool   `json:"holds"`
	Problems    int    `json:"problems"`
	Outputs     int    `json:"outputs"`
	Unsupported int    `json:"unsupported,omitempty"`
}

// foundFailure is the failure, as small as it could be made.
type foundFailure struct {
	Property   string         `json:"property"`
	Reason     string         `json:"reason"`
	Problem    string         `json:"problem"`
	M          int            `json:"m"`
	N          int            `json:"n"`
	K          int            `json:"k"`
	Comparison *checkDocument `json:"comparison,omitempty"` // if bits differ
	Drawn      string         `json:"drawn,omitempty"`      // the problem as it was found
	Saved      string         `json:"saved,omitempty"`
	Map        string         `json:"map,omitempty"`
}

// report prints what was found; the error is errDifferent if something failed.
func (x *conformance) report() error {
	var err error
	if x.JSON {
		err = writeJSON(x.con.out, x.document())
	} else {
		var s strings.Builder
		x.write(&s)
		_, err = io.WriteString(x.con.out, s.String())
	}
	if err == nil && x.failure != nil {
		err = errDifferent
	}
	return err
}

// write is the report for people.
func (x *conformance) write(s *strings.Builder) {
	fmt.Fprintf(s, "recipe %v%s\n", x.program.Options.Recipe, x.provenance())
	outputs := 0
	for _, o := range x.result.Properties {
		fmt.Fprintln(s, o)
		outputs += o.Outputs
	}
	switch {
	case x.failure == nil && x.Replay != "":
		fmt.Fprintln(s, "\nThe saved problem does not fail any more.")
	case x.failure == nil:
		fmt.Fprintf(s, "\nThe program follows the recipe: %d outputs, every bit the same.\n", outputs)
	default:
		fmt.Fprintf(s, "\n%s", x.failure)
	}
	if x.saved != "" {
		x.writeSaved(s)
	}
}

// provenance says where the recipe comes from, if it was looked for.
func (x *conformance) provenance() string {
	if x.search == nil {
		return ""
	}
	r := x.search.of(x.program.Options.Recipe)
	text := fmt.Sprintf(", which the first %d answers follow", x.search.problems)
	if r.fits < x.search.problems {
		text = fmt.Sprintf(": no recipe fits the first %d answers, this one fits %d", x.search.problems, r.fits)
	}
	if len(r.names) > 1 {
		text += " (the same as " + strings.Join(r.names[1:], ", ") + ")"
	}
	return text
}

func (x *conformance) writeSaved(s *strings.Builder) {
	fmt.Fprintf(s, "\nSaved in %s, to try again with: blockfp8 conform --replay %s -- %s\n", x.saved, x.saved, strings.Join(x.Command, " "))
	if x.mapped != "" {
		fmt.Fprintf(s, "Look at %s: the problem as it was found, %s\n", filepath.Join(x.saved, mapName), x.mapped)
	}
}

func (x *conformance) document() conformDocument {
	d := conformDocument{Command: x.Command, Recipe: x.program.Options.Recipe.String(), Follows: x.failure == nil}
	if x.search != nil {
		r := x.search.of(x.program.Options.Recipe)
		d.Found = &foundRecipe{Names: r.names, Problems: x.search.problems, Fits: r.fits}
	}
	for _, o := range x.result.Properties {
		d.Properties = append(d.Properties, checkedOutcome{o.Property, o.Failure == nil, o.Draws + o.Replayed, o.Outputs, o.Unsupported})
	}
	if x.failure != nil {
		d.Failure = x.failureDocument(x.failure)
	}
	return d
}

func (x *conformance) failureDocument(f *fuzz.Failure) *foundFailure {
	d := &foundFailure{
		Property: f.Property, Reason: f.Reason, Problem: f.About, Drawn: f.Drawn,
		M: f.Problem.A.Rows, N: f.Problem.B.Rows, K: f.Problem.K(), Saved: x.saved,
	}
	if f.Report.Total > 0 {
		d.Comparison = &checkDocument{Recipe: f.Recipe.String()}
		d.Comparison.fill(f.Report)
	}
	if x.mapped != "" {
		d.Map = filepath.Join(x.saved, mapName)
	}
	return d
}
