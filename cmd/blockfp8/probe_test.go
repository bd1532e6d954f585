package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"blockfp8/gpu/probe"
)

func TestProbeEmulated(t *testing.T) {
	out := succeed(t, "probe", "--emulated", "sm_120", "--outputs", "3000", "--problems", "1")
	for _, part := range []string{
		"emulated sm_120", "mma.sync m16n8k32 e4m3: 4096 outputs against datapath sm120: every bit agrees", "datapath sm120mx: every bit agrees",
		"one NaN", "256", "RESULT: every bit agrees. The device is emulated",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("the report lacks %q:\n%s", part, out)
		}
	}
	var d probeDocument
	if err := json.Unmarshal([]byte(succeed(t, "probe", "--emulated", "sm_90", "--outputs", "1", "--problems", "1", "--json")), &d); err != nil {
		t.Fatal(err)
	}
	if d.Device.Arch != "sm_90" || d.CUDA != "" || d.Instructions[0].Outputs != 2048 || d.Instructions[1].Absent == "" ||
		d.Instructions[2].Datapath != "sm90wgmma" || d.Instructions[2].Outputs != 8192 || d.Instructions[2].Different != 0 {
		t.Errorf("got %+v", d)
	}
	if got, want := d.conclusion(), "RESULT: every bit agrees. The device is emulated: this says nothing about hardware."; got != want {
		t.Errorf("the conclusion is %q, want %q", got, want)
	}
}

func TestProbeRefuses(t *testing.T) {
	refuse(t, []string{"--outputs", "got 0"}, "probe", "--outputs", "0")
	refuse(t, []string{"--problems", "got -1"}, "probe", "--problems=-1")
	refuse(t, []string{"sm_100", "sm_120"}, "probe", "--emulated", "sm_100")
	refuse(t, []string{"sm_120", `"rtx"`}, "probe", "--emulated", "rtx")
	withoutDevice(t)
	refuse(t, []string{"unavailable"}, "probe")
}

// exampleProbe is a chip that sums the products in halves, on a driver that does not
// take the kernel with scales.
func exampleProbe() *probeDocument {
	const name = "sm120"
	return &probeDocument{
		Version: "v1.2.3", Date: "2027-01-02", Driver: "600.10", CUDA: "12.8", Seed: 7,
		Device: benchDevice{"Example", "sm_120", 188},
		Report: probe.Report{
			Instructions: []probe.InstructionReport{
				{
					Instruction: "mma", Datapath: name, Outputs: 300, Different: 2,
					Categories: []probe.CategoryCount{{Name: "plain", Outputs: 200}, {Name: "signed zeros", Outputs: 100, Different: 2}},
					First: &probe.Mismatch{
						Category: "signed zeros", Tile: 4, Row: 15, Column: 7, A: "7e80", B: "0138", SA: 0x7F, SB: 0xFF, C: 0x80000000, Got: 0x3F800000, Want: 0x7FFFFFFF,
					},
					Fits: []probe.Fit{{Assumption: name + " but in halves"}, {Assumption: "sm100", Different: 2}},
				},
				{Instruction: "scaled", Refused: "too new"},
				{Instruction: "wgmma", Absent: "an instruction of Hopper"},
			},
			Kernels: probe.KernelsReport{
				Problems: 2, Outputs: 100, Different: 1,
				Forms: []probe.FormCount{{Form: "l0", Outputs: 60}, {Form: "l1", Outputs: 40, Different: 1}, {Form: "l2"}, {Form: "mx", Refused: "too new"}},
				First: &probe.KernelMismatch{Form: "l1", Problem: "M=1", Recipe: "r", Row: 1, Column: 2, Got: 0x3F80, Want: 0x3F81},
			},
		},
	}
}

func TestProbeReport(t *testing.T) {
	var out bytes.Buffer
	if err := exampleProbe().print(&console{out: &out}, false); !errors.Is(err, errDifferent) {
		t.Errorf("got error %v", err)
	}
	want := `blockfp8 probe, version v1.2.3, 2027-01-02, seed 7
Example, sm_120, 188 multiprocessors
driver 600.10, CUDA 12.8

mma: 300 outputs against datapath sm120: 2 differ
  first: signed zeros, tile 4, row 15, column 7: got 3f800000, want 7fffffff; c 80000000, scales 7f ff, a 7e80, b 0138
  would fit every output: sm120 but in halves
scaled: NOT RUN: too new
wgmma: none: an instruction of Hopper
kernels: 100 outputs of 2 forms in 2 problems against the oracle: 1 differ
  first: l1, M=1, recipe r, row 1, column 2: got 3f80, want 3f81
  l1: 1 of 40 differ
  mx: NOT RUN: too new

different / outputs of      mma
plain                   0 / 200
signed zeros            2 / 100

RESULT: 3 outputs DIFFER. Please publish this report.
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestProbeReportOfAnUnknownChip(t *testing.T) {
	var out bytes.Buffer
	writeInstruction(&out, &probe.InstructionReport{
		Instruction: "mma", Unmodelled: "sm_103: not modelled", Datapath: "sm100", Outputs: 300, Different: 5,
		Fits: []probe.Fit{{Assumption: "a", Different: 1}, {Assumption: "b", Different: 2}, {Assumption: "c", Different: 3}, {Assumption: "d", Different: 4}},
	})
	want := `mma: sm_103: not modelled
  of the published models, sm100 explains most
mma: 300 outputs against datapath sm100: 5 differ
  none of 4 assumptions fits; the closest are
  1 outputs not explained: a
  2 outputs not explained: b
  3 outputs not explained: c
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestProbeFailures(t *testing.T) {
	d := exampleProbe()
	d.Instructions[0] = probe.InstructionReport{Instruction: "mma", Failed: "device fault"}
	var out bytes.Buffer
	err := d.print(&console{out: &out}, false)
	if err == nil || errors.Is(err, errDifferent) || !strings.Contains(err.Error(), "device fault") || !strings.Contains(out.String(), "mma: FAILED: device fault") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestDriverVersion(t *testing.T) {
	for text, want := range map[string]string{
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (root@host)  \nGCC version:  gcc version 15.3.0 (GCC) \n": "580.159.04",
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.57  Mon Jul 19 16:45:03 UTC 2021\n":                                                       "470.57",
		"": "",
	} {
		if got := driverOf(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
