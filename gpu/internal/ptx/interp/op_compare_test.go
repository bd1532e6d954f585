package interp_test

import "testing"

func TestCompareRows(t *testing.T) {
	const nan, one, two = 0x7FC00000, 0x3F800000, 0x40000000
	checkRows(t, sm90, []row{
		{"setp.eq.s32 P|P, r, r", words{1, 1}, words{1, 0}},
		{"setp.ne.b16 P, h, h", words{1, 1}, words{0}},
		{"setp.lt.s32 P, r, r", words{0xFFFFFFFF, 0}, words{1}},
		{"setp.lt.u32 P, r, r", words{0xFFFFFFFF, 0}, words{0}},
		{"setp.le.s16 P, h, h", words{0x8000, 0x8000}, words{1}},
		{"setp.gt.s64 P, d, d", words{0, 0xFFFFFFFFFFFFFFFF}, words{1}},
		{"setp.ge.u64 P, d, d", words{0, 0xFFFFFFFFFFFFFFFF}, words{0}},
		{"setp.lo.u32 P, r, r", words{1, 2}, words{1}},
		{"setp.ls.u32 P, r, r", words{2, 2}, words{1}},
		{"setp.hi.u16 P, h, h", words{0xFFFF, 2}, words{1}},
		{"setp.hs.u64 P, d, d", words{1, 2}, words{0}},
		{"setp.lt.and.s32 P|P, r, r, p", words{1, 2, 0}, words{0, 0}},
		{"setp.lt.or.s32 P|P, r, r, p", words{2, 1, 1}, words{1, 1}},
		{"setp.lt.xor.s32 P|P, r, r, !p", words{1, 2, 0}, words{0, 1}},

		{"setp.eq.f32 P, r, r", words{0, 0x80000000}, words{1}},
		{"setp.eq.f32 P, r, r", words{nan, nan}, words{0}},
		{"setp.ne.f32 P, r, r", words{nan, one}, words{0}},
		{"setp.lt.f32 P, r, r", words{one, two}, words{1}},
		{"setp.lt.f32 P|P, r, r", words{nan, two}, words{0, 1}},
		{"setp.ge.f32 P, r, r", words{0xBF800000, one}, words{0}},
		{"setp.equ.f32 P, r, r", words{nan, one}, words{1}},
		{"setp.neu.f32 P, r, r", words{one, nan}, words{1}},
		{"setp.ltu.f32 P, r, r", words{nan, one}, words{1}},
		{"setp.leu.f32 P, r, r", words{two, one}, words{0}},
		{"setp.gtu.f32 P, r, r", words{one, one}, words{0}},
		{"setp.geu.f32 P, r, r", words{nan, one}, words{1}},
		{"setp.num.f32 P, r, r", words{nan, one}, words{0}},
		{"setp.nan.f32 P, r, r", words{nan, one}, words{1}},
		{"setp.gt.f32 P, r, r", words{1, 0}, words{1}},
		{"setp.gt.ftz.f32 P, r, r", words{1, 0}, words{0}},
		{"setp.lt.f16 P, h, h", words{0x3C00, 0x4000}, words{1}},
		{"setp.gt.ftz.f16 P, h, h", words{1, 0}, words{0}},
		{"setp.nan.f16 P, h, h", words{0x7C01, 0}, words{1}},
		{"setp.lt.bf16 P, h, h", words{0xBF80, 0x3F80}, words{1}},
		{"setp.lt.f16x2 P|P, r, r", words{0x40003C00, 0x3C004000}, words{1, 0}},
		{"setp.gt.bf16x2 P|P, r, r", words{0x40003F80, 0x3F804000}, words{0, 1}},

		{"set.lt.u32.s32 R, r, r", words{0xFFFFFFFF, 0}, words{0xFFFFFFFF}},
		{"set.lt.f32.s32 R, r, r", words{0xFFFFFFFF, 0}, words{one}},
		{"set.lt.f32.f32 R, r, r", words{two, one}, words{0}},
		{"set.eq.and.s32.b32 R, r, r, p", words{4, 4, 0}, words{0}},
		{"set.eq.f16.f16 H, h, h", words{0x8000, 0}, words{0x3C00}},
		{"set.lt.f16x2.f16x2 R, r, r", words{0x40003C00, 0x3C004000}, words{0x00003C00}},
		{"set.lt.bf16.bf16 H, h, h", words{0, 0x3F80}, words{0x3F80}},
		{"set.lt.u32.f16x2 R, r, r", words{0x40003C00, 0x3C004000}, words{0x0000FFFF}},

		{"testp.finite.f32 P, r", words{0x7F800000}, words{0}},
		{"testp.infinite.f32 P, r", words{0xFF800000}, words{1}},
		{"testp.number.f32 P, r", words{nan}, words{0}},
		{"testp.notanumber.f32 P, r", words{0x7F800001}, words{1}},
		{"testp.normal.f32 P, r", words{0}, words{1}},
		{"testp.normal.f32 P, r", words{0x007FFFFF}, words{0}},
		{"testp.subnormal.f32 P, r", words{0x80000001}, words{1}},
		{"testp.subnormal.f32 P, r", words{0x80000000}, words{0}},
	})
}
