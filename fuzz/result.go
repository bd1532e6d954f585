package fuzz

import (
	"fmt"
	"strings"

	"blockfp8/ref"
)

// Result is what Check found.
type Result struct {
	Properties []Outcome // those that the implementation can have, in the order of checking
}

// Outcome is what became of one property.
type Outcome struct {
	Property    string
	Draws       int // problems that were checked
	Unsupported int // problems that the implementation refused
	Replayed    int // problems of earlier failures that were tried again
	Outputs     int // elements of C of the checked problems
	Failure     *Failure
}

// Failures returns what failed.
func (r Result) Failures() []*Failure {
	var failures []*Failure
	for _, o := range r.Properties {
		if o.Failure != nil {
			failures = append(failures, o.Failure)
		}
	}
	return failures
}

// String is a line per property, then the failures.
func (r Result) String() string {
	var s strings.Builder
	for _, o := range r.Properties {
		fmt.Fprintln(&s, o.String())
	}
	for _, f := range r.Failures() {
		s.WriteString("\n" + f.String())
	}
	return s.String()
}

// String is one line.
func (o Outcome) String() string {
	verdict := "holds"
	if o.Failure != nil {
		verdict = "FAILS"
	}
	text := fmt.Sprintf("%-13s %s", o.Property, verdict)
	if o.Outputs > 0 { // exhaustive properties count none
		text += fmt.Sprintf(", %d problems, %d outputs", o.Draws, o.Outputs)
	}
	if o.Unsupported > 0 {
		text += fmt.Sprintf(", %d not supported", o.Unsupported)
	}
	if o.Replayed > 0 {
		text += fmt.Sprintf(", %d of earlier failures", o.Replayed)
	}
	return text
}

// Failure is a property that does not hold, with a small problem that shows it.
type Failure struct {
	Property string
	Reason   string
	Recipe   ref.Recipe // the zero value where it was not reached
	Report   ref.Report // explained differences; empty if the failure is none of bits
	Problem  Problem    // made small, if it was drawn; Replay then shows the failure again
	About    string     // the part of the problem that the reason and the report are about
	Drawn    string     // the problem as it was drawn
	Draw     int        // which draw it was, counted from 1
	Seed     int        // that gives the drawn problem: Problems(limits).Example(Seed)
	File     string     // where the problem was saved, "" if it was not
}

func newFailure(pr property, p Problem, v *violation) *Failure {
	return &Failure{Property: pr.name, Reason: v.reason, Recipe: v.recipe, Report: v.report, Problem: p, About: v.problem.String()}
}

// String is a report for people: what does not hold, where, which K blocks could be
// the cause, and how to see it again.
func (f *Failure) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s\n", f.Property, f.Reason)
	if f.Recipe != (ref.Recipe{}) {
		fmt.Fprintf(&s, "recipe %v\n", f.Recipe)
	}
	if f.About == "" {
		return s.String()
	}
	fmt.Fprintf(&s, "%s\n", f.About)
	if f.Report.Total > 0 {
		s.WriteString(f.Report.String())
	}
	if f.Draw > 0 {
		fmt.Fprintf(&s, "draw %d, seed %d: %s\n", f.Draw, f.Seed, f.Drawn)
	}
	if f.File != "" {
		fmt.Fprintf(&s, "the problem is in %s, and is tried first from now on\n", f.File)
	}
	return s.String()
}
