package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const adapters = "../../docs/adapters/"

// The kernels of the guide follow the recipes that it names. They need what is not on
// every machine.
func TestAdapterForPython(t *testing.T) {
	if err := exec.Command("python3", "-c", "import numpy").Run(); err != nil {
		t.Skip("no python3 with NumPy")
	}
	checkAdapter(t, "exact/act-then-weight-unfused/k128/bf16", "python3", adapters+"numpy_kernel.py")
}

func TestAdapterForCPlusPlus(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	kernel := filepath.Join(t.TempDir(), "kernel")
	if out, err := exec.Command("g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-O2", "-x", "c++", "-o", kernel, adapters+"cuda_kernel.cu").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	checkAdapter(t, "exact/act-then-weight/k128/bf16", kernel)
}

func checkAdapter(t *testing.T, recipe string, kernel ...string) {
	t.Helper()
	for _, scales := range []string{"fp32", "e8m0"} {
		args := append([]string{"conform", "--recipe", recipe, "--as-type", scales, "--bs-type", scales, "--problems", "50", "--empty", "--"}, kernel...)
		if out := succeed(t, args...); !strings.Contains(out, "The program follows the recipe") {
			t.Errorf("%s: %s", scales, out)
		}
	}
}
