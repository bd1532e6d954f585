package interp_test

import "testing"

func TestFloatRows(t *testing.T) {
	const (
		one      = 0x3F800000
		two      = 0x40000000
		minusOne = 0xBF800000
		zero     = 0
		minus0   = 0x80000000
		infinity = 0x7F800000
		largest  = 0x7F7FFFFF
		nan      = 0x7FFFFFFF
		signal   = 0x7F800001
		tie      = 0x33800000 // 2^-24, half of what float32 adds to 1
	)
	checkRows(t, sm90, []row{
		{"add.f32 R, r, r", words{one, one}, words{two}},
		{"add.rn.f32 R, r, r", words{one, tie}, words{one}},
		{"add.rn.f32 R, r, r", words{0x3F800001, tie}, words{0x3F800002}},
		{"add.rz.f32 R, r, r", words{0x3F800001, tie}, words{0x3F800001}},
		{"add.rm.f32 R, r, r", words{0xBF800001, tie}, words{0xBF800001}}, // down from between ...01 and ...00
		{"add.rp.f32 R, r, r", words{one, 1}, words{0x3F800001}},
		{"add.rn.f32 R, r, r", words{largest, largest}, words{infinity}},
		{"add.rz.f32 R, r, r", words{largest, largest}, words{largest}},
		{"add.rm.f32 R, r, r", words{largest, largest}, words{largest}},
		{"add.rp.f32 R, r, r", words{0xFF7FFFFF, 0xFF7FFFFF}, words{0xFF7FFFFF}},
		{"add.rn.f32 R, r, r", words{one, minusOne}, words{zero}},
		{"add.rm.f32 R, r, r", words{one, minusOne}, words{minus0}},
		{"add.rm.f32 R, r, r", words{zero, minus0}, words{minus0}},
		{"add.rm.f32 R, r, r", words{zero, zero}, words{zero}},
		{"add.rn.f32 R, r, r", words{minus0, minus0}, words{minus0}},
		{"add.rn.f32 R, r, r", words{infinity, 0xFF800000}, words{nan}},
		{"add.rn.f32 R, r, r", words{signal, one}, words{nan}},
		{"add.rn.f32 R, r, r", words{1, 1}, words{2}},
		{"add.rn.ftz.f32 R, r, r", words{0x80000001, 0x80000001}, words{minus0}},
		{"add.rn.ftz.f32 R, r, r", words{0x00800000, 0x80800001}, words{minus0}}, // a subnormal result
		{"add.sat.f32 R, r, r", words{one, one}, words{one}},
		{"add.sat.f32 R, r, r", words{minusOne, zero}, words{zero}},
		{"add.sat.f32 R, r, r", words{nan, zero}, words{zero}},
		{"sub.rn.f32 R, r, r", words{one, two}, words{minusOne}},
		{"sub.rm.f32 R, r, r", words{one, one}, words{minus0}},

		{"mul.rn.f32 R, r, r", words{0x3F800001, 0x3F800001}, words{0x3F800002}},
		{"mul.rp.f32 R, r, r", words{0x3F800001, 0x3F800001}, words{0x3F800003}},
		{"mul.rz.f32 R, r, r", words{0x7F000000, 0xC0000000}, words{0xFF7FFFFF}},
		{"mul.rn.f32 R, r, r", words{zero, infinity}, words{nan}},
		{"mul.rn.f32 R, r, r", words{minus0, one}, words{minus0}},
		{"mul.rn.f32 R, r, r", words{1, 0x3F000000}, words{0}}, // half of the least: a tie to even
		{"mul.rp.f32 R, r, r", words{1, 0x3F000000}, words{1}},
		{"mul.rn.f32 R, r, r", words{0x3F7FFFFF, 0x00800000}, words{0x00800000}},
		// Flushed: with more bits it would have rounded to a number below the normal ones.
		{"mul.rn.ftz.f32 R, r, r", words{0x3F7FFFFF, 0x00800000}, words{0}},
		{"mul.rn.ftz.sat.f32 R, r, r", words{two, two}, words{one}},

		// The exact sum lies 2^-70 below a tie: a sum in float64 would land on it.
		{"fma.rn.f32 R, r, r, r", words{0x3F800001, 0x337FFFFE, 0x3F800001}, words{0x3F800001}},
		{"fma.rp.f32 R, r, r, r", words{0x3F800001, 0x337FFFFE, 0x3F800001}, words{0x3F800002}},
		{"fma.rn.f32 R, r, r, r", words{0x3F800001, 0x3F800001, 0xBF800002}, words{0x28800000}}, // 2^-46
		{"fma.rm.f32 R, r, r, r", words{one, one, minusOne}, words{minus0}},
		{"fma.rn.f32 R, r, r, r", words{one, one, minusOne}, words{zero}},
		{"fma.rn.f32 R, r, r, r", words{infinity, zero, one}, words{nan}},
		{"fma.rn.ftz.f32 R, r, r, r", words{1, one, 0x00800000}, words{0x00800000}},
		{"fma.rn.sat.f32 R, r, r, r", words{two, two, one}, words{one}},
		{"mad.rn.f32 R, r, r, r", words{two, 0x40400000, one}, words{0x40E00000}},

		{"div.rn.f32 R, r, r", words{one, 0x40400000}, words{0x3EAAAAAB}},
		{"div.rz.f32 R, r, r", words{one, 0x40400000}, words{0x3EAAAAAA}},
		{"div.rm.f32 R, r, r", words{minusOne, 0x40400000}, words{0xBEAAAAAB}},
		{"div.rp.f32 R, r, r", words{minusOne, 0x40400000}, words{0xBEAAAAAA}},
		{"div.rn.f32 R, r, r", words{minusOne, zero}, words{0xFF800000}},
		{"div.rn.f32 R, r, r", words{zero, zero}, words{nan}},
		{"div.rn.ftz.f32 R, r, r", words{1, one}, words{zero}},
		{"rcp.rn.f32 R, r", words{0x40400000}, words{0x3EAAAAAB}},
		{"rcp.rm.f32 R, r", words{0x40400000}, words{0x3EAAAAAA}},
		{"rcp.rn.f32 R, r", words{minus0}, words{0xFF800000}},
		{"sqrt.rn.f32 R, r", words{two}, words{0x3FB504F3}},
		{"sqrt.rp.f32 R, r", words{two}, words{0x3FB504F4}},
		{"sqrt.rz.f32 R, r", words{0x40800000}, words{two}},
		{"sqrt.rn.f32 R, r", words{minusOne}, words{nan}},
		{"sqrt.rn.f32 R, r", words{minus0}, words{minus0}},

		{"neg.f32 R, r", words{zero}, words{minus0}},
		{"abs.f32 R, r", words{minusOne}, words{one}},
		{"abs.f32 R, r", words{0xFF800001}, words{nan}},
		{"neg.ftz.f32 R, r", words{1}, words{minus0}},
		{"min.f32 R, r, r", words{nan, one}, words{one}},
		{"min.f32 R, r, r", words{zero, minus0}, words{minus0}},
		{"max.f32 R, r, r", words{minus0, zero}, words{zero}},
		{"max.f32 R, r, r", words{signal, 0xFFC00000}, words{nan}},
		{"max.NaN.f32 R, r, r", words{signal, one}, words{nan}},
		{"max.ftz.f32 R, r, r", words{0x80000005, 0xBF800000}, words{minus0}},
		{"min.xorsign.abs.f32 R, r, r", words{minusOne, two}, words{minusOne}},
		{"max.xorsign.abs.f32 R, r, r", words{minusOne, 0xC0000000}, words{two}},
		{"copysign.f32 R, r, r", words{minus0, one}, words{minusOne}},
	})
}

func TestPairRows(t *testing.T) {
	checkRows(t, sm120, []row{
		{"add.rn.f32x2 D, d, d", words{0x3F8000003F800000, 0x3F80000033800000}, words{0x400000003F800000}},
		{"mul.f32x2 D, d, d", words{0x4000000040000000, 0x4040000000000000}, words{0x40C0000000000000}},
		{"fma.rn.f32x2 D, d, d, d", words{0x3F8000013F800000, 0x337FFFFE3F800000, 0x3F800001BF800000}, words{0x3F80000100000000}},
		{"fma.rz.ftz.f32x2 D, d, d, d", words{0x0000000140000000, 0x3F80000040400000, 0x000000003F800000}, words{0x0000000040E00000}},
		{"cvt.rn.bf16x2.ue8m0x2 R, h", words{0xFF7F}, words{0x7FFF3F80}},
		{"cvt.rn.bf16x2.ue8m0x2 R, h", words{0x0001}, words{0x00400080}}, // 2^-127, 2^-126
	})
}

func TestHalfRows(t *testing.T) {
	checkRows(t, sm90, []row{
		{"add.f16 H, h, h", words{0x3C00, 0x3C00}, words{0x4000}},
		{"add.rn.f16 H, h, h", words{0x3C00, 0x1000}, words{0x3C00}}, // a tie
		{"add.rn.f16 H, h, h", words{0x3C01, 0x1000}, words{0x3C02}},
		{"add.f16 H, h, h", words{0x7BFF, 0x7BFF}, words{0x7C00}},
		{"add.f16 H, h, h", words{0x7C01, 0x3C00}, words{0x7FFF}},
		{"add.sat.f16 H, h, h", words{0x3C00, 0x3C00}, words{0x3C00}},
		{"add.f16 H, h, h", words{1, 1}, words{2}},
		{"add.ftz.f16 H, h, h", words{0x8001, 0x8001}, words{0x8000}},
		{"sub.f16x2 R, r, r", words{0x40003C00, 0x3C003C00}, words{0x3C000000}},
		{"mul.f16 H, h, h", words{0x3BFF, 0x0400}, words{0x0400}},
		{"mul.ftz.f16 H, h, h", words{0x3BFF, 0x0400}, words{0}},
		{"mul.f16x2 R, r, r", words{0x7C004000, 0x00004200}, words{0x7FFF4600}},
		{"fma.rn.f16 H, h, h, h", words{0x3C01, 0x3C01, 0xBC02}, words{0x0010}}, // 2^-20
		{"fma.rn.relu.f16 H, h, h, h", words{0xBC00, 0x3C00, 0}, words{0}},
		{"fma.rn.relu.f16 H, h, h, h", words{0x7E00, 0x3C00, 0}, words{0x7FFF}},
		{"fma.rn.sat.f16x2 R, r, r, r", words{0x40007E00, 0x40004000, 0}, words{0x3C000000}},
		{"neg.f16x2 R, r", words{0x3C008000}, words{0xBC000000}},
		{"abs.f16 H, h", words{0xFC01}, words{0x7FFF}},
		{"min.f16x2 R, r, r", words{0x00007E00, 0x80003C00}, words{0x80003C00}},
		{"max.f16x2 R, r, r", words{0x80007E00, 0x00007C01}, words{0x00007FFF}},
		{"max.NaN.f16 H, h, h", words{0x7E00, 0x3C00}, words{0x7FFF}},
		{"min.xorsign.abs.f16 H, h, h", words{0xBC00, 0x4000}, words{0xBC00}},

		{"add.bf16 H, h, h", words{0x3F80, 0x3B80}, words{0x3F80}}, // a tie
		{"add.rn.bf16 H, h, h", words{0x3F81, 0x3B80}, words{0x3F82}},
		{"sub.bf16x2 R, r, r", words{0x40003F80, 0x3F803F80}, words{0x3F800000}},
		{"mul.bf16 H, h, h", words{0x7F7F, 0x4000}, words{0x7F80}},
		{"mul.bf16x2 R, r, r", words{0x40007F80, 0x40400000}, words{0x40C07FFF}},
		{"fma.rn.bf16 H, h, h, h", words{0x3F80, 0x3F80, 0x3B80}, words{0x3F80}},
		{"fma.rn.relu.bf16x2 R, r, r, r", words{0xBF803F80, 0x3F803F80, 0x00003F80}, words{0x00004000}},
		{"neg.bf16 H, h", words{0x3F80}, words{0xBF80}},
		{"abs.bf16x2 R, r", words{0xBF80FF81}, words{0x3F807FFF}},
		{"min.bf16 H, h, h", words{0x7FC0, 0x3F80}, words{0x3F80}},
		{"max.NaN.bf16x2 R, r, r", words{0x7FC03F80, 0x3F804000}, words{0x7FFF4000}},
	})
}
