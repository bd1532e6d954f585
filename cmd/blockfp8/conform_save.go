package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"blockfp8/fuzz"
	"blockfp8/fuzz/external"
	"blockfp8/ref"
)

// What a saved failure consists of. Both folders hold a problem with what the program
// answered, c.npy, and should have, want.npy: one as small as it could be made, one
// as it was found. The map shows where the answer to the latter is wrong.
const (
	failureName = "failure.json" // to replay
	reportName  = "report.txt"
	mapName     = "map.png"
	smallName   = "small"
	foundName   = "found"
)

// failureFile is the record in a folder that save made, or the file itself.
func failureFile(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, failureName)
	}
	return path
}

// save writes the failure over what an earlier run has saved.
func (x *conformance) save() error {
	x.saved = x.Save
	for _, name := range []string{failureName, reportName, mapName, smallName, foundName} {
		if err := os.RemoveAll(filepath.Join(x.Save, name)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(x.Save, 0o777); err != nil {
		return err
	}
	if err := x.saveRecord(); err != nil {
		return err
	}
	if _, err := x.saveProblem(smallName, x.failure.Problem); err != nil {
		return err
	}
	shown, err := x.saveProblem(foundName, x.foundProblem())
	if err != nil {
		return err
	}
	if shown != nil {
		x.mapped = shown.summary()
		if err := x.saveMap(*shown); err != nil {
			return err
		}
	}
	var report strings.Builder
	x.write(&report)
	return os.WriteFile(filepath.Join(x.Save, reportName), []byte(report.String()), 0o666)
}

// drawn reports whether the failing problem was drawn: the exhaustive properties
// make theirs.
func (x *conformance) drawn() bool { return !strings.HasPrefix(x.failure.Property, "every-") }

// foundProblem is the problem that failed first, before it was made small.
func (x *conformance) foundProblem() fuzz.Problem {
	if x.drawn() {
		return fuzz.Problems(x.program.Limits()).Example(x.failure.Seed)
	}
	return x.failure.Problem
}

func (x *conformance) saveRecord() error {
	record := x.failure.Record()
	if !x.drawn() {
		record.Property = "bits" // which does not hold for the same problem either
	}
	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(x.Save, failureName), append(text, '\n'), 0o666)
}

// saveProblem writes a problem, its result, and the program's answer if there is one,
// and then returns how they differ.
func (x *conformance) saveProblem(name string, p fuzz.Problem) (*ulpMap, error) {
	folder := filepath.Join(x.Save, name)
	if err := os.Mkdir(folder, 0o777); err != nil {
		return nil, err
	}
	a, b, err := p.Operands()
	if err != nil {
		return nil, err
	}
	recipe := x.program.Options.Recipe
	if err := external.Write(folder, a, b, p.Output, recipe.String()); err != nil {
		return nil, err
	}
	want := ref.NewMatrix(a.Rows(), b.Rows())
	if err := x.con.wait(func() error { return ref.MatMul(want, a, b, recipe) }); err != nil {
		return nil, err
	}
	if err := external.WriteResult(filepath.Join(folder, "want.npy"), want, p.Output); err != nil {
		return nil, err
	}
	got, err := x.program.Ask(a, b, p.Output)
	if err != nil { // that there is no answer is the failure, and in the report
		return nil, x.con.ctx.Err()
	}
	m := newULPMap(got, want, p.Output)
	return &m, external.WriteResult(filepath.Join(folder, "c.npy"), got, p.Output)
}

func (x *conformance) saveMap(m ulpMap) (err error) {
	file, err := os.Create(filepath.Join(x.Save, mapName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	p := x.foundProblem()
	return png.Encode(file, m.draw([]string{
		shortened(strings.Join(x.Command, " "), 120),
		fmt.Sprintf("recipe %v, K = %d", x.program.Options.Recipe, p.K()),
		m.summary(),
	}))
}

func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:most-3] + "..."
}
