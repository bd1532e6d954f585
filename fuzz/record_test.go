package fuzz_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blockfp8/fuzz"
)

// A failing problem is made small, saved, tried first by the next run, seen again by
// Replay, and passes once the kernel is right.
func TestFailuresAreSavedAndReplayed(t *testing.T) {
	options := fuzz.Options{Draws: 100, Dir: t.TempDir(), Properties: []string{"bits"}}
	wrong, right := myKernel{forgetsLastScale: true}, myKernel{}
	first := onlyFailure(t, wrong, options)
	if p := first.Problem; p.A.Rows != 1 || p.B.Rows != 1 || p.K() != 129 {
		t.Errorf("the smallest problem is not [1,129] by [1,129]: %v", p)
	}
	record, err := fuzz.Load(first.File)
	if err != nil {
		t.Fatal(err)
	}
	again, err := fuzz.Replay(wrong, record)
	if err != nil || again == nil || again.Report.String() != first.Report.String() {
		t.Errorf("the replay says %v, %v, the failure %v", again, err, first)
	}
	second := onlyFailure(t, wrong, options)
	if second.File != first.File || second.Draw != 0 {
		t.Errorf("the next run did not try %s first: %v", first.File, second)
	}
	result, err := fuzz.Check(t.Context(), right, options)
	if err != nil || len(result.Failures()) != 0 || result.Properties[0].Replayed != 1 {
		t.Errorf("the right kernel: %v, %v", result, err)
	}
	if f, err := fuzz.Replay(right, record); f != nil || err != nil {
		t.Errorf("the right kernel fails its replay: %v, %v", f, err)
	}
}

func onlyFailure(t *testing.T, impl fuzz.Implementation, o fuzz.Options) *fuzz.Failure {
	t.Helper()
	result, err := fuzz.Check(t.Context(), impl, o)
	if err != nil || len(result.Failures()) != 1 {
		t.Fatalf("%v, %v", result, err)
	}
	return result.Failures()[0]
}

// The seed of a failure gives the problem as it was drawn.
func TestSeedGivesTheDraw(t *testing.T) {
	f := onlyFailure(t, myKernel{forgetsLastScale: true}, fuzz.Options{Draws: 100, Properties: []string{"bits"}})
	if p := fuzz.Problems(myKernel{}.Limits()).Example(f.Seed); p.String() != f.Drawn {
		t.Errorf("seed %d gives %v, drawn was %s", f.Seed, p, f.Drawn)
	}
}

// Files are hostile until they were checked.
func TestLoadRefusesWhatIsNoProblem(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":             `{`,
		"another length":      `{"Problem": {"A": {"Rows": 1, "K": 2, "BlockRows": 1, "BlockCols": 1, "Codes": ["38"], "E8M0": ["7f7f"]}}}`,
		"no blocks":           `{"Problem": {"A": {"Rows": 0, "K": 0}}}`,
		"no scales":           `{"Problem": {"A": {"Rows": 1, "K": 1, "BlockRows": 1, "BlockCols": 1, "Codes": ["38"]}}}`,
		"no digits":           `{"Problem": {"A": {"Rows": 1, "K": 1, "BlockRows": 1, "BlockCols": 1, "Codes": ["xx"]}}}`,
		"negative padding":    `{"Problem": {"A": {"BlockRows": 1, "BlockCols": 1, "Placement": {"CodePadding": -1}}}}`,
		"offset past a block": `{"Problem": {"A": {"BlockRows": 4, "BlockCols": 1, "RowOffset": 4}}}`,
		"unknown output":      `{"Problem": {"A": {"BlockRows": 1, "BlockCols": 1}, "B": {"BlockRows": 1, "BlockCols": 1}, "Output": 9}}`,
		"large block":         `{"Problem": {"A": {"Rows": 2, "K": 1, "BlockRows": 9223372036854775807, "BlockCols": 1, "RowOffset": 9223372036854775806, "Codes": ["38", "38"], "E8M0": ["7f", "7f"]}}}`,
	} {
		path := filepath.Join(t.TempDir(), "bits-0.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := fuzz.Load(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// What an implementation refuses proves nothing: a suite of refusals fails, and so
// does a panic.
func TestSilenceIsNoSuccess(t *testing.T) {
	for name, impl := range map[string]fuzz.Implementation{"refuses all": refusing{}, "panics": panicking{}} {
		result, err := fuzz.Check(t.Context(), impl, fuzz.Options{Draws: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range result.Properties {
			if o.Failure == nil {
				t.Errorf("%s: %v", name, o)
			}
		}
	}
}
