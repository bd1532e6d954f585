package main

import (
	"strings"
	"testing"
)

// testdata/triton-sm90 is what Triton's kernel returned on an NVIDIA H200, see
// make.py and record there.
func tritonSM90(more ...string) []string {
	const dir = "testdata/triton-sm90/"
	return append([]string{
		"check", "--a", dir + "a.npy", "--as", dir + "as.npy", "--b", dir + "b.npy", "--bs", dir + "bs.npy",
		"--bs-type", "e8m0", "--c", dir + "c.npy", "--output", "bf16",
	}, more...)
}

func TestCheckTritonOnH200(t *testing.T) {
	out := succeed(t, tritonSM90("--recipe", "triton-sm90")...)
	if !strings.Contains(out, "all 1000 elements equal in every bit") {
		t.Errorf("got %q", out)
	}
}

// The same bytes are wrong for every other chip's datapath.
func TestCheckTritonOnH200IsNoOtherChip(t *testing.T) {
	for _, recipe := range []string{"sm89", "sm90mma", "sm100", "sm120", "exact"} {
		if o := command(t, tritonSM90("--recipe", recipe)...); o.code != exitDifferent {
			t.Errorf("%s: exit %d, want %d", recipe, o.code, exitDifferent)
		}
	}
}
