package scale_test

import (
	"testing"

	"blockfp8/scale"
)

func TestUpcastAllCodes(t *testing.T) {
	for _, mode := range []scale.UpcastMode{scale.OCP, scale.Shift} {
		dst := make([]float32, 256)
		if err := scale.Upcast(dst, allE8M0, mode); err != nil {
			t.Fatal(err)
		}
		for c := 1; c <= 0xFE; c++ {
			if want := ratPow2(c - 127); rat(float64(dst[c])).Cmp(want) != 0 {
				t.Errorf("%v: %#02x: got %g, want 2^%d", mode, c, dst[c], c-127)
			}
		}
	}
}

// The two modes differ on exactly two codes.
func TestUpcastModesDifferOnTwoCodes(t *testing.T) {
	ocp, shift := make([]float32, 256), make([]float32, 256)
	if err := scale.Upcast(ocp, allE8M0, scale.OCP); err != nil {
		t.Fatal(err)
	}
	if err := scale.Upcast(shift, allE8M0, scale.Shift); err != nil {
		t.Fatal(err)
	}
	wantBits32(t, "OCP 0x00", ocp[0x00], 0x00400000)
	wantBits32(t, "OCP 0xff", ocp[0xFF], 0x7FC00000)
	wantBits32(t, "Shift 0x00", shift[0x00], 0x00000000)
	wantBits32(t, "Shift 0xff", shift[0xFF], 0x7F800000)
	for c := 1; c < 0xFF; c++ {
		if ocp[c] != shift[c] {
			t.Errorf("%#02x: OCP %g, Shift %g", c, ocp[c], shift[c])
		}
	}
}

func TestUpcastZeroModeIsOCP(t *testing.T) {
	var mode scale.UpcastMode
	dst := make([]float32, 1)
	if err := scale.Upcast(dst, []scale.E8M0{0x00}, mode); err != nil {
		t.Fatal(err)
	}
	wantBits32(t, "zero mode", dst[0], 0x00400000)
}

func TestUpcastErrorsLeaveDstUntouched(t *testing.T) {
	two := []scale.E8M0{0x7F, 0x80}
	for _, c := range []struct {
		name string
		src  []scale.E8M0
		mode scale.UpcastMode
		kind error
	}{
		{"short destination", append(two, 0x7F, 0x7F), scale.OCP, scale.ErrShape},
		{"long destination", two, scale.Shift, scale.ErrShape},
		{"no source", nil, scale.OCP, scale.ErrShape},
		{"undefined mode", append(two, 0x7F), 2, scale.ErrOption},
		{"last undefined mode", append(two, 0x7F), 255, scale.ErrOption},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := []float32{-7, -7, -7}
			wantMismatch(t, scale.Upcast(dst, c.src, c.mode), c.kind)
			for i, v := range dst {
				if v != -7 {
					t.Errorf("dst[%d] was written: %g", i, v)
				}
			}
		})
	}
}

func TestUpcastWritesOnlyDst(t *testing.T) {
	storage := []float32{-7, 0, 0, -7}
	if err := scale.Upcast(storage[1:3], []scale.E8M0{0x80, 0x7E}, scale.OCP); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{-7, 2, 0.5, -7} {
		if storage[i] != want {
			t.Errorf("storage[%d]: got %g, want %g", i, storage[i], want)
		}
	}
	if err := scale.Upcast(nil, nil, scale.OCP); err != nil {
		t.Errorf("no scales at all: %v", err)
	}
}

func TestUpcastModeString(t *testing.T) {
	for mode, want := range map[scale.UpcastMode]string{scale.OCP: "OCP", scale.Shift: "Shift", 2: "UpcastMode(2)"} {
		if got := mode.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
