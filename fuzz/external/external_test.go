package external_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blockfp8/fuzz"
	"blockfp8/fuzz/external"
	"blockfp8/internal/testkernel"
	"blockfp8/scale"
)

func TestMain(m *testing.M) {
	testkernel.RunIfAsked()
	os.Exit(m.Run())
}

// start returns a kernel that is right or wrong in a chosen way. All extents may be 0.
func start(t *testing.T, o external.Options, command ...string) *external.Program {
	t.Helper()
	o.Recipe = testkernel.Recipe
	o.Limits.Blocks, o.Limits.Outputs = []fuzz.Block{{Rows: 128, Cols: 128}}, []scale.Format{scale.BFloat16}
	p, err := external.New(t.Context(), command, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// check runs the suite until a property fails, and returns how.
func check(t *testing.T, p *external.Program, draws int, properties ...string) *fuzz.Failure {
	t.Helper()
	result, err := fuzz.Check(t.Context(), p, fuzz.Options{Draws: draws, Properties: properties})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range result.Failures() {
		return f
	}
	return nil
}

func TestRightProgramPasses(t *testing.T) {
	for _, how := range []string{"right", "chatty"} {
		if f := check(t, start(t, external.Options{}, testkernel.Command(how)...), 40); f != nil {
			t.Errorf("%s: %v", how, f)
		}
	}
}

// A command that is started for each problem, because it says so or because it ends.
func TestProgramThatRunsOnce(t *testing.T) {
	for how, args := range map[string][]string{"right": {"{}"}, "ends": nil} {
		if f := check(t, start(t, external.Options{}, testkernel.Command(how, args...)...), 5, "bits"); f != nil {
			t.Errorf("%s: %v", how, f)
		}
	}
}

// Faults are found and made small.
func TestFaultyProgramsFail(t *testing.T) {
	for how, most := range map[string]struct{ m, n, k int }{
		"last-scale": {1, 1, 256}, "grid": {1, 129, 129}, "tail": {1, 1, 33},
	} {
		f := check(t, start(t, external.Options{Limits: fuzz.Limits{NoEmpty: true}}, testkernel.Command(how)...), 200, "bits")
		if f == nil {
			t.Errorf("%s passes", how)
			continue
		}
		if p := f.Problem; p.A.Rows > most.m || p.B.Rows > most.n || p.A.K > most.k {
			t.Errorf("%s: shrunk to %v\n%v", how, p, f)
		}
		if again, err := fuzz.Replay(start(t, external.Options{}, testkernel.Command(how)...), f.Record()); again == nil || err != nil {
			t.Errorf("%s: replay gives %v, %v", how, again, err)
		}
	}
}

// Programs that break say how, and what was expected of them.
func TestBrokenPrograms(t *testing.T) {
	for how, want := range map[string][]string{
		"crashes":    {"exit status 3", "illegal memory access of row 2"},
		"hangs":      {"no answer within", "waiting for a barrier", `"done PATH"`},
		"silent":     {"want c.npy", "uint16 (the bits of bf16) or float32", "no such file"},
		"rubbish":    {"want c.npy", "magic number"},
		"codes":      {"want c.npy", "bf16 values, got U8"},
		"transposed": {"want c.npy", "[1 2]", "got [2 1]"},
	} {
		limits := fuzz.Limits{NoEmpty: true}
		if how == "transposed" { // squares would not show it
			limits.StepN, limits.MaxM = 2, 1
		}
		p := start(t, external.Options{Timeout: 5 * time.Second, Limits: limits}, testkernel.Command(how)...)
		if how == "hangs" {
			p.Options.Timeout = 300 * time.Millisecond
		}
		result, err := fuzz.Check(t.Context(), p, fuzz.Options{Draws: 20, Properties: []string{"bits"}, Shrink: 30})
		if err != nil || len(result.Failures()) != 1 {
			t.Errorf("%s: %v, %v", how, result, err)
			continue
		}
		for _, w := range want {
			if reason := result.Failures()[0].Reason; !strings.Contains(reason, w) {
				t.Errorf("%s: %q lacks %q", how, reason, w)
			}
		}
	}
}

// A shell's children end with it.
func TestHangingChildren(t *testing.T) {
	p := start(t, external.Options{Timeout: 300 * time.Millisecond}, "sh", "-c", "sleep 3600; true")
	began := time.Now()
	if f := check(t, p, 1, "bits"); f == nil || !strings.Contains(f.Reason, "no answer") {
		t.Errorf("got %v", f)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

func TestNoCommand(t *testing.T) {
	if _, err := external.New(t.Context(), nil, external.Options{}); err == nil {
		t.Error("no command is accepted")
	}
	if _, err := external.New(t.Context(), []string{"no-such-kernel"}, external.Options{}); err == nil {
		t.Error("a command that does not exist is accepted")
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := external.New(ctx, testkernel.Command("hangs"), external.Options{Recipe: testkernel.Recipe})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	time.AfterFunc(200*time.Millisecond, cancel)
	a, b, err := fuzz.Problems(fuzz.Limits{NoEmpty: true}).Example(1).Operands()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Ask(a, b, scale.BFloat16); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Nothing is left behind.
func TestCloseRemovesFolders(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := start(t, external.Options{}, testkernel.Command("right")...)
	if f := check(t, p, 3, "bits"); f != nil {
		t.Error(f)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}
