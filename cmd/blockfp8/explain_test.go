package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// One block of level 0 multiplies [16,128] by [8,128]: everything can be counted by
// hand.
func TestExplainCounts(t *testing.T) {
	var d struct {
		Chip       string
		LeastBytes int64
		MMAs       uint64
		LeastMMAs  int64
		LeastUs    float64 `json:"leastMicroseconds"`
		Kernels    []struct {
			Kernel                    string
			AtLoad                    bool
			Launches, Blocks, MMAs    uint64
			GlobalRead, GlobalWritten uint64
			InstructionsByClass       map[string]uint64
		}
	}
	out := succeed(t, "explain", "16", "8", "128", "--kernel", "w8a8_f32scale_mma_l0", "--json")
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	// Codes 16*128 + 8*128, scales 4*(16 + 1), results 2*16*8.
	if d.Chip != "emulated sm_120" || d.LeastBytes != 3396 || d.MMAs != 4 || d.LeastMMAs != 4 {
		t.Errorf("got %+v, want emulated sm_120, 3396 bytes and 4 MMAs", d)
	}
	if len(d.Kernels) != 2 {
		t.Fatalf("%d kernels, want the upcast and the multiplication", len(d.Kernels))
	}
	upcast, gemm := d.Kernels[0], d.Kernels[1]
	if upcast.Kernel != "upcast_e8m0" || !upcast.AtLoad || upcast.GlobalRead != 1 || upcast.GlobalWritten != 4 {
		t.Errorf("got %+v, want an upcast of one scale", upcast)
	}
	if gemm.Kernel != "w8a8_f32scale_mma_l0" || gemm.AtLoad || gemm.Launches != 1 || gemm.Blocks != 1 || gemm.MMAs != 4 || gemm.GlobalWritten != 256 {
		t.Errorf("got %+v, want one launch of one block, 4 MMAs and 256 bytes written", gemm)
	}
	if n := gemm.InstructionsByClass["matrix multiply"]; n != 4*32 {
		t.Errorf("%d threads multiplied matrices, want 128", n)
	}
}

func TestExplainText(t *testing.T) {
	out := succeed(t, "explain", "1", "256", "256", "--input", "bf16", "--arch", "sm_121")
	for _, words := range []string{
		"emulated sm_121: counted, not timed", "recipe    sm120/act-then-weight/k128/bf16", "launches  quantize_activations_bf16, w8a8",
		"GB10", "once, when the weight is loaded", "bank conflicts",
	} {
		if !strings.Contains(out, words) {
			t.Errorf("%q is missing in\n%s", words, out)
		}
	}
}

// The family that takes E8M0 scales upcasts nothing.
func TestExplainE8M0(t *testing.T) {
	out := succeed(t, "explain", "3", "130", "256", "--input", "e8m0")
	if !strings.Contains(out, "recipe    sm120mx/in-mma/bf16") || strings.Contains(out, "upcast") {
		t.Errorf("want the recipe sm120mx and no upcast:\n%s", out)
	}
}

func TestExplainRefuses(t *testing.T) {
	refuse(t, []string{"M N K", "0 1 1"}, "explain", "0", "1", "1")
	refuse(t, []string{"sm_120", "turing"}, "explain", "1", "1", "1", "--arch", "turing")
	refuse(t, []string{"sm_75", "unsupported"}, "explain", "1", "1", "1", "--arch", "sm_75")
	refuse(t, []string{"kernel", "bogus"}, "explain", "1", "1", "1", "--kernel", "bogus")
}
