package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"blockfp8/gpu"
	"blockfp8/gpu/probe"
)

// probeDocument is what probe reports, as JSON.
type probeDocument struct {
	Version string      `json:"version"` // of this module
	Date    string      `json:"date"`
	Device  benchDevice `json:"device"`
	Driver  string      `json:"driver,omitempty"` // of the kernel, where it says
	CUDA    string      `json:"cuda,omitempty"`   // in the driver; none on an emulated device
	Seed    uint64      `json:"seed"`
	probe.Report
}

func newProbeDocument(dev *gpu.Device, seed uint64, now time.Time) *probeDocument {
	d := &probeDocument{Version: version(), Date: now.UTC().Format(time.DateOnly), Device: describeDevice(dev), Seed: seed}
	if v := dev.Target().Compiler; v != 0 {
		d.CUDA = fmt.Sprintf("%d.%d", v/1000, v%1000/10)
		d.Driver = kernelDriver()
	}
	return d
}

// print writes the report. What failed to run is an error like bad input: the
// question was not answered.
func (d *probeDocument) print(con *console, asJSON bool) error {
	var err error
	if asJSON {
		err = writeJSON(con.out, d)
	} else {
		err = d.write(con.out)
	}
	switch failures := d.Failures(); {
	case err != nil:
		return err
	case len(failures) > 0:
		return errors.New(strings.Join(failures, "; "))
	case d.Different() > 0:
		return errDifferent
	}
	return nil
}

func (d *probeDocument) write(w io.Writer) error {
	fmt.Fprintf(w, "blockfp8 probe, version %s, %s, seed %d\n%s\n", d.Version, d.Date, d.Seed, d.Device)
	fmt.Fprintf(w, "driver %s, CUDA %s\n\n", orNone(d.Driver), orNone(d.CUDA))
	for i := range d.Instructions {
		writeInstruction(w, &d.Instructions[i])
	}
	writeKernels(w, &d.Kernels)
	fmt.Fprintln(w)
	if err := d.categories().write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", d.conclusion())
	return err
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func writeInstruction(w io.Writer, r *probe.InstructionReport) {
	switch {
	case r.Absent != "":
		fmt.Fprintf(w, "%s: none: %s\n", r.Instruction, r.Absent)
		return
	case r.Refused != "":
		fmt.Fprintf(w, "%s: NOT RUN: %s\n", r.Instruction, r.Refused)
		return
	case r.Failed != "":
		fmt.Fprintf(w, "%s: FAILED: %s\n", r.Instruction, r.Failed)
		return
	case r.Unmodelled != "":
		fmt.Fprintf(w, "%s: %s\n  of the published models, %s explains most\n", r.Instruction, r.Unmodelled, r.Datapath)
	}
	fmt.Fprintf(w, "%s: %d outputs against datapath %s: %s\n", r.Instruction, r.Outputs, r.Datapath, verdict(r.Different))
	if r.First != nil {
		fmt.Fprintf(w, "  first: %s\n", r.First.Line())
	}
	if len(r.Fits) > 0 {
		writeFits(w, r.Fits)
	}
}

// closestFits is how many assumptions are shown where none explains everything.
const closestFits = 3

// writeFits shows the assumptions that explain every output, or the closest ones.
func writeFits(w io.Writer, fits []probe.Fit) {
	n := 0
	for n < len(fits) && fits[n].Different == 0 {
		fmt.Fprintf(w, "  would fit every output: %s\n", fits[n].Assumption)
		n++
	}
	if n > 0 {
		return
	}
	fmt.Fprintf(w, "  none of %d assumptions fits; the closest are\n", len(fits))
	for _, f := range fits[:min(closestFits, len(fits))] {
		fmt.Fprintf(w, "  %d outputs not explained: %s\n", f.Different, f.Assumption)
	}
}

func writeKernels(w io.Writer, r *probe.KernelsReport) {
	if r.Skipped != "" {
		fmt.Fprintf(w, "kernels: NOT RUN: %s\n", r.Skipped)
		return
	}
	compared := 0
	for _, f := range r.Forms {
		if f.Outputs > 0 {
			compared++
		}
	}
	fmt.Fprintf(w, "kernels: %d outputs of %d forms in %d problems against the oracle: %s\n", r.Outputs, compared, r.Problems, verdict(r.Different))
	if r.First != nil {
		fmt.Fprintf(w, "  first: %s\n", r.First.Line())
	}
	for _, f := range r.Forms {
		switch {
		case f.Refused != "":
			fmt.Fprintf(w, "  %s: NOT RUN: %s\n", f.Form, f.Refused)
		case f.Different > 0:
			fmt.Fprintf(w, "  %s: %d of %d differ\n", f.Form, f.Different, f.Outputs)
		}
	}
	if r.Failed != "" {
		fmt.Fprintf(w, "kernels: FAILED: %s\n", r.Failed)
	}
}

// categories is the table of outputs by category: a column for each instruction
// that was run.
func (d *probeDocument) categories() *table {
	headings := []string{"different / outputs of"}
	var run []probe.InstructionReport
	for _, i := range d.Instructions {
		if len(i.Categories) > 0 {
			run = append(run, i)
			headings = append(headings, i.Instruction+" ")
		}
	}
	t := newTable(headings...)
	for n := 0; len(run) > 0 && n < len(run[0].Categories); n++ {
		row := []any{run[0].Categories[n].Name}
		for _, i := range run {
			row = append(row, fmt.Sprintf("%d / %d", i.Categories[n].Different, i.Categories[n].Outputs))
		}
		t.add(row...)
	}
	return t
}

// conclusion is the report in one line.
func (d *probeDocument) conclusion() string {
	agrees, publish := "every bit agrees", "Please publish this report."
	if notRun := d.NotRun(); len(notRun) > 0 {
		agrees = fmt.Sprintf("every bit of what was run agrees; %d NOT RUN, see above", len(notRun))
	}
	if d.CUDA == "" {
		publish = "The device is emulated: this says nothing about hardware."
	}
	switch {
	case len(d.Failures()) > 0:
		return "RESULT: FAILED, see above. " + publish
	case d.Different() > 0:
		return fmt.Sprintf("RESULT: %d outputs DIFFER. %s", d.Different(), publish)
	}
	return "RESULT: " + agrees + ". " + publish
}
