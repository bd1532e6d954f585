package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestExplainTiles(t *testing.T) {
	var d struct {
		Chip struct {
			Product   string
			MMACycles float64
		}
		Planned string
		Forms   []struct {
			Kernel       string
			Microseconds float64
			Bound        string
			Parts        []struct{ Name string }
		}
	}
	out := succeed(t, "explain", "8", "256", "256", "--tiles", "--mma-cycles", "8", "--json")
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	if d.Chip.Product != "RTX PRO 6000 Blackwell" || d.Chip.MMACycles != 8 {
		t.Errorf("chip %+v, want the RTX PRO 6000 at 8 cycles for each MMA", d.Chip)
	}
	planned := false
	for _, f := range d.Forms {
		planned = planned || f.Kernel == d.Planned
		if f.Microseconds <= 0 || f.Bound == "" || len(f.Parts) != 7 || !strings.HasPrefix(f.Kernel, "w8a8_f32scale_mma_") {
			t.Errorf("got %+v, want a time of a form of f32scale mma from 7 parts", f)
		}
	}
	if !planned || len(d.Forms) < 10 {
		t.Errorf("%d forms, the planned %s among them: %t", len(d.Forms), d.Planned, planned)
	}
}

func TestExplainTilesText(t *testing.T) {
	out := succeed(t, "explain", "8", "256", "256", "--tiles", "--input", "e8m0", "--arch", "sm_121")
	for _, words := range []string{"GB10, sm_121: predicted, not run on hardware", "w8a8_ue8m0_mx_l2", "registers", "planned"} {
		if !strings.Contains(out, words) {
			t.Errorf("%q is missing in\n%s", words, out)
		}
	}
}

// On Hopper the plan's family is one that the model does not know; another can be
// named.
func TestExplainTilesHopper(t *testing.T) {
	refuse(t, []string{"wgmma", "unsupported", "warpgroups"}, "explain", "8", "256", "256", "--tiles", "--arch", "sm_90")
	out := succeed(t, "explain", "8", "256", "256", "--tiles", "--arch", "sm_90", "--kernel", "w8a8_f32scale_mma_l3_t1")
	if !strings.Contains(out, "H200, sm_90") || strings.Contains(out, "wgmma") {
		t.Errorf("want f32scale mma on an H200:\n%s", out)
	}
}

func TestExplainPredicts(t *testing.T) {
	out := succeed(t, "explain", "8", "256", "256")
	for _, words := range []string{"predicted, not run on hardware: ", "bound by ", "issue slots", "of the memory's rate"} {
		if !strings.Contains(out, words) {
			t.Errorf("%q is missing in\n%s", words, out)
		}
	}
	if out := succeed(t, "explain", "8", "256", "256", "--arch", "sm_90"); strings.Contains(out, "predicted") {
		t.Errorf("a prediction for MMAs of warpgroups:\n%s", out)
	}
}
