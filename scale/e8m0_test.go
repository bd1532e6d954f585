package scale_test

import (
	"math"
	"testing"

	"blockfp8/scale"
)

var allE8M0 = func() (codes []scale.E8M0) {
	for c := range 256 {
		codes = append(codes, scale.E8M0(c))
	}
	return codes
}()

func TestE8M0Literals(t *testing.T) {
	for _, c := range []struct {
		code     scale.E8M0
		fp32     uint32
		fp64     uint64
		bf16     scale.BF16
		fp16     uint16
		inverse  scale.E8M0
		inverse2 uint32
	}{
		{0x00, 0x00400000, 0x3800000000000000, 0x0040, 0x0000, 0xFE, 0x7F000000},
		{0x01, 0x00800000, 0x3810000000000000, 0x0080, 0x0000, 0xFD, 0x7E800000},
		{0x02, 0x01000000, 0x3820000000000000, 0x0100, 0x0000, 0xFC, 0x7E000000},
		{0x66, 0x33000000, 0x3E60000000000000, 0x3300, 0x0000, 0x98, 0x4C000000}, // 2^-25: a tie, to zero
		{0x67, 0x33800000, 0x3E70000000000000, 0x3380, 0x0001, 0x97, 0x4B800000}, // 2^-24
		{0x70, 0x38000000, 0x3F00000000000000, 0x3800, 0x0200, 0x8E, 0x47000000}, // 2^-15
		{0x71, 0x38800000, 0x3F10000000000000, 0x3880, 0x0400, 0x8D, 0x46800000}, // 2^-14
		{0x7E, 0x3F000000, 0x3FE0000000000000, 0x3F00, 0x3800, 0x80, 0x40000000},
		{0x7F, 0x3F800000, 0x3FF0000000000000, 0x3F80, 0x3C00, 0x7F, 0x3F800000},
		{0x80, 0x40000000, 0x4000000000000000, 0x4000, 0x4000, 0x7E, 0x3F000000},
		{0x8E, 0x47000000, 0x40E0000000000000, 0x4700, 0x7800, 0x70, 0x38000000}, // 2^15
		{0x8F, 0x47800000, 0x40F0000000000000, 0x4780, 0x7C00, 0x6F, 0x37800000}, // 2^16: +Inf in fp16
		{0xFD, 0x7E800000, 0x47D0000000000000, 0x7E80, 0x7C00, 0x01, 0x00800000},
		{0xFE, 0x7F000000, 0x47E0000000000000, 0x7F00, 0x7C00, 0x00, 0x00400000},
	} {
		wantBits32(t, "Float32", c.code.Float32(), c.fp32)
		if bits := math.Float64bits(c.code.Float64()); bits != c.fp64 {
			t.Errorf("%#02x.Float64: got %#x, want %#x", uint8(c.code), bits, c.fp64)
		}
		if got := c.code.BF16(); got != c.bf16 {
			t.Errorf("%#02x.BF16: got %#04x, want %#04x", uint8(c.code), uint16(got), uint16(c.bf16))
		}
		if got := c.code.FP16().Bits(); got != c.fp16 {
			t.Errorf("%#02x.FP16: got %#04x, want %#04x", uint8(c.code), got, c.fp16)
		}
		if got := c.code.Inverse(); got != c.inverse {
			t.Errorf("%#02x.Inverse: got %#02x, want %#02x", uint8(c.code), uint8(got), uint8(c.inverse))
		}
		wantBits32(t, "Inverse().Float32", c.code.Inverse().Float32(), c.inverse2)
	}
}

func TestE8M0NaN(t *testing.T) {
	s := scale.NaNE8M0
	if s != 0xFF {
		t.Errorf("NaNE8M0 is %#02x, want 0xff", uint8(s))
	}
	wantBits32(t, "Float32", s.Float32(), 0x7FC00000)
	if bits := math.Float64bits(s.Float64()); !isNaN64(bits) || bits>>63 != 0 || bits>>51&1 != 1 {
		t.Errorf("Float64: %#x is not a positive quiet NaN", bits)
	}
	if got := s.BF16(); got != 0x7FC0 {
		t.Errorf("BF16: got %#04x, want 0x7fc0", uint16(got))
	}
	if bits := s.FP16().Bits(); !isNaNFP16(bits) || bits>>15 != 0 {
		t.Errorf("FP16: %#04x is not a positive NaN", bits)
	}
	if got := s.Inverse(); got != 0xFF {
		t.Errorf("Inverse: got %#02x, want 0xff", uint8(got))
	}
	for _, c := range allE8M0 {
		if got, want := c.IsNaN(), c == 0xFF; got != want {
			t.Errorf("%#02x.IsNaN: got %v", uint8(c), got)
		}
	}
}

// Every code but NaN is 2^(code-127), in every format that holds it.
func TestE8M0AllCodesByDefinition(t *testing.T) {
	for c := range 255 {
		s, definition := scale.E8M0(c), ratPow2(c-127)
		if rat(s.Float64()).Cmp(definition) != 0 {
			t.Errorf("%#02x.Float64: got %g, want 2^%d", c, s.Float64(), c-127)
		}
		if rat(float64(s.Float32())).Cmp(definition) != 0 {
			t.Errorf("%#02x.Float32: got %g, want 2^%d", c, s.Float32(), c-127)
		}
		if got := bf16Model.value(int(s.BF16())); s.BF16() >= 0x7F80 || rat(got).Cmp(definition) != 0 {
			t.Errorf("%#02x.BF16: got %#04x, want 2^%d", c, uint16(s.BF16()), c-127)
		}
		if got, want := int(s.FP16().Bits()), fp16Model.nearest(math.Ldexp(1, c-127)); got != want {
			t.Errorf("%#02x.FP16: got %#04x, want %#04x", c, got, want)
		}
	}
}

// A code times its inverse is exactly 1.
func TestE8M0InverseAllCodes(t *testing.T) {
	for c := range 255 {
		s := scale.E8M0(c)
		if got := s.Float64() * s.Inverse().Float64(); got != 1 {
			t.Errorf("%#02x times its inverse: got %g", c, got)
		}
		if back := s.Inverse().Inverse(); back != s {
			t.Errorf("%#02x inverted twice: got %#02x", c, uint8(back))
		}
	}
}

func TestE8M0sSharesMemory(t *testing.T) {
	bytes := []byte{0x00, 0x7F, 0xFF}
	codes := scale.E8M0s(bytes)
	wantCodes(t, "E8M0s", codes, []scale.E8M0{0x00, 0x7F, 0xFF})
	bytes[1] = 0x80
	wantCodes(t, "E8M0s after a write", codes, []scale.E8M0{0x00, 0x80, 0xFF})
	if got := scale.E8M0s(nil); got != nil {
		t.Errorf("E8M0s(nil) is %v, want nil: a missing scale must stay missing", got)
	}
	if got := scale.E8M0s([]byte{}); got == nil || len(got) != 0 {
		t.Errorf("E8M0s of no bytes: got %v (nil %v)", got, got == nil)
	}
}
