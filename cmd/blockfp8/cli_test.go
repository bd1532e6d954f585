package main

import (
	"strings"
	"testing"
)

func TestVersionAndHelp(t *testing.T) {
	if out := succeed(t, "--version"); !strings.HasPrefix(out, "blockfp8 ") || strings.Count(out, "\n") != 1 {
		t.Errorf("--version printed %q", out)
	}
	for _, args := range [][]string{{"--help"}, {"run", "--help"}, {"inspect", "--help"}, {"quantize", "--help"}, {"check", "--help"}, {"explain", "--help"}, {"recipes", "--help"}} {
		if out := succeed(t, args...); !strings.Contains(out, "Usage: blockfp8") {
			t.Errorf("%q printed %q", args, out)
		}
	}
}

func TestBadCommandLines(t *testing.T) {
	refuse(t, []string{"expected one of"})
	refuse(t, []string{"fly"}, "fly")
	refuse(t, []string{"--bogus"}, "run", "--bogus")
	refuse(t, []string{"--naming", "v9"}, "quantize", "a", "b", "--naming", "v9")
	refuse(t, []string{"ROWSxCOLS", "128by128"}, "inspect", "x", "--block", "128by128")
	refuse(t, []string{"ROWSxCOLS", "0x128"}, "inspect", "x", "--block", "0x128")
	refuse(t, []string{"missing flags"}, "check")
	refuse(t, []string{"--m", "-1"}, "run", "--m=-1")
	refuse(t, []string{"--scale-down", "0"}, "run", "--scale-down", "0")
}
