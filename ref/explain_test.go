package ref_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// K = 384 ones with B's blocks scaled by 1, 8 and 64: 128, 1024 and 8192 add up to
// 9344. Each fault of one block has a result of its own.
func TestExplainNamesTheBlock(t *testing.T) {
	a, b := everywhere(one, 2, 384, 1, 128, repeated(2, 0x7F, 0x7F, 0x7F)...), everywhere(one, 3, 384, 128, 128, []uint32{0x7F, 0x82, 0x85})
	x, y := a.operand(t, newRand()), b.operand(t, newRand())
	for _, r := range []ref.Recipe{ref.Triton(ref.SM120, 128, scale.Float32), ref.DeepGEMM(ref.SM90WGMMA, scale.Float32), ref.UE8M0MX(scale.Float32), ref.Exact(scale.Float32)} {
		right := multiply(t, x, y, r)
		if right.Data[0] != 9344 {
			t.Fatalf("%v: %g, want 9344", r, right.Data[0])
		}
		for _, test := range []struct {
			got    float32
			block  int
			factor float64
			says   string
		}{
			{9344 - 8192, 2, 0, "dropped"},
			{9344 - 1024, 1, 0, "dropped"},
			{9344 - 128, 0, 0, "dropped"},
			{9344 + 1024, 1, 2, "twice"},
			{9344 - 2*8192, 2, -1, "sign"},
			{9344 + 3*8192, 2, 4, "2^2"},
			{9344 - 8192 + 1024, 2, 0.125, "block 1"},
			{9344 - 1024 + 128, 1, 0.125, "block 0"},
			{9344 - 128 + 1024, 0, 8, "block 1"},
			{9344 + 31*8192, 2, 32, "2^5"},
		} {
			wrong := multiply(t, x, y, r)
			wrong.Row(1)[2] = test.got
			report, err := ref.Compare(wrong, right, scale.Float32)
			if err != nil || report.Different != 1 {
				t.Fatal(report, err)
			}
			if err := report.Explain(x, y, r); err != nil {
				t.Fatal(err)
			}
			d := report.First[0]
			i := slices.IndexFunc(d.Suspects, func(s ref.Suspect) bool { return s.Block == test.block })
			if d.WithinBound || i < 0 {
				t.Errorf("%v: %g for 9344: %+v, want block %d suspected", r, test.got, d, test.block)
				continue
			}
			// 13 bits leave room for more than one explanation, 25 do not.
			if r.Datapath != ref.SM90WGMMA && len(d.Suspects) != 1 {
				t.Errorf("%v: %g for 9344: %+v, want one suspect", r, test.got, d)
			}
			s := d.Suspects[i]
			if s.FromK != 128*test.block || s.ToK != 128*test.block+128 || math.Abs(s.Factor-test.factor) > 1e-6 || !strings.Contains(s.Reason, test.says) {
				t.Errorf("%v: %g for 9344: %+v, want block %d, factor %g, %q", r, test.got, s, test.block, test.factor, test.says)
			}
			if text := report.String(); !strings.Contains(text, s.Reason) {
				t.Errorf("the report hides the suspect: %q", text)
			}
		}
	}
}

// A last place is rounding; a factor of 1.05 is no block's fault.
func TestExplainKnowsRounding(t *testing.T) {
	a, b := everywhere(one, 1, 300, 1, 128, []uint32{0x7F, 0x7F, 0x7F}), everywhere(0x39, 1, 300, 128, 128, []uint32{0x7F, 0x80, 0x84})
	x, y := a.operand(t, newRand()), b.operand(t, newRand())
	r := ref.Triton(ref.SM90WGMMA, 128, scale.Float32)
	right := multiply(t, x, y, r)
	for _, test := range []struct {
		change float32
		within bool
	}{{1 + 0x1p-22, true}, {1.05, false}, {0.5, false}} {
		report, err := ref.Compare(rowOf(floatBits(right.Data[0]*test.change)), right, scale.Float32)
		if err != nil {
			t.Fatal(err)
		}
		if err := report.Explain(x, y, r); err != nil {
			t.Fatal(err)
		}
		if d := report.First[0]; d.WithinBound != test.within || len(d.Suspects) > 0 {
			t.Errorf("a factor of %g: %+v", test.change, d)
		}
	}
}

// A NaN that got lost is traced to its block.
func TestExplainFindsLostNaN(t *testing.T) {
	a, b := everywhere(one, 1, 384, 1, 128, []uint32{0x7F, 0x7F, 0x7F}), everywhere(one, 1, 384, 128, 128, []uint32{0x7F, 0xFF, 0x7F})
	x, y := a.operand(t, newRand()), b.operand(t, newRand())
	r := ref.Triton(ref.SM120, 128, scale.BFloat16)
	report, err := ref.Compare(rowOf(0x43800000), multiply(t, x, y, r), scale.BFloat16)
	if err != nil || report.MaxULP != math.MaxUint64 {
		t.Fatal(report, err)
	}
	if err := report.Explain(x, y, r); err != nil {
		t.Fatal(err)
	}
	s := report.First[0].Suspects
	if len(s) != 1 || s[0].Block != 1 || !math.IsNaN(s[0].Factor) {
		t.Errorf("suspects %+v, want block 1", s)
	}
}

func TestExplainRejects(t *testing.T) {
	x := everywhere(one, 1, 128, 1, 128, []uint32{0x7F}).operand(t, newRand())
	report, err := ref.Compare(rowOf(0, 0), rowOf(0, 0x3F800000), scale.Float32)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Explain(x, x, ref.Exact(scale.Float32)); !errors.Is(err, scale.ErrShape) {
		t.Errorf("a difference at [0,1] of a product [1,1]: %v", err)
	}
	if err := report.Explain(x, ref.Operand{}, ref.Exact(scale.Float32)); !errors.Is(err, scale.ErrUnsetScale) {
		t.Errorf("no scales: %v", err)
	}
}
