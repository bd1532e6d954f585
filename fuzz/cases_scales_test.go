package fuzz_test

import (
	"errors"
	"math"
	"testing"

	"blockfp8/fuzz"
	"blockfp8/ref"
	"blockfp8/scale"
)

// one is the code of 1.
const one = 0x38

// Case 1, seen from a product: K = 128 ones with scales 0x00 and 0x7F are 2^-120, and
// all codes are held to 128 * 2^(code-127), infinite from 2^128 on.
func TestCase01_ScaleCodesInAProduct(t *testing.T) {
	kernels := allKernels(t)
	unit := everywhere(one, 1, 128, 1, 128, fuzz.Hex{0x7F})
	hold(t, kernels, problem(everywhere(one, 1, 128, 1, 128, fuzz.Hex{0x00}), unit), always(0x03800000))
	for code := 0; code < 256; code += every(1, 51) {
		want := uint32(code+7) << 23
		switch {
		case code == 0xFF:
			want = 0x7FC00000
		case code >= 0xF8:
			want = 0x7F800000
		}
		from := kernels
		if code%51 != 0 { // emulated chips multiply by six of them here, and by all in the suite
			from = oracles()
		}
		s := everywhere(one, 1, 128, 1, 128, fuzz.Hex{byte(code)})
		hold(t, from, problem(s, unit), always(want))
		hold(t, from, problem(unit, s), always(want))
	}
}

// The same report, seen from a cache: scales upcast once give the bits of the codes;
// the shift, by name, gives the old kernels' 0 and Inf.
func TestCase01_ShiftByNameOnly(t *testing.T) {
	unit := operand(t, everywhere(one, 1, 128, 1, 128, fuzz.Hex{0x7F}))
	for code, want := range map[byte][2]uint32{0x00: {0x03800000, 0}, 0x01: {0x04000000, 0x04000000}, 0xFF: {0x7FC00000, 0x7F800000}} {
		y := operand(t, everywhere(one, 1, 128, 1, 128, fuzz.Hex{code}))
		codes, stride := y.Codes()
		for mode, bits := range map[scale.UpcastMode]uint32{scale.OCP: want[0], scale.Shift: want[1]} {
			upcast := must(ref.NewOperand(codes, stride, must(y.Grid().ToFP32(mode))))
			c := ref.NewMatrix(1, 1)
			if err := ref.MatMul(c, unit, upcast, ref.F32ScaleMMA(ref.SM120, 128, scale.Float32)); err != nil {
				t.Fatal(err)
			}
			if got := math.Float32bits(c.Data[0]); got != bits && !(isNaN32(got) && isNaN32(bits)) {
				t.Errorf("0x%02X upcast by %v: %08x, want %08x", code, mode, got, bits)
			}
		}
	}
}

// Case 2: 128 terms of 2^112 times 256 with one scale 0x00 are exactly 1, whichever
// side has it.
func TestCase02_SmallestScaleOfLargeValues(t *testing.T) {
	kernels := allKernels(t)
	large := everywhere(one, 1, 128, 1, 128, fuzz.Hex{127 + 112})
	small := everywhere(0x78, 1, 128, 1, 128, fuzz.Hex{0x00})
	hold(t, kernels, problem(large, small), always(0x3F800000))
	hold(t, kernels, problem(small, large), always(0x3F800000))
}

// The same report: an output format gets what it can hold of 2^-127 and no more.
func TestCase02_SmallestScaleInEveryFormat(t *testing.T) {
	kernels := allKernels(t)
	for f, bits := range map[scale.Format]uint32{scale.Float32: 0x00400000, scale.BFloat16: 0x00400000, scale.Float16: 0} {
		p := problem(everywhere(one, 1, 1, 1, 128, fuzz.Hex{0x00}), everywhere(one, 1, 1, 1, 128, fuzz.Hex{0x7F}))
		p.Output = f
		hold(t, kernels, p, always(bits))
	}
}

// Case 3, seen from a product: a NaN scale is NaN by its bits in every output.
func TestCase03_NaNScaleInAProduct(t *testing.T) {
	kernels := allKernels(t)
	for _, f := range []scale.Format{scale.Float32, scale.BFloat16, scale.Float16} {
		p := problem(everywhere(0x00, 1, 128, 1, 128, fuzz.Hex{0xFF}), everywhere(one, 1, 128, 1, 128, fuzz.Hex{0x7F}))
		p.Output = f
		hold(t, kernels, p, always(0x7FC00000))
	}
}

// Case 10, seen from a product: a dot of nothing but -0 is +0.
func TestCase10_SumOfNegativeZeros(t *testing.T) {
	hold(t, allKernels(t), problem(everywhere(0x80, 1, 160, 1, 32, repeated(1, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F)...), everywhere(one, 1, 160, 1, 32, repeated(1, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F)...)), always(0))
}

// Case 16, seen from a product: 1.5 with a code of 2 means 3, never 4, and a kernel
// that needs powers of two refuses it.
func TestCase16_ScalesAreNotRounded(t *testing.T) {
	a, b := everywhere(one, 1, 1, 1, 128, fuzz.Hex{0x7F}), everywhere(0x40, 1, 1, 1, 128)
	b.E8M0, b.FP32 = nil, [][]fuzz.Bits{{0x3FC00000}}
	took := 0
	for _, k := range allKernels(t) {
		if holdOne(t, k, problem(asFP32(a), b), always(0x40400000)) {
			took++
		}
	}
	if want := 40 / every(1, 5); took < want {
		t.Errorf("only %d kernels took float32 scales, want %d", took, want)
	}
	if err := ref.UE8M0MX(scale.Float32).Check(operand(t, a), operand(t, b)); !errors.Is(err, scale.ErrInexact) {
		t.Errorf("scales of 1.5 inside an MMA: %v", err)
	}
}

// Case 18, vllm-project/vllm-omni #5263: scales that were never set were used.
func TestCase18_UnsetScales(t *testing.T) {
	x := operand(t, everywhere(one, 1, 128, 1, 128, fuzz.Hex{0x7F}))
	for _, k := range allKernels(t) {
		c := ref.NewMatrix(1, 1)
		c.Data[0] = 5
		if err := k.impl.Multiply(c, x, ref.Operand{}, scale.Float32); !errors.Is(err, scale.ErrUnsetScale) || c.Data[0] != 5 {
			t.Errorf("%s: B without scales: %v, C is %g", k.name, err, c.Data[0])
		}
		if err := k.impl.Multiply(c, ref.Operand{}, x, scale.Float32); !errors.Is(err, scale.ErrUnsetScale) || c.Data[0] != 5 {
			t.Errorf("%s: A without scales: %v, C is %g", k.name, err, c.Data[0])
		}
	}
	if _, err := ref.NewOperand(make([]scale.E4M3, 128), 128, scale.Grid{}); !errors.Is(err, scale.ErrUnsetScale) {
		t.Errorf("an operand without a grid: %v", err)
	}
	if _, err := scale.NewFP32Grid(scale.RowMajor(1, 128, 1, 128), []float32{-math.MaxFloat32}); !errors.Is(err, scale.ErrUnsetScale) {
		t.Errorf("the framework's mark of an unset scale: %v", err)
	}
}

// The same report: As = Bs = 2^-75 and 128 ones are 2^-143, unless the scales are
// multiplied first in float32. And 2^64 twice is infinite only then.
func TestCase18_OrderOfScales(t *testing.T) {
	kernels := allKernels(t)
	small, large := everywhere(one, 1, 128, 1, 128, fuzz.Hex{0x34}), everywhere(0x01, 1, 1, 1, 128, fuzz.Hex{127 + 64})
	hold(t, kernels, problem(small, small), func(r ref.Recipe, _, _ int) uint32 {
		if scalesFirst(r) {
			return 0
		}
		return 0x00000040
	})
	hold(t, kernels, problem(large, large), func(r ref.Recipe, _, _ int) uint32 {
		if scalesFirst(r) {
			return 0x7F800000
		}
		return (127 + 110) << 23
	})
}

// Case 19, seen from a product: a row of zeros is exactly +0 for finite scales, and
// NaN for a NaN scale.
func TestCase19_RowsOfZeros(t *testing.T) {
	kernels := allKernels(t)
	for _, zero := range []byte{0x00, 0x80} {
		for _, s := range []byte{0x00, 0x01, 0x7F, 0xBE, 0xBF, 0xFE, 0xFF} {
			p := problem(everywhere(zero, 2, 128, 1, 128, fuzz.Hex{s}, fuzz.Hex{0x7F}), everywhere(0xC5, 2, 128, 1, 128, fuzz.Hex{s}, fuzz.Hex{0x7F}))
			hold(t, kernels, p, func(r ref.Recipe, m, n int) uint32 {
				// Multiplied first, two scales of 2^64 are infinite, and that times zero is
				// NaN: it is what such kernels do.
				overflow := scalesFirst(r) && m+n == 0 && s >= 127+64
				if s == 0xFF && m*n == 0 || overflow {
					return 0x7FC00000
				}
				return 0
			})
		}
	}
}
