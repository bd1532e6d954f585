package gpu

import (
	"bytes"
	"flag"
	"testing"
)

// everyRecord compares all of the record on the emulated device, not a part of it.
var everyRecord = flag.Bool("every-record", false, "compare the whole record of the H200 with the emulated one")

// recordShare is the part of the record that is compared by default: one entry in
// so many, a number that has no factor in common with the forms of a problem, and the
// first of each form.
const recordShare = 7

// An emulated sm_90 gives what an H200 gave, bit for bit, NaN included; that the
// H200 gave what the oracle says is TestRecordedH200. This is what the emulation of
// chips that nobody here has rests on.
func TestEmulatedH200(t *testing.T) {
	packed, err := testdata.ReadFile(recordedFile)
	noError(t, err)
	r := must(readRecord(bytes.NewReader(packed)))(t)
	d := must(Emulate(h200.Arch))(t)
	defer closeTest(t, d)
	s := must(d.NewStream())(t)
	problems := drawAllRecorded(t)
	outputs, entries, forms := 0, 0, map[string]bool{}
	for i, e := range r.entries {
		if !*everyRecord && i%recordShare != 0 && forms[e.Kernel] {
			continue
		}
		p := problems[e.Problem]
		raw := runRecorded(t, d, s, p, e.Kernel)
		if !bytes.Equal(raw, e.raw) {
			n, first := p.differences(raw, e.raw)
			t.Errorf("problem %d on %s: %d outputs differ, the first is output %d (none: only NaN payloads differ)", e.Problem, e.Kernel, n, first)
		}
		outputs += p.outputs()
		entries++
		forms[e.Kernel] = true
	}
	t.Logf("%d outputs in %d multiplications with %d forms compared with those of the %s", outputs, entries, len(forms), r.Device)
	if len(forms) < recordedForms {
		t.Errorf("%d forms, want %d", len(forms), recordedForms)
	}
}
