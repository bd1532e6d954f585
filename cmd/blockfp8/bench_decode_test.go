package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

func TestDifferingElements(t *testing.T) {
	want := []byte{1, 2, 3, 4, 0xFF, 0xFF, 7, 8}
	for _, c := range []struct {
		got  []byte
		want int
	}{
		{[]byte{1, 2, 3, 4, 5, 6, 7, 8}, 1},
		{[]byte{1, 2, 3, 5, 5, 6, 9, 8}, 3},
		{want, 1}, // equal, but one element was never written
	} {
		if got := differingElements(c.got, want); got != c.want {
			t.Errorf("%v: %d elements differ, want %d", c.got, got, c.want)
		}
	}
}

// TestCheckSpots checks the results of a step that the oracle itself did, and then
// with wrong bits.
func TestCheckSpots(t *testing.T) {
	step := []stepLinear{{"a", 1, 3, 128}, {"b", 2, 2, 128}}
	weights, err := randomStepWeights(fixedRandom(), step)
	if err != nil {
		t.Fatal(err)
	}
	o := stepOperands{step, weights, randomActivations(fixedRandom(), gpu.CodesInput, 2, widest(step))}
	recipe := ref.F32ScaleMMA(ref.SM90MMA, 128, scale.BFloat16)
	var results []byte
	for i, l := range step {
		for m := range 2 {
			for n := range l.outputs() {
				v, err := o.element(i, n/l.N, m, n%l.N, recipe)
				if err != nil {
					t.Fatal(err)
				}
				results = binary.LittleEndian.AppendUint16(results, uint16(scale.BF16FromFloat32(v)))
			}
		}
	}
	var right, wrong decodeBits
	if err := right.checkSpots(results, o, recipe, rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	if want := (decodeBits{Checked: 64}); right != want {
		t.Errorf("right results: got %+v, want %+v", right, want)
	}
	for i := range results {
		results[i] ^= 1
	}
	if err := wrong.checkSpots(results, o, recipe, rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	if want := (decodeBits{Checked: 64, Wrong: 64}); wrong != want {
		t.Errorf("wrong results: got %+v, want %+v", wrong, want)
	}
}

// exampleDecode is a document with made-up times.
func exampleDecode() *decodeDocument {
	cached := &decodeReplay{arm: decodeArm{name: "cached", cacheBytes: 1077760}, launches: 236}
	perCall := &decodeReplay{arm: decodeArm{name: "per call"}, launches: 708, allocations: 236}
	return &decodeDocument{
		Device: benchDevice{"Example", "sm_90", 132}, TP: 1, Input: "codes", Samples: 3, Steps: 10, Size: sizeOf(decodeStep(1, false)),
		Rows: []decodeRow{
			newDecodeRow(6, decodeWay{cached, "calls", nil}, []timing{{2, 500, 0}, {1, 700, 0}, {3, 600, 1}}),
			newDecodeRow(6, decodeWay{perCall, "calls", nil}, []timing{{4, 2000, 0}, {4, 2000, 0}, {4, 2000, 0}}),
		},
		Bits: decodeBits{Compared: 1000, Checked: 64},
	}
}

func TestDecodeReport(t *testing.T) {
	var out bytes.Buffer
	if err := exampleDecode().print(&console{out: &out}, false); err != nil {
		t.Fatal(err)
	}
	want := `Example, sm_90, 132 multiprocessors
one decode step, TP=1: 236 linears and 0 grouped, 4.415 GB of weights, 269440 bytes of E8M0 scales; activations: codes
3 samples of 10 steps, the arms by turns

M  scales    given as  launches  device allocs  GPU ms     max   CV %  host us  Go allocs  cache bytes
6  cached    calls          236              0  2.0000  3.0000  50.00    600.0        0.0      1077760
6  per call  calls          708            236  4.0000  4.0000   0.00   2000.0        0.0            0

All numbers are per step; times and Go allocations are medians of the samples.
the cache saves at M=6 (calls): 472 launches, 236 device allocations, 2.0000 ms of GPU time (50.0 %), 1400.0 us of host time
bits: 1000 elements of all arms compared: every bit agrees; 64 against Element: every bit agrees
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestDecodeReportDifferent(t *testing.T) {
	for _, bits := range []decodeBits{{Compared: 8, Different: 1}, {Checked: 8, Wrong: 1}} {
		d := exampleDecode()
		d.add(bits)
		var out bytes.Buffer
		if err := d.print(&console{out: &out}, false); !errors.Is(err, errDifferent) || !strings.Contains(out.String(), "1 differ") {
			t.Errorf("%+v: error %v, output\n%s", bits, err, out.String())
		}
	}
}

func TestDecodeJSON(t *testing.T) {
	var out bytes.Buffer
	if err := exampleDecode().print(&console{out: &out}, true); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Step struct{ WeightBytes int64 }
		Rows []struct {
			Launches        int
			GPUMilliseconds struct {
				Median, Max, CV float64
				Samples         []float64
			}
		}
		Bits map[string]int
	}
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	r := d.Rows[0]
	if d.Step.WeightBytes != 4_414_504_960 || r.Launches != 236 || r.GPUMilliseconds.Median != 2 || r.GPUMilliseconds.CV != 0.5 || len(r.GPUMilliseconds.Samples) != 3 || d.Bits["checked"] != 64 {
		t.Errorf("got %+v", d)
	}
}
