package opcheck

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/ref"
)

var recorded = flag.String("recorded", "testdata/h200.gob.gz", "the record to compare with")

var chipSM90 = interp.Chip{Name: "sm_90", Target: 90, MMA: ref.SM90MMA, SharedPerBlock: 227 << 10, Multiprocessors: 132}

func readRecord(t *testing.T) Record {
	t.Helper()
	b, err := os.ReadFile(*recorded)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The interpreter gives the bits that an H200 gave, for every form.
func TestReplay(t *testing.T) {
	record := readRecord(t)
	answers := map[string]Answer{}
	for _, a := range record.Answers {
		answers[a.Text+a.Draw] = a
	}
	forms := Forms()
	inputs := make([][]uint64, len(forms))
	results, err := Run(chipSM90, forms, Threads, func(i int) []uint64 {
		inputs[i] = forms[i].draw(Threads)
		return inputs[i]
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range forms {
		f := &forms[i]
		want, ok := answers[f.Text+f.Draw]
		if !ok {
			t.Errorf("%s: not recorded; record again", f.Text)
			continue
		}
		n := len(want.Results[0]) / max(sizes[f.firstResult()]/8, 1)
		got := f.answer(inputs[i], results[i], Threads, n)
		if got.Inputs != want.Inputs {
			t.Errorf("%s: recorded with other inputs; record again", f.Text)
			continue
		}
		if text := f.difference(inputs[i], got, want, n); text != "" {
			t.Errorf("%s: %s", f.Text, text)
		}
	}
	if len(answers) != len(forms) {
		t.Errorf("%d forms are recorded, there are %d", len(answers), len(forms))
	}
	t.Logf("%d forms of %d threads each, recorded on %s", len(forms), Threads, record.Device)
}

func (f *Form) firstResult() byte {
	_, _, results := f.resolve()
	return results[0].letter
}

// difference says where answers differ, or is empty.
func (f *Form) difference(in []uint64, got, want Answer, n int) string {
	_, inputs, results := f.resolve()
	count := 0
	var b strings.Builder
	for j, o := range results {
		size := max(sizes[o.letter]/8, 1)
		for t := range n {
			x, y := got.Results[j][t*size:(t+1)*size], want.Results[j][t*size:(t+1)*size]
			if bytes.Equal(x, y) {
				continue
			}
			if count++; count > 6 {
				continue
			}
			fmt.Fprintf(&b, "\n\tthread %d, result %d: %s, recorded %s, of", t, j, hex(x), hex(y))
			for k := range inputs {
				fmt.Fprintf(&b, " %#x", in[k*Threads+t])
			}
		}
	}
	if count > 0 {
		return fmt.Sprintf("%d of %d results differ%s", count, n*len(results), b.String())
	}
	if !slices.Equal(got.Sums, want.Sums) {
		return "results differ, beyond those that are recorded whole"
	}
	return ""
}

// hex writes a little-endian number.
func hex(b []byte) string {
	text := "0x"
	for i := range b {
		text += fmt.Sprintf("%02x", b[len(b)-1-i])
	}
	return text
}

// A form's letters become registers, each its own.
func TestForm(t *testing.T) {
	f := Form{"add.r.cc R|P, r, d; mov.b32 R0, r0, %cell, h", "int"}
	text, inputs, results := f.resolve()
	if want := "add.r.cc %out0|%out1, %in0, %in1; mov.b32 %out0, %in0, %cell, %in2"; text != want {
		t.Errorf("%s, want %s", text, want)
	}
	if len(inputs) != 3 || len(results) != 2 {
		t.Errorf("inputs %v, results %v", inputs, results)
	}
}
