package interp_test

import "testing"

func TestConvertRows(t *testing.T) {
	checkRows(t, sm90, []row{
		// Between integers. Registers may be larger than the types.
		{"cvt.s64.s32 D, r", words{0x80000000}, words{0xFFFFFFFF80000000}},
		{"cvt.u64.u32 D, r", words{0x80000000}, words{0x80000000}},
		{"cvt.s64.u32 D, r", words{0x80000000}, words{0x80000000}},
		{"cvt.u64.s32 D, r", words{0x80000000}, words{0xFFFFFFFF80000000}},
		{"cvt.u32.u64 R, d", words{0x123456789ABCDEF0}, words{0x9ABCDEF0}},
		{"cvt.s32.s8 R, r", words{0x12345680}, words{0xFFFFFF80}},
		{"cvt.u32.u8 R, r", words{0x12345680}, words{0x80}},
		{"cvt.s8.s32 R, r", words{0x12345680}, words{0xFFFFFF80}},
		{"cvt.u8.s32 R, r", words{0xFFFFFF80}, words{0x80}},
		{"cvt.s16.s32 D, d", words{0x18000}, words{0xFFFFFFFFFFFF8000}},
		{"cvt.u16.u32 H, r", words{0x12345678}, words{0x5678}},
		{"cvt.s16.s8 H, h", words{0x00FF}, words{0xFFFF}},
		{"cvt.sat.s8.s32 R, r", words{200}, words{127}},
		{"cvt.sat.s8.s32 R, r", words{0xFFFFFF00}, words{0xFFFFFF80}},
		{"cvt.sat.u8.s32 R, r", words{0xFFFFFFFF}, words{0}},
		{"cvt.sat.u8.u32 R, r", words{0xFFFFFFFF}, words{0xFF}},
		{"cvt.sat.s32.u64 R, d", words{0xFFFFFFFFFFFFFFFF}, words{0x7FFFFFFF}},
		{"cvt.sat.u32.s64 R, d", words{0x8000000000000000}, words{0}},
		{"cvt.sat.s64.u64 D, d", words{0xFFFFFFFFFFFFFFFF}, words{0x7FFFFFFFFFFFFFFF}},

		// Integers to floats.
		{"cvt.rn.f32.u32 R, r", words{0xFFFFFFFF}, words{0x4F800000}},
		{"cvt.rz.f32.u32 R, r", words{0xFFFFFFFF}, words{0x4F7FFFFF}},
		{"cvt.rn.f32.s32 R, r", words{0xFFFFFFFF}, words{0xBF800000}},
		{"cvt.rm.f32.s32 R, r", words{0xFEFFFFFF}, words{0xCB800001}}, // -(2^24+1)
		{"cvt.rp.f32.s32 R, r", words{0xFEFFFFFF}, words{0xCB800000}},
		{"cvt.rn.f32.u64 R, d", words{0x8000008000000001}, words{0x5F000001}}, // just above a tie, beyond float64
		{"cvt.rn.f32.s64 R, d", words{0x8000000000000000}, words{0xDF000000}},
		{"cvt.rn.f16.s32 H, r", words{0x0000FFE0}, words{0x7BFF}},
		{"cvt.rn.f16.u32 H, r", words{0x0000FFF0}, words{0x7C00}},
		{"cvt.rz.f16.u32 H, r", words{0xFFFFFFFF}, words{0x7BFF}},
		{"cvt.rn.bf16.s32 H, r", words{0xFFFFFFFD}, words{0xC040}},
		{"cvt.rn.f32.s8 R, r", words{0x80}, words{0xC3000000}},

		// Floats to integers.
		{"cvt.rni.s32.f32 R, r", words{0x40200000}, words{2}}, // 2.5
		{"cvt.rzi.s32.f32 R, r", words{0xC0200000}, words{0xFFFFFFFE}},
		{"cvt.rmi.s32.f32 R, r", words{0xC0200000}, words{0xFFFFFFFD}},
		{"cvt.rpi.s32.f32 R, r", words{0x40200000}, words{3}},
		{"cvt.rzi.u32.f32 R, r", words{0xBF800000}, words{0}},
		{"cvt.rzi.u32.f32 R, r", words{0x4F800000}, words{0xFFFFFFFF}},
		{"cvt.rzi.s32.f32 R, r", words{0x7F800000}, words{0x7FFFFFFF}},
		{"cvt.rzi.s32.f32 R, r", words{0x7FC00000}, words{0}},
		{"cvt.rzi.s64.f32 D, r", words{0x7FC00000}, words{0x8000000000000000}},
		{"cvt.rzi.u64.f32 D, r", words{0x5F800000}, words{0xFFFFFFFFFFFFFFFF}},
		{"cvt.rzi.s8.f32 R, r", words{0xC3800000}, words{0xFFFFFF80}},
		{"cvt.rpi.ftz.s32.f32 R, r", words{1}, words{0}},
		{"cvt.rpi.s32.f32 R, r", words{1}, words{1}},
		{"cvt.rni.s32.f16 R, h", words{0x4100}, words{2}},
		{"cvt.rzi.u16.f16 H, h", words{0x7C00}, words{0xFFFF}},
		{"cvt.rzi.s32.bf16 R, h", words{0xC020}, words{0xFFFFFFFE}},

		// Between floats.
		{"cvt.rni.f32.f32 R, r", words{0xBF000000}, words{0x80000000}},
		{"cvt.rpi.f32.f32 R, r", words{0x3F000000}, words{0x3F800000}},
		{"cvt.sat.f32.f32 R, r", words{0x40000000}, words{0x3F800000}},
		{"cvt.ftz.f32.f32 R, r", words{0x80000001}, words{0x80000000}},
		{"cvt.rn.f16.f32 H, r", words{0x3F801000}, words{0x3C00}}, // a tie
		{"cvt.rn.f16.f32 H, r", words{0x3F803000}, words{0x3C02}},
		{"cvt.rz.f16.f32 H, r", words{0x3F803000}, words{0x3C01}},
		{"cvt.rn.f16.f32 H, r", words{0x477FF000}, words{0x7C00}}, // 65520
		{"cvt.rz.f16.f32 H, r", words{0x477FF000}, words{0x7BFF}},
		{"cvt.rn.f16.f32 H, r", words{0x33000000}, words{0}}, // 2^-25, half of the least
		{"cvt.rp.f16.f32 H, r", words{0x33000000}, words{1}},
		{"cvt.rn.f16.f32 H, r", words{0xFF800001}, words{0x7FFF}},
		{"cvt.rn.sat.f16.f32 H, r", words{0x40000000}, words{0x3C00}},
		{"cvt.rn.relu.f16.f32 H, r", words{0xBF800000}, words{0}},
		{"cvt.rn.bf16.f32 H, r", words{0x3F808000}, words{0x3F80}},
		{"cvt.rn.bf16.f32 H, r", words{0x3F818000}, words{0x3F82}},
		{"cvt.rz.bf16.f32 H, r", words{0x3F81FFFF}, words{0x3F81}},
		{"cvt.rn.bf16.f32 H, r", words{0x7F7FFFFF}, words{0x7F80}},
		{"cvt.rn.relu.bf16.f32 H, r", words{0x7FC00000}, words{0x7FFF}},
		{"cvt.rn.satfinite.f16.f32 H, r", words{0x477FF000}, words{0x7BFF}},
		{"cvt.rn.satfinite.bf16.f32 H, r", words{0xFF800000}, words{0xFF7F}},
		{"cvt.rn.relu.satfinite.f16.f32 H, r", words{0xFF800000}, words{0}},
		{"cvt.f32.f16 R, h", words{0x0001}, words{0x33800000}},
		{"cvt.f32.f16 R, h", words{0xFC01}, words{0x7FFFFFFF}},
		{"cvt.f32.bf16 R, h", words{0xBF81}, words{0xBF810000}},
		{"cvt.rn.bf16.f16 H, h", words{0x3C04}, words{0x3F80}},
		{"cvt.rn.f16.bf16 H, h", words{0x4780}, words{0x7C00}},
		{"cvt.rmi.f16.f16 H, h", words{0xB800}, words{0xBC00}},
	})
}

func TestPackedConvertRows(t *testing.T) {
	checkRows(t, sm90, []row{
		// The first operand goes to the upper half.
		{"cvt.rn.f16x2.f32 R, r, r", words{0x3F800000, 0x40000000}, words{0x3C004000}},
		{"cvt.rz.f16x2.f32 R, r, r", words{0x477FF000, 0xC77FF000}, words{0x7BFFFBFF}},
		{"cvt.rn.relu.f16x2.f32 R, r, r", words{0xBF800000, 0x7FC00000}, words{0x00007FFF}},
		{"cvt.rn.satfinite.f16x2.f32 R, r, r", words{0x7F800000, 0x7FC00000}, words{0x7BFF7FFF}},
		{"cvt.rn.bf16x2.f32 R, r, r", words{0x3F808000, 0x3F818000}, words{0x3F803F82}},
		{"cvt.rz.relu.bf16x2.f32 R, r, r", words{0x3F81FFFF, 0x80000000}, words{0x3F810000}},

		{"cvt.rn.satfinite.e4m3x2.f32 H, r, r", words{0x3F800000, 0x43E00000}, words{0x387E}}, // 1, 448
		{"cvt.rn.satfinite.e4m3x2.f32 H, r, r", words{0x447A0000, 0xFF800000}, words{0x7EFE}},
		{"cvt.rn.satfinite.e4m3x2.f32 H, r, r", words{0x7FC00000, 0xFFC00000}, words{0x7F7F}},
		{"cvt.rn.satfinite.e4m3x2.f32 H, r, r", words{0x3A800000, 0x3A800001}, words{0x0001}}, // 2^-10 and just above
		{"cvt.rn.satfinite.e4m3x2.f32 H, r, r", words{0x80000000, 0x3F880000}, words{0x8038}}, // 1.0625, a tie
		{"cvt.rn.satfinite.relu.e4m3x2.f32 H, r, r", words{0xBF800000, 0x7FC00000}, words{0x007F}},
		{"cvt.rn.satfinite.e5m2x2.f32 H, r, r", words{0x3F800000, 0x47600000}, words{0x3C7B}}, // 1, 57344
		{"cvt.rn.satfinite.e5m2x2.f32 H, r, r", words{0x7F800000, 0xFFC00000}, words{0x7B7F}},
		{"cvt.rn.satfinite.e5m2x2.f32 H, r, r", words{0x37000000, 0xB7800000}, words{0x0081}}, // 2^-17, a tie, and -2^-16
		{"cvt.rn.satfinite.e4m3x2.f16x2 H, r", words{0x3C005F00}, words{0x387E}},
		{"cvt.rn.satfinite.relu.e4m3x2.f16x2 H, r", words{0xBC007E00}, words{0x007F}},
		{"cvt.rn.satfinite.e5m2x2.f16x2 H, r", words{0x3C00FC00}, words{0x3CFB}},

		{"cvt.rn.f16x2.e4m3x2 R, h", words{0x387E}, words{0x3C005F00}},
		{"cvt.rn.f16x2.e4m3x2 R, h", words{0x01FF}, words{0x18007FFF}}, // 2^-9, NaN
		{"cvt.rn.relu.f16x2.e4m3x2 R, h", words{0xB880}, words{0x00000000}},
		{"cvt.rn.f16x2.e5m2x2 R, h", words{0x3C7C}, words{0x3C007C00}},
		{"cvt.rn.f16x2.e5m2x2 R, h", words{0xFD01}, words{0x7FFF0100}},
		{"cvt.rn.relu.f16x2.e5m2x2 R, h", words{0xBC3C}, words{0x00003C00}},
	})
}
