package fuzz

import "testing"

// folder is where Run keeps failing problems, beside the corpora of go test -fuzz.
const folder = "testdata/conformance"

// Run holds an implementation to the suite, one subtest per property. Problems that
// fail are saved under testdata/conformance of the package under test and tried
// first by later runs. Under -short it draws a fifth.
func Run(t *testing.T, impl Implementation) {
	t.Helper()
	RunWith(t, impl, Options{Dir: folder})
}

// RunWith is Run with options: only the properties that they name have subtests, and
// without a Dir nothing is saved.
func RunWith(t *testing.T, impl Implementation, o Options) {
	t.Helper()
	o = o.filled()
	if testing.Short() {
		o.Draws = max(1, o.Draws/5)
	}
	s := newSuite(impl, o)
	for i, pr := range properties {
		if s.options.skips(pr) {
			continue
		}
		t.Run(pr.name, func(t *testing.T) {
			out, err := s.check(t.Context(), i)
			switch {
			case err != nil:
				t.Fatal(err)
			case out == nil:
				t.Skip("not of this implementation")
			case out.Failure != nil:
				t.Fatal(out.Failure)
			}
			t.Log(out)
		})
	}
}
