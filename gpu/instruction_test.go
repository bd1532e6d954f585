package gpu

import (
	"errors"
	"strings"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

func TestInstructionDatapaths(t *testing.T) {
	for _, c := range []struct {
		instruction Instruction
		target      Target
		want        string
		why         string // of the error
	}{
		{MMA, Target{Arch: Arch{Major: 8, Minor: 9}}, ref.SM89.Name, ""},
		{MMA, Target{Arch: Arch{Major: 9, Minor: 0}, Compiler: 13000}, ref.SM90MMA.Name, ""},
		{MMA, Target{Arch: Arch{Major: 9, Minor: 0}, Compiler: 12080}, "", "emulates FP8"},
		{MMA, Target{Arch: Arch{Major: 12, Minor: 1}}, ref.SM120.Name, ""},
		{MMA, Target{Arch: Arch{Major: 11, Minor: 0}}, "", "not been modelled"},
		{MMA, Target{Arch: Arch{Major: 8, Minor: 6}}, "", "begin with sm_89"},
		{MMAScaled, Target{Arch: Arch{Major: 12, Minor: 0}}, ref.SM120MX.Name, ""},
		{MMAScaled, Target{Arch: Arch{Major: 12, Minor: 7}}, "", "not been modelled"},
		{MMAScaled, Target{Arch: Arch{Major: 9, Minor: 0}}, "", "RTX Blackwell"},
		{WGMMA, Target{Arch: Arch{Major: 9, Minor: 0}, Compiler: 12080}, ref.SM90WGMMA.Name, ""},
		{WGMMA, Target{Arch: Arch{Major: 10, Minor: 0}}, "", "Hopper"},
		{WGMMA + 1, Target{Arch: Arch{Major: 9, Minor: 0}}, "", "Instruction(3)"},
	} {
		d, err := c.instruction.Datapath(c.target)
		switch {
		case c.why == "" && (err != nil || d.Name != c.want):
			t.Errorf("%v on %v: %s, %v; want %s", c.instruction, c.target, d.Name, err, c.want)
		case c.why != "" && (!errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), c.why)):
			t.Errorf("%v on %v: %v, want unsupported because %q", c.instruction, c.target, err, c.why)
		}
	}
}

func TestRunInstructionRefuses(t *testing.T) {
	d := newDevice(newFake(Arch{Major: 9, Minor: 0}))
	whole := Tiles{A: make([][32]scale.E4M3, 16), B: make([][32]scale.E4M3, 8), C: make([]uint32, 128)}
	if _, err := d.RunInstruction(MMAScaled, whole); !errors.Is(err, ErrUnsupported) {
		t.Errorf("an instruction of another chip: %v", err)
	}
	short := whole
	short.C = short.C[1:]
	if _, err := d.RunInstruction(MMA, short); !errors.Is(err, scale.ErrShape) {
		t.Errorf("a tile that lacks an accumulator: %v", err)
	}
	if _, err := d.RunInstruction(WGMMA, whole); !errors.Is(err, scale.ErrShape) || !strings.Contains(err.Error(), "64 rows") {
		t.Errorf("a tile of too few rows: %v", err)
	}
	if err := whole.check(MMAScaled); !errors.Is(err, scale.ErrShape) {
		t.Errorf("tiles without scales: %v", err)
	}
	if bits, err := d.RunInstruction(MMA, Tiles{}); err != nil || bits != nil {
		t.Errorf("no tiles: %v, %v", bits, err)
	}
	closeTest(t, d)
	if _, err := d.RunInstruction(MMA, whole); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed device: %v", err)
	}
}
