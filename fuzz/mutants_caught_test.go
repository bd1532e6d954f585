package fuzz_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"blockfp8/fuzz"
)

// A suite that passes a wrong kernel proves nothing: every mutant must fail within
// the default run, by the comparison with the oracle and by the property that is
// there for its fault. The table says after how many draws.
func TestMutantsAreCaught(t *testing.T) {
	var table strings.Builder
	caught := map[string]bool{}
	see := func(name string, impl fuzz.Implementation, properties ...string) {
		fmt.Fprintf(&table, "%-38s", name)
		for _, property := range properties {
			f := failure(t, impl, property)
			if f == nil {
				t.Errorf("%s: %q passes", name, property)
				continue
			}
			caught[property] = true
			fmt.Fprintf(&table, " %s %d", property, f.Draw)
		}
		table.WriteByte('\n')
	}
	for _, m := range mutants() {
		if m.by == nil {
			m.by = []string{"bits"}
		}
		see(m.name, m, m.by...)
	}
	for _, m := range completeMutants {
		see(m.name, m.impl, m.by)
	}
	if seen := slices.Sorted(maps.Keys(caught)); len(seen) != len(fuzz.Properties()) {
		t.Errorf("of the properties %v only %v can fail", fuzz.Properties(), seen)
	}
	t.Logf("mutant, properties and their draws\n%s", table.String())
}

// failure is how a property of the default run fails, nil if it does not.
func failure(t *testing.T, impl fuzz.Implementation, property string) *fuzz.Failure {
	t.Helper()
	result, err := fuzz.Check(t.Context(), impl, fuzz.Options{Shrink: -1, Properties: []string{property}})
	if err != nil {
		t.Fatal(err)
	}
	if f := result.Failures(); len(f) > 0 {
		return f[0]
	}
	return nil
}
