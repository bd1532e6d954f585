package main

import (
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blockfp8/internal/testkernel"
)

func TestMain(m *testing.M) {
	testkernel.RunIfAsked()
	os.Exit(m.Run())
}

// conform is a command line that holds a kernel, right or wrong in a chosen way, to
// the oracle.
func conform(how string, flags ...string) []string {
	return slices.Concat([]string{"conform", "--problems", "100"}, flags, []string{"--"}, testkernel.Command(how))
}

func TestConformRight(t *testing.T) {
	out := succeed(t, conform("right", "--recipe", "sm120", "--empty")...)
	for _, want := range []string{"recipe sm120/act-then-weight/k128/bf16\n", "bits          holds, 100 problems", "The program follows the recipe"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// The recipe is found, with chips of equal arithmetic beside it.
func TestConformFindsTheRecipe(t *testing.T) {
	d := parseJSON[conformDocument](t, succeed(t, conform("right", "--json")...))
	if !d.Follows || d.Found == nil || d.Found.Fits != 24 || !slices.Contains(d.Found.Names, "sm120/act-then-weight/k128/bf16") || len(d.Properties) != 4 {
		t.Errorf("%+v, %+v", d, d.Found)
	}
	out := succeed(t, conform("right")...)
	if !strings.Contains(out, "which the first 24 answers follow (the same as sm120/act-then-weight/k128/bf16)") {
		t.Error(out)
	}
}

func TestConformFailure(t *testing.T) {
	for how, c := range map[string]struct {
		m, n, k int
		why     string
	}{
		"last-scale": {1, 1, 129, "scales of block 0 used"},
		"grid":       {1, 129, 129, ""},
		"tail":       {1, 1, 1, "K block 0 (k 0..0): dropped"},
	} {
		dir := filepath.Join(t.TempDir(), "failure")
		o := command(t, conform(how, "--recipe", "sm120", "--save", dir)...)
		if o.code != exitDifferent || !strings.Contains(o.out, c.why) || !strings.Contains(o.out, "--replay "+dir) {
			t.Errorf("%s: exit %d: %s%s", how, o.code, o.out, o.err)
		}
		want := []string{"failure.json", "found", "map.png", "report.txt", "small"}
		for _, problem := range []string{"found", "small"} {
			for _, file := range []string{"a.npy", "as.npy", "b.npy", "bs.npy", "c.npy", "operands.safetensors", "problem.json", "want.npy"} {
				want = append(want, problem+"/"+file)
			}
		}
		slices.Sort(want)
		if got := listing(t, dir); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%s: saved %q", how, got)
		}
		if report := string(read(t, filepath.Join(dir, "report.txt"))); report != o.out {
			t.Errorf("%s: the report is %q", how, report)
		}
		d := parseJSON[conformDocument](t, command(t, conform(how, "--recipe", "sm120", "--save", dir, "--json")...).out)
		if f := d.Failure; d.Follows || f == nil || f.M > c.m || f.N > c.n || f.K > c.k || f.Comparison == nil || f.Comparison.Different == 0 {
			t.Errorf("%s: %+v", how, d.Failure)
		}
		checkFailureReplays(t, how, dir)
		checkSavedProblem(t, dir)
	}
}

// checkFailureReplays replays with the kernel at fault, with the right one, and from the file.
func checkFailureReplays(t *testing.T, how, dir string) {
	t.Helper()
	o := command(t, conform(how, "--replay", dir)...)
	if o.code != exitDifferent || !strings.Contains(o.out, "elements differ") || strings.Contains(o.out, "Saved") {
		t.Errorf("%s: replay: exit %d: %s%s", how, o.code, o.out, o.err)
	}
	if out := succeed(t, conform("right", "--replay", filepath.Join(dir, "failure.json"))...); !strings.Contains(out, "does not fail any more") {
		t.Errorf("%s: replay of the right kernel: %s", how, out)
	}
}

// checkSavedProblem has check come to the same conclusion from the files.
func checkSavedProblem(t *testing.T, dir string) {
	t.Helper()
	if img, err := png.Decode(strings.NewReader(string(read(t, filepath.Join(dir, "map.png"))))); err != nil || img.Bounds().Dx() < legendWidth {
		t.Errorf("the map is %v, %v", img, err)
	}
	for _, problem := range []string{"small", "found"} {
		at := func(name string) string { return filepath.Join(dir, problem, name) }
		var d struct {
			AScales string `json:"a_scales"`
			BScales string `json:"b_scales"`
		}
		if err := json.Unmarshal(read(t, at("problem.json")), &d); err != nil {
			t.Fatal(err)
		}
		for result, code := range map[string]int{"c.npy": exitDifferent, "want.npy": exitOK} {
			o := command(t, "check", "--a", at("a.npy"), "--as", at("as.npy"), "--b", at("b.npy"), "--bs", at("bs.npy"), "--c", at(result),
				"--as-type", d.AScales, "--bs-type", d.BScales, "--recipe", "sm120", "--device", "oracle")
			if o.code != code {
				t.Errorf("check of %s: exit %d: %s%s", at(result), o.code, o.out, o.err)
			}
		}
	}
}

// A kernel that crashes on some problems is a failure like any other, without a map.
func TestConformCrash(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "failure")
	o := command(t, conform("crashes", "--recipe", "sm120", "--save", dir, "--shrink", "200")...)
	if o.code != exitDifferent || !strings.Contains(o.out, "illegal memory access of row 2") || !strings.Contains(o.out, "A [3,1]") || strings.Contains(o.out, "Look at") {
		t.Errorf("exit %d: %s%s", o.code, o.out, o.err)
	}
	if o := command(t, conform("crashes", "--replay", dir)...); o.code != exitDifferent {
		t.Errorf("replay: exit %d: %s", o.code, o.out)
	}
}

// Programs that answer nothing are bad input.
func TestConformRefuses(t *testing.T) {
	for how, want := range map[string]string{"silent": "no such file", "rubbish": "magic number", "hangs": "no answer within 100ms"} {
		o := command(t, conform(how, "--recipe", "sm120", "--timeout", map[bool]string{true: "100ms", false: "60s"}[how == "hangs"])...)
		if o.code != exitBadInput || !strings.Contains(o.err, want) || !strings.Contains(o.err, "no answer to 3 problems") {
			t.Errorf("%s: exit %d: %s", how, o.code, o.err)
		}
	}
	refuse(t, []string{"no-such-kernel"}, "conform", "--", "no-such-kernel")
	refuse(t, []string{"--max-k", "at least 128", "got 64"}, conform("right", "--max-k", "64", "--step-k", "128")...)
	refuse(t, []string{"--recipe", "nonsense"}, conform("right", "--recipe", "nonsense")...)
	refuse(t, []string{"blocks"}, conform("right", "--recipe", "triton-sm90", "--block", "32x32")...)
	refuse(t, []string{"no-such-failure"}, conform("right", "--replay", "no-such-failure")...)
}

func TestConformInterrupted(t *testing.T) {
	c := conformCommand{
		Command: testkernel.Command("right"), Recipe: "sm120", Block: defaultBlock, AsType: "both", BsType: "both", Numbers: "any",
		MinM: 1, MaxM: 9, MaxN: 9, MaxK: 9, StepM: 1, StepN: 1, StepK: 1, Problems: 1, Shrink: 1, Timeout: 1e9, Save: t.TempDir(),
	}
	if err := c.Run(interrupted()); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("got %v", err)
	}
}
