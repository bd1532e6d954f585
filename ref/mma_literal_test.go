package ref_test

import (
	"math"
	"slices"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// at puts pairs of codes at places of an otherwise zero input.
func at(c uint32, pairs ...[3]int) mmaInput {
	in := mmaInput{sa: 0x7F, sb: 0x7F, c: c}
	for _, p := range pairs {
		in.a[p[0]], in.b[p[0]] = byte(p[1]), byte(p[2])
	}
	return in
}

// fill puts one pair of codes at every k that pick names.
func (in mmaInput) fill(a, b byte, pick func(k int) bool) mmaInput {
	for k := range 32 {
		if pick(k) {
			in.a[k], in.b[k] = a, b
		}
	}
	return in
}

func (in mmaInput) scales(sa, sb byte) mmaInput {
	in.sa, in.sb = sa, sb
	return in
}

func everyK(int) bool { return true }

// between names ks from lo up to but without hi.
func between(lo, hi int) func(int) bool { return func(k int) bool { return lo <= k && k < hi } }

// Codes: 0x38 is 1, 0x40 is 2, 0x30 is 1/2, 0x78 is 256, 0x7E is 448, 0x01 is
// 2^-9, the smallest subnormal. 256*256 is 2^16 with exponent 16, where float32
// has a last place of 2^-7.
func TestMMALiterals(t *testing.T) {
	all := []string{"exact", "sm89", "sm90mma", "sm90wgmma", "sm100mma", "sm100", "sm120", "sm120mx"}
	wide := []string{"sm100", "sm120", "sm120mx"} // 25 bits, one group
	narrow := []string{"sm89", "sm90wgmma"}       // 13 bits
	emulated := []string{"sm90mma", "sm100mma"}   // fp16 in two groups, c last
	mx := []string{"sm120mx"}
	big := [3]int{0, 0x78, 0x78}
	tests := []struct {
		what string
		on   []string
		in   mmaInput
		want uint32
	}{
		{"32 ones are 32", all, at(0).fill(0x38, 0x38, everyK), 0x42000000},
		{"32 ones and c = 1 are 33", all, at(0x3F800000).fill(0x38, 0x38, everyK), 0x42040000},
		{"-3*0.5 = -1.5", all, at(0, [3]int{17, 0xC4, 0x30}), 0xBFC00000},
		{"32 times 448*448 is 6422528", all, at(0).fill(0x7E, 0x7E, everyK), 0x4AC40000},
		{"32 times 2^-18 is 2^-13", all, at(0).fill(0x01, 0x01, everyK), 0x39000000},
		{"-2^-18", all, at(0, [3]int{31, 0x81, 0x01}), 0xB6800000},

		{"zeros are +0", all, at(0), 0},
		{"zeros and c = -0 are +0", all, at(0x80000000), 0},
		{"products of -0 and c = -0 are +0", all, at(0x80000000).fill(0x80, 0x38, everyK), 0},
		{"1 - 1 is +0", all, at(0x80000000, [3]int{0, 0x38, 0x38}, [3]int{1, 0xB8, 0x38}), 0},
		{"1 and c = -1 are +0", all, at(0xBF800000, [3]int{0, 0x38, 0x38}), 0},

		{"NaN times zero", all, at(0, [3]int{5, 0x7F, 0x00}), 0x7FFFFFFF},
		{"zero times negative NaN", all, at(0, [3]int{5, 0x00, 0xFF}), 0x7FFFFFFF},
		{"NaN c loses sign and payload", all, at(0xFFC12345), 0x7FFFFFFF},
		{"signalling NaN c", all, at(0x7F800001).fill(0x38, 0x38, everyK), 0x7FFFFFFF},
		{"NaN beats infinite c", all, at(0x7F800000, [3]int{0, 0x7F, 0x38}), 0x7FFFFFFF},
		{"infinite c", all, at(0x7F800000).fill(0xFE, 0x7E, everyK), 0x7F800000},
		{"negative infinite c", all, at(0xFF800000).fill(0x7E, 0x7E, everyK), 0xFF800000},

		{"subnormal c is kept", all, at(0x00002000), 0x00002000},
		{"the last bit of subnormal c is below 13 fraction bits", narrow, at(0x80000401), 0x80000400},
		{"the smallest subnormal c is kept", append([]string{"exact"}, append(wide, emulated...)...), at(0x80000001), 0x80000001},
		{"the largest c is kept", append([]string{"exact"}, append(wide, emulated...)...), at(0x7F7FFFFF).fill(0x38, 0x38, everyK), 0x7F7FFFFF},
		{"the largest c in 13 bits", narrow, at(0x7F7FFFFF).fill(0x38, 0x38, everyK), 0x7F7FFC00},

		// The unit under 2^16 is 2^-9 with 25 bits: four of 2^-9 make a last
		// place, eight of 2^-10 vanish one by one.
		{"2^16 + 4*2^-9", wide, at(0, big).fill(0x38, 0x01, between(1, 5)), 0x47800001},
		{"2^16 + 3*2^-9 is cut", wide, at(0, big).fill(0x38, 0x01, between(1, 4)), 0x47800000},
		{"2^16 + 8*2^-10 loses all eight", wide, at(0, big).fill(0x30, 0x01, between(1, 9)), 0x47800000},
		{"2^16 + 8*2^-10 exactly", all[:1], at(0, big).fill(0x30, 0x01, between(1, 9)), 0x47800001},
		{"-2^16 - 3*2^-9 is cut toward zero", wide, at(0, [3]int{0, 0xF8, 0x78}).fill(0xB8, 0x01, between(1, 4)), 0xC7800000},
		{"2^16 - 2^-9 is cut to the float32 below", wide, at(0, big, [3]int{1, 0xB8, 0x01}), 0x477FFFFF},
		{"2^16 - 2^-10 is 2^16: the term is gone before the sum", wide, at(0, big, [3]int{1, 0xB0, 0x01}), 0x47800000},
		{"2^16 - 2^-9 nearest is a tie above the binade", all[:1], at(0, big, [3]int{1, 0xB8, 0x01}), 0x47800000},
		{"c = 2^41 hides 2^16 minus one unit", wide, at(0x54000000, [3]int{0, 0x77, 0x78}), 0x54000000},

		// 13 bits: the unit under 2^16 is 8.
		{"2^16 + 8", narrow, at(0, big, [3]int{1, 0x38, 0x50}), 0x47800400},
		{"2^16 + 12 is 2^16 + 8", narrow, at(0, big, [3]int{1, 0x38, 0x54}), 0x47800400},
		{"2^16 + 15 times 7.5 loses all of them", narrow, at(0, big).fill(0x38, 0x4F, between(1, 16)), 0x47800000},
		{"2^13 + 1 + 0.5: units of 1", narrow, at(0, [3]int{0, 0x78, 0x60}, [3]int{1, 0x38, 0x38}, [3]int{2, 0x38, 0x30}), 0x46000400},

		// Who meets whom. Two groups of sixteen on Ada.
		{"2^16, then sixteen ones one by one", narrow[:1], at(0, big).fill(0x38, 0x38, between(16, 32)), 0x47800000},
		{"sixteen ones summed, then 2^16", narrow[:1], at(0, [3]int{31, 0x78, 0x78}).fill(0x38, 0x38, between(0, 16)), 0x47800800},
		{"sixteen ones and 2^16 in one group", narrow[1:], at(0, [3]int{31, 0x78, 0x78}).fill(0x38, 0x38, between(0, 16)), 0x47800000},
		{"c meets the first group: 16 + 2^16 in the second", narrow[:1], at(0x41000000, [3]int{16, 0x78, 0x78}).fill(0x38, 0x38, between(0, 8)), 0x47800800},
		// k%4 in {0,1}, then {2,3} in the emulation.
		{"eight 2^-10 in the group of 2^16", emulated, at(0, big).fill(0x30, 0x01, func(k int) bool { return k > 0 && k < 17 && k%4 < 2 }), 0x47800000},
		{"eight 2^-10 before 2^16", emulated, at(0, [3]int{2, 0x78, 0x78}).fill(0x30, 0x01, func(k int) bool { return k < 16 && k%4 < 2 }), 0x47800001},
		{"eight 2^-10 after 2^16", emulated, at(0, big).fill(0x30, 0x01, func(k int) bool { return k < 16 && k%4 > 1 }), 0x47800000},

		// c = 2^24 has a last place of 2.
		{"2^24 + 1 to nearest even", append(all[:1:1], emulated...), at(0x4B800000, [3]int{0, 0x38, 0x38}), 0x4B800000},
		{"2^24 + 3 to nearest even", append(all[:1:1], emulated...), at(0x4B800000, [3]int{0, 0x38, 0x44}), 0x4B800002},
		{"2^24 + 3 cut", wide, at(0x4B800000, [3]int{0, 0x38, 0x44}), 0x4B800001},
		{"2^24 - 1/2 to nearest even", append(all[:1:1], emulated...), at(0x4B800000, [3]int{0, 0xB8, 0x30}), 0x4B800000},
		{"2^24 - 1/2 cut", wide, at(0x4B800000, [3]int{0, 0xB8, 0x30}), 0x4B7FFFFF},

		// 2^-9 * 256 is 1/2 but has exponent -6+8 = 2: the unit is 2^-23.
		{"1/2 from a subnormal hides 2^-24", wide, at(0x33800000, [3]int{0, 0x01, 0x78}), 0x3F000000},
		{"1/2 from normals keeps 2^-24", wide, at(0x33800000, [3]int{0, 0x30, 0x38}), 0x3F000001},
		{"1/2 from a subnormal of the emulation keeps 2^-24", emulated, at(0x33800000, [3]int{0, 0x01, 0x78}), 0x3F000001},

		// A product of significands in [2, 4) has the exponent of its factors.
		{"1.875*1.875 under exponent 0: 2^-25 is kept", wide, at(0xB3000000, [3]int{0, 0x3F, 0x3F}), 0x4060FFFF},
		{"c = -2^-26 is not", wide, at(0xB2800000, [3]int{0, 0x3F, 0x3F}), 0x40610000},

		// Scales inside the MMA.
		{"scales of 2", mx, at(0).fill(0x38, 0x38, everyK).scales(0x80, 0x80), 0x43000000},
		{"c is not scaled", mx, at(0x3F800000).fill(0x38, 0x38, everyK).scales(0x80, 0x7F), 0x42820000},
		{"code 0x00 is 2^-127", mx, at(0).fill(0x38, 0x38, everyK).scales(0x00, 0x7F), 0x02800000},
		{"2^-127 * 2^127 is 1", mx, at(0, [3]int{0, 0x38, 0x38}).scales(0x00, 0xFE), 0x3F800000},
		{"NaN scale of zeros", mx, at(0).scales(0xFF, 0x7F), 0x7FFFFFFF},
		{"NaN scale of zeros, other side", mx, at(0x7F800000).scales(0x00, 0xFF), 0x7FFFFFFF},
		{"2^127 * 2 overflows", mx, at(0, [3]int{0, 0x38, 0x38}).scales(0xFE, 0x80), 0x7F800000},
		{"2^254 overflows", mx, at(0, [3]int{9, 0xB8, 0x38}).scales(0xFE, 0xFE), 0xFF800000},
		{"1.875*2^127 does not", mx, at(0, [3]int{0, 0x3F, 0x38}).scales(0xFE, 0x7F), 0x7F700000},
		{"2^128 - 2^127 does not", mx, at(0, [3]int{0, 0x40, 0x38}, [3]int{1, 0xB8, 0x38}).scales(0xFE, 0x7F), 0x7F000000},
		{"32 times 2^-150 is 2^-145", mx, at(0).fill(0x38, 0x38, everyK).scales(0x34, 0x34), 0x00000010},
		{"one 2^-150 is cut to nothing, sign kept", mx, at(0, [3]int{0, 0xB8, 0x38}).scales(0x34, 0x34), 0x80000000},
		{"2^-150 beside c = 2^-149 has the unit 2^-151", mx, at(0x00000001).fill(0x38, 0x38, between(0, 2)).scales(0x34, 0x34), 0x00000002},
		{"32 times 2^-159 is below the unit 2^-158", mx, at(0).fill(0xB8, 0x38, everyK).scales(0x30, 0x2F), 0},
		{"32 times 2^-158 is cut to nothing, sign kept", mx, at(0).fill(0xB8, 0x38, everyK).scales(0x30, 0x30), 0x80000000},
		{"2^-254 vanishes", mx, at(0x80000000).fill(0x38, 0x38, everyK).scales(0x00, 0x00), 0},
		{"scales are ignored by those that take none", all[:7], at(0).fill(0x38, 0x38, everyK).scales(0xFF, 0x00), 0x42000000},
	}
	for _, test := range tests {
		for _, d := range ref.Datapaths() {
			if !slices.Contains(test.on, d.Name) {
				continue
			}
			if got := run(t, d, test.in); got != test.want {
				t.Errorf("%s: %s: %08x, want %08x", d.Name, test.what, got, test.want)
			}
			if got := chips[d.Name].mma(test.in.a[:], test.in.b[:], test.in.sa, test.in.sb, test.in.c); got != test.want {
				t.Errorf("model of %s: %s: %08x, want %08x", d.Name, test.what, got, test.want)
			}
		}
	}
}

// All 65,536 products, alone: no datapath may lose a bit of one product.
func TestMMAOfOneProduct(t *testing.T) {
	for _, d := range ref.Datapaths() {
		for a := range 256 {
			for b := range 256 {
				var x, y [32]scale.E4M3
				k := (a*7 + b) % 32
				x[k], y[k] = scale.E4M3(a), scale.E4M3(b)
				want := float32(math.NaN())
				if a&0x7F != 0x7F && b&0x7F != 0x7F {
					want = codeFloat(a) * codeFloat(b)
				}
				if want == 0 {
					want = 0 // never -0
				}
				if got := d.MMA(&x, &y, 0); !sameBits(got, want) {
					t.Fatalf("%s: %02x * %02x = %08x, want %08x", d.Name, a, b, floatBits(got), floatBits(want))
				}
			}
		}
	}
}

// codeFloat is the value of a finite code, by ldexp.
func codeFloat(b int) float32 {
	e, f := b>>3&15, b&7
	v := math.Ldexp(float64(f), -9)
	if e > 0 {
		v = math.Ldexp(float64(8+f), e-10)
	}
	if b >= 0x80 {
		v = -v
	}
	return float32(v)
}

// sameBits compares in every bit, NaN by class.
func sameBits(a, b float32) bool {
	return floatBits(a) == floatBits(b) || a != a && b != b
}
