package main

import (
	"testing"

	"blockfp8/gpu"
)

// withoutDevice skips where there is a GPU.
func withoutDevice(t *testing.T) {
	t.Helper()
	if n, err := gpu.Devices(); err == nil && n > 0 {
		t.Skip("there is a device")
	}
}

func TestBenchWithoutDevice(t *testing.T) {
	withoutDevice(t)
	refuse(t, []string{"unavailable"}, "bench", "decode")
	refuse(t, []string{"unavailable"}, "bench", "gemm", "--json")
}

func TestBenchRefuses(t *testing.T) {
	refuse(t, []string{"--tp", "3"}, "bench", "decode", "--tp", "3")
	refuse(t, []string{"--input", "fp4"}, "bench", "decode", "--input", "fp4")
	refuse(t, []string{"--m", "at least 1", "got 0"}, "bench", "decode", "--m", "1,0")
	refuse(t, []string{"--samples", "got 0"}, "bench", "decode", "--samples", "0")
	refuse(t, []string{"--steps", "got -1"}, "bench", "decode", "--steps=-1")
	refuse(t, []string{"--m", "got -4"}, "bench", "gemm", "--m=-4")
	refuse(t, []string{"NxK", `"4096"`}, "bench", "gemm", "--shapes", "4096")
	refuse(t, []string{"NxK", `"0x128"`}, "bench", "gemm", "--shapes", "128x128,0x128")
	refuse(t, []string{"NxK", "1073741824 elements"}, "bench", "gemm", "--shapes", "65536x65536")
	refuse(t, []string{"auto, all", `"99"`}, "bench", "gemm", "--levels", "99")
}

func TestBenchHelp(t *testing.T) {
	for _, args := range [][]string{{"bench", "--help"}, {"bench", "decode", "--help"}, {"bench", "gemm", "--help"}} {
		succeed(t, args...)
	}
}
