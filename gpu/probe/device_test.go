package probe

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"blockfp8/gpu"
	"blockfp8/ref"
)

// modelDevice is a chip with the arithmetic of a model, or one that fails.
type modelDevice struct {
	model
	err error
}

func (d modelDevice) RunInstruction(i gpu.Instruction, t gpu.Tiles) ([]uint32, error) {
	return runModel(d.model, i, t), d.err
}

func runModel(m model, i gpu.Instruction, t gpu.Tiles) (bits []uint32) {
	for n := range t.Count() {
		bits = append(bits, m.run(tileAt(t, n, i.Rows()))...)
	}
	if m.anyNaN {
		for i, v := range bits {
			if isNaN(v) {
				bits[i] = 0x7FC00000
			}
		}
	}
	return bits
}

var (
	ada    = gpu.Target{Arch: gpu.Arch{Major: 8, Minor: 9}}
	hopper = gpu.Target{Arch: gpu.Arch{Major: 9, Minor: 0}}
	rtx    = gpu.Target{Arch: gpu.Arch{Major: 12, Minor: 0}}
	gb10   = gpu.Target{Arch: gpu.Arch{Major: 12, Minor: 1}}
)

func smallOptions(i gpu.Instruction) Options {
	return Options{Outputs: 4 * len(categories) * i.Rows() * columns, Problems: 1, Seed: 1}
}

// A chip that differs from its datapath in one thing is found out, and the thing is
// named.
func TestSpoiltDatapaths(t *testing.T) {
	for _, c := range []struct {
		target      gpu.Target
		instruction gpu.Instruction
		base        ref.Datapath
		assumption  string
		spoil       func(*model)
	}{
		{rtx, gpu.MMA, ref.SM120, "sm120 but terms keep 24 fraction bits, not 25", func(m *model) { m.FractionBits = 24 }},
		{rtx, gpu.MMA, ref.SM120, "sm120 but terms keep 26 fraction bits, not 25", func(m *model) { m.FractionBits = 26 }},
		{gb10, gpu.MMA, ref.SM120, "sm120 but k is summed in halves", func(m *model) { m.Grouping = ref.Halves }},
		{rtx, gpu.MMA, ref.SM120, "sm120 but results are rounded to nearest even", func(m *model) { m.result = nearestEven }},
		{rtx, gpu.MMA, ref.SM120, "sm120 but subnormal codes are normalised", func(m *model) { m.NormalizesSubnormals = true }},
		{rtx, gpu.MMA, ref.SM120, "sm120 but NaN results have other bits than 7fffffff", func(m *model) { m.anyNaN = true }},
		{rtx, gpu.MMA, ref.SM120, "sm90wgmma", func(m *model) { m.Datapath = ref.SM90WGMMA }},
		{rtx, gpu.MMAScaled, ref.SM120MX, "sm120mx but zeros have exponent -132, not -133", func(m *model) { m.ZeroExponent = -132 }},
		{gb10, gpu.MMAScaled, ref.SM120MX, "sm120mx but the scale 0x00 is zero", func(m *model) { m.zeroScaleIsZero = true }},
		{hopper, gpu.WGMMA, ref.SM90WGMMA, "sm90wgmma but c is added last", func(m *model) { m.AddsCLast = true }},
		{ada, gpu.MMA, ref.SM89, "sm89 but terms are rounded down", func(m *model) { m.terms = downward }},
	} {
		m := model{Datapath: c.base}
		c.spoil(&m)
		r := probeInstruction(modelDevice{model: m}, c.instruction, c.target, smallOptions(c.instruction))
		switch {
		case r.Datapath != c.base.Name || r.Different == 0 || r.First == nil:
			t.Errorf("%s: %d different from %s", c.assumption, r.Different, r.Datapath)
		case r.Fits[0] != Fit{Assumption: c.assumption}:
			t.Errorf("%s: the best fit is %+v", c.assumption, r.Fits[0])
		}
	}
}

// The first mismatch holds all that is needed to repeat it.
func TestFirstMismatch(t *testing.T) {
	m := model{Datapath: ref.SM120MX, nanScaleIsNumber: true}
	r := probeInstruction(modelDevice{model: m}, gpu.MMAScaled, rtx, smallOptions(gpu.MMAScaled))
	f := r.First
	if f == nil || f.SA != 0xFF && f.SB != 0xFF || f.Want != nan || f.Got == nan {
		t.Fatalf("got %+v, want a NaN scale that gave a number", f)
	}
	tiles := drawTiles(gpu.MMAScaled, 4, 1)
	tile := tileAt(tiles, f.Tile, 16)
	if f.Category != categories[f.Tile/4].name || f.A != hexOf(tile.a[f.Row]) || f.B != hexOf(tile.b[f.Column]) || f.C != tile.c[f.Row*columns+f.Column] {
		t.Errorf("%s is not that output of the tile", f.Line())
	}
}

// Where nobody knows the chip, or its driver emulates the instruction in another
// way, the report says what fits.
func TestUnmodelledChips(t *testing.T) {
	old := hopper
	old.Compiler = 12040
	apart := model{Datapath: ref.SM90MMA, groupsApart: true}
	for name, c := range map[string]struct {
		target    gpu.Target
		model     model
		different bool
		fits      string
	}{
		"an old driver":   {old, apart, true, "sm90mma but k is summed in pairs of every four, each part from 0, and c + (first + second) are additions"},
		"a new chip":      {gpu.Target{Arch: gpu.Arch{Major: 10, Minor: 3}}, model{Datapath: ref.SM120}, false, "sm120"},
		"a new RTX":       {gpu.Target{Arch: gpu.Arch{Major: 12, Minor: 5}}, model{Datapath: ref.SM89}, false, "sm89"},
		"nothing like it": {gpu.Target{Arch: gpu.Arch{Major: 13, Minor: 0}}, model{Datapath: ref.SM89, terms: downward}, true, "sm89 but terms are rounded down"},
	} {
		r := probeInstruction(modelDevice{model: c.model}, gpu.MMA, c.target, smallOptions(gpu.MMA))
		if r.Unmodelled == "" || (r.Different > 0) != c.different || !slices.Contains(r.Fits, Fit{Assumption: c.fits}) {
			t.Errorf("%s: %q, %d different from %s, fits %+v", name, r.Unmodelled, r.Different, r.Datapath, r.Fits[0])
		}
	}
}

func TestInstructionsThatDoNotRun(t *testing.T) {
	fine := modelDevice{model: model{Datapath: ref.SM90WGMMA}}
	if r := probeInstruction(fine, gpu.WGMMA, rtx, smallOptions(gpu.WGMMA)); !strings.Contains(r.Absent, "Hopper") || r.Outputs != 0 {
		t.Errorf("wgmma on sm_120: %+v", r)
	}
	refusing := modelDevice{err: &gpu.JITError{Log: "too new", Cause: errors.New("no")}}
	if r := probeInstruction(refusing, gpu.MMA, rtx, smallOptions(gpu.MMA)); !strings.Contains(r.Refused, "too new") || r.Outputs != 0 {
		t.Errorf("a driver that refuses: %+v", r)
	}
	failing := modelDevice{err: gpu.ErrFault}
	r := Report{Instructions: []InstructionReport{probeInstruction(failing, gpu.MMA, rtx, smallOptions(gpu.MMA))}}
	if len(r.Failures()) != 1 || !strings.Contains(r.Failures()[0], "mma.sync") || len(r.NotRun()) != 0 {
		t.Errorf("a device that faults: %+v", r)
	}
}
