package main

import (
	"fmt"
	"io"
	"strings"

	"blockfp8/ref"
)

// checkDocument is what check reports, as JSON.
type checkDocument struct {
	Recipe        string            `json:"recipe"`         // the recipe compared with; auto's first that fits or else its nearest
	Fits          [][]string        `json:"fits,omitempty"` // the recipes that auto found, those of equal arithmetic together
	Equal         bool              `json:"equal"`
	Total         int               `json:"total"`
	Different     int               `json:"different"`
	MaxULP        uint64            `json:"maxULP"` // 2^64-1 for a NaN against a number
	First         []difference      `json:"first"`
	Kernel        *kernelCheck      `json:"kernel,omitempty"`
	Tried         []triedRecipe     `json:"tried,omitempty"`
	NotApplicable []untriableRecipe `json:"notApplicable,omitempty"`
}

type difference struct {
	M           int            `json:"m"`
	N           int            `json:"n"`
	Got         number         `json:"got"`
	Want        number         `json:"want"`
	GotBits     string         `json:"gotBits"`
	WantBits    string         `json:"wantBits"`
	ULP         uint64         `json:"ulp"`
	WithinBound bool           `json:"withinBound"`
	Suspects    []suspectBlock `json:"suspects,omitempty"`
}

type suspectBlock struct {
	Block  int    `json:"block"`
	FromK  int    `json:"fromK"`
	ToK    int    `json:"toK"`
	Factor number `json:"factor"`
	Reason string `json:"reason"`
}

type triedRecipe struct {
	Recipes   []string `json:"recipes"`
	Different int      `json:"different"`
	MaxULP    uint64   `json:"maxULP"`
}

type untriableRecipe struct {
	Recipes []string `json:"recipes"`
	Reason  string   `json:"reason"`
}

// autoDocument is the part of the document that lists what auto tried.
func autoDocument(trials []trial, unfit []inapplicable) checkDocument {
	var d checkDocument
	for _, t := range trials {
		if t.report.Equal() {
			d.Fits = append(d.Fits, t.names)
		}
		d.Tried = append(d.Tried, triedRecipe{t.names, t.report.Different, t.report.MaxULP})
	}
	for _, u := range unfit {
		d.NotApplicable = append(d.NotApplicable, untriableRecipe{u.names, u.reason})
	}
	return d
}

// fill completes the document with what was compared.
func (d *checkDocument) fill(r ref.Report) {
	d.Equal, d.Total, d.Different, d.MaxULP = r.Equal(), r.Total, r.Different, r.MaxULP
	d.First = []difference{}
	for _, x := range r.First {
		digits := r.Format.Width() / 4
		one := difference{
			M: x.M, N: x.N, Got: number(x.Got), Want: number(x.Want), ULP: x.ULP, WithinBound: x.WithinBound,
			GotBits:  fmt.Sprintf("0x%0*X", digits, r.Format.Bits(x.Got)),
			WantBits: fmt.Sprintf("0x%0*X", digits, r.Format.Bits(x.Want)),
		}
		for _, s := range x.Suspects {
			one.Suspects = append(one.Suspects, suspectBlock{s.Block, s.FromK, s.ToK, number(s.Factor), s.Reason})
		}
		d.First = append(d.First, one)
	}
}

// write is the document for people.
func (d *checkDocument) write(w io.Writer, recipe ref.Recipe, r ref.Report) error {
	var s strings.Builder
	if len(d.Tried) > 0 {
		d.writeTrials(&s)
	}
	if len(d.Fits) == 0 {
		fmt.Fprintf(&s, "recipe %v: ", recipe)
	}
	s.WriteString(strings.TrimSuffix(r.Text(len(r.First)), "\n") + "\n")
	if d.Kernel != nil {
		fmt.Fprintln(&s, d.Kernel)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

func (d *checkDocument) writeTrials(s *strings.Builder) {
	t := newTable("recipe", "different ", "max ULP ")
	for _, x := range d.Tried {
		if x.Different > 0 {
			t.add(strings.Join(x.Recipes, " = "), x.Different, ulpText(x.MaxULP))
		}
	}
	if len(t.rows) > 0 {
		s.WriteString("These do not fit:\n")
		t.write(s)
	}
	if len(d.NotApplicable) > 0 {
		s.WriteString("These cannot multiply the operands:\n")
		for _, x := range d.NotApplicable {
			fmt.Fprintf(s, "%s: %s\n", strings.Join(x.Recipes, " = "), x.Reason)
		}
	}
	switch len(d.Fits) {
	case 0:
		s.WriteString("No recipe fits. The nearest:\n")
	case 1:
		s.WriteString("One recipe fits:\n")
	default:
		fmt.Fprintf(s, "%d recipes fit, these operands do not tell them apart:\n", len(d.Fits))
	}
	for _, names := range d.Fits {
		fmt.Fprintf(s, "%s\n", strings.Join(names, " = "))
	}
}
