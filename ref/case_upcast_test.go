package ref_test

import (
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// The cases are public bug reports about other software, by the name of the
// report; each is tested with its own numbers and with all of its kind.

// NVIDIA/TransformerEngine #3262: scale code 0x00 was 0 and 0xFF was infinite.
// K = 128 ones with scales 0x00 and 0x7F are 2^-120.
func TestCase01_EveryScaleCode(t *testing.T) {
	for code := uint32(0); code < 256; code += uint32(stepOf(1, 15)) {
		// 128 * 2^(code-127): exponent field code+7, infinite from 2^128 on.
		want := (code + 7) << 23
		switch {
		case code == 0xFF:
			want = 0x7FC00000
		case code >= 0xF8:
			want = 0x7F800000
		}
		check := func(t *testing.T, r ref.Recipe, c ref.Matrix) {
			t.Helper()
			expect(t, r, c, 0, 0, want)
		}
		everyWay(t, everywhere(one, 1, 128, 1, 128, []uint32{code}), everywhere(one, 1, 128, 1, 128, []uint32{0x7F}), check)
		everyWay(t, everywhere(one, 1, 128, 1, 128, []uint32{0x7F}), everywhere(one, 1, 128, 1, 128, []uint32{code}), check)
	}
	a, b := everywhere(one, 1, 128, 1, 128, []uint32{0x00}), everywhere(one, 1, 128, 1, 128, []uint32{0x7F})
	everyWay(t, a, b, func(t *testing.T, r ref.Recipe, c ref.Matrix) { expect(t, r, c, 0, 0, 0x03800000) })
}

// The same report, seen from the cache: scales upcast once give the bits of the
// codes; the shift, by name, gives the old kernels' 0 and Inf.
func TestCase01_UpcastGridsGiveTheSameBits(t *testing.T) {
	for code := range 256 {
		codes := make([]scale.E4M3, 128)
		for i := range codes {
			codes[i] = one
		}
		l := scale.RowMajor(1, 128, 1, 128)
		g, err := scale.NewE8M0Grid(l, []scale.E8M0{scale.E8M0(code)})
		if err != nil {
			t.Fatal(err)
		}
		unit, err := scale.NewE8M0Grid(l, []scale.E8M0{0x7F})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(g scale.Grid) float32 {
			x, err := ref.NewOperand(codes, 128, unit)
			if err != nil {
				t.Fatal(err)
			}
			y, err := ref.NewOperand(codes, 128, g)
			if err != nil {
				t.Fatal(err)
			}
			return multiply(t, x, y, ref.F32ScaleMMA(ref.SM120, 128, scale.Float32)).Data[0]
		}
		ocp, err := g.ToFP32(scale.OCP)
		if err != nil {
			t.Fatal(err)
		}
		shift, err := g.ToFP32(scale.Shift)
		if err != nil {
			t.Fatal(err)
		}
		if !sameBits(ask(ocp), ask(g)) {
			t.Errorf("%02x: upcast %x, code %x", code, ask(ocp), ask(g))
		}
		switch got := floatBits(ask(shift)); {
		case code == 0x00 && got != 0, code == 0xFF && got != 0x7F800000:
			t.Errorf("%02x: shift gives %08x", code, got)
		case code != 0x00 && code != 0xFF && got != floatBits(ask(g)):
			t.Errorf("%02x: shift gives %08x, the code %08x", code, got, floatBits(ask(g)))
		}
	}
}

// triton-lang/triton #11624: 128 terms of 2^112 times 256 with one scale 0x00
// are exactly 1.
func TestCase02_SmallestScaleOfLargeValues(t *testing.T) {
	large := everywhere(one, 1, 128, 1, 128, []uint32{127 + 112})
	small := everywhere(0x78, 1, 128, 1, 128, []uint32{0x00})
	check := func(t *testing.T, r ref.Recipe, c ref.Matrix) {
		t.Helper()
		expect(t, r, c, 0, 0, 0x3F800000)
	}
	everyWay(t, large, small, check)
	// The other way round t = dot*a_s is 2^-112, and no less exact.
	everyWay(t, small, large, check)
}

// The same report: an output format gets what it can hold of 2^-127 and no more.
func TestCase02_SmallestScaleInEveryFormat(t *testing.T) {
	want := map[scale.Format]uint32{scale.Float32: 0x00400000, scale.BFloat16: 0x00400000, scale.Float16: 0}
	for _, r := range allRecipes() {
		for f, bits := range want {
			r.Output = f
			a, b := everywhere(one, 1, 1, 1, 128, []uint32{0x00}), everywhere(one, 1, 1, 1, 128, []uint32{0x7F})
			if got := floatBits(single11(t, a, b, r)); got != bits {
				t.Errorf("%v: %08x, want %08x", r, got, bits)
			}
		}
	}
}
