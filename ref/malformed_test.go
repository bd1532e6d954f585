package ref_test

import (
	"errors"
	"math"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// A datapath is plain data that anybody can fill in: numbers that no chip has must
// not end a program.
func TestMalformedDatapathGivesNaN(t *testing.T) {
	var ones [32]scale.E4M3
	for i := range ones {
		ones[i] = 0x38
	}
	for name, change := range map[string]func(*ref.Datapath){
		"no fraction":      func(d *ref.Datapath) { d.FractionBits = 0 },
		"huge fraction":    func(d *ref.Datapath) { d.FractionBits = 1 << 30 },
		"negative":         func(d *ref.Datapath) { d.FractionBits = -5 },
		"no result":        func(d *ref.Datapath) { d.ResultBits = 0 },
		"too exact":        func(d *ref.Datapath) { d.ResultBits = 24 },
		"huge zero":        func(d *ref.Datapath) { d.ZeroExponent = 1 << 30 },
		"unknown grouping": func(d *ref.Datapath) { d.Grouping = 9 },
	} {
		d := ref.SM120
		change(&d)
		if got := math.Float32bits(d.MMA(&ones, &ones, 1)); got != 0x7FFFFFFF {
			t.Errorf("%s: got %#08x, want the NaN 0x7FFFFFFF", name, got)
		}
		if got := math.Float32bits(d.MMAScaled(&ones, &ones, 0x80, 0x80, 1)); got != 0x7FFFFFFF {
			t.Errorf("%s, scaled: got %#08x, want the NaN 0x7FFFFFFF", name, got)
		}
	}
	if got := ref.SM120.MMA(&ones, &ones, 1); got != 33 {
		t.Errorf("SM120: got %v, want 33", got)
	}
}

func TestMatrixThatDoesNotFit(t *testing.T) {
	huge := ref.NewMatrix(math.MaxInt, 2)
	if huge.Data != nil {
		t.Fatal("got memory")
	}
	if _, err := ref.Compare(huge, huge, scale.Float32); !errors.Is(err, scale.ErrShape) {
		t.Errorf("got %v, want ErrShape", err)
	}
}
