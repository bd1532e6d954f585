package interp_test

import (
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/gpu/internal/ptx/interp/opcheck"
	"blockfp8/ref"
)

var (
	sm90  = interp.Chip{Name: "sm_90", Target: 90, MMA: ref.SM90MMA, WGMMA: ref.SM90WGMMA, SharedPerBlock: 227 << 10, Multiprocessors: 132}
	sm120 = interp.Chip{Name: "sm_120", Target: 120, MMA: ref.SM120, MMAScaled: ref.SM120MX, SharedPerBlock: 99 << 10, Multiprocessors: 188}
)

// words are register contents.
type words []uint64

// row is a form, see opcheck.Form, with inputs and the results that the PTX ISA's
// definition gives.
type row struct {
	form string
	in   words
	want words
}

// checkRows runs every row in one thread.
func checkRows(t *testing.T, chip interp.Chip, rows []row) {
	t.Helper()
	forms := make([]opcheck.Form, len(rows))
	for i, r := range rows {
		forms[i].Text = r.form
		if in, out := forms[i].Counts(); in != len(r.in) || out != len(r.want) {
			t.Fatalf("%s takes %d inputs and has %d results; the row has %d and %d", r.form, in, out, len(r.in), len(r.want))
		}
	}
	got, err := opcheck.Run(chip, forms, 1, func(i int) []uint64 { return rows[i].in })
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		for j, want := range r.want {
			if got[i][j] != want {
				t.Errorf("%s of %#x: result %d is %#x, want %#x", r.form, []uint64(r.in), j, got[i][j], want)
			}
		}
	}
}
