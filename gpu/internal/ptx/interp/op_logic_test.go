package interp_test

import "testing"

func TestLogicRows(t *testing.T) {
	checkRows(t, sm90, []row{
		{"and.b32 R, r, r", words{0xF0F0F0F0, 0xFF00FF00}, words{0xF000F000}},
		{"or.b16 H, h, h", words{0xF000, 0x000F}, words{0xF00F}},
		{"xor.b64 D, d, d", words{0xFFFFFFFF00000000, 0x0FFFFFFFFFFFFFFF}, words{0xF0000000FFFFFFFF}},
		{"not.b16 H, h", words{0x00FF}, words{0xFF00}},
		{"not.b32 R, r", words{0}, words{0xFFFFFFFF}},
		{"not.b64 D, d", words{1}, words{0xFFFFFFFFFFFFFFFE}},
		{"cnot.b32 R, r", words{0}, words{1}},
		{"cnot.b16 H, h", words{0x8000}, words{0}},
		{"and.pred P, p, p", words{1, 0}, words{0}},
		{"or.pred P, p, !p", words{0, 0}, words{1}},
		{"xor.pred P, p, p", words{1, 1}, words{0}},
		{"not.pred P, p", words{1}, words{0}},
		{"mov.pred P, !p", words{0}, words{1}},
		// The table is read as a*4 + b*2 + c.
		{"lop3.b32 R, r, r, r, 0x80", words{0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA}, words{0x80808080}},
		{"lop3.b32 R, r, r, r, 0x1A", words{0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA}, words{0x1A1A1A1A}},
		{"lop3.b32 R, r, r, r, 0x96", words{1, 1, 1}, words{1}},
		{"lop3.or.b32 R|P, r, r, r, 0x80, p", words{1, 2, 4, 0}, words{0, 0}},
		{"lop3.or.b32 R|P, r, r, r, 0xFE, p", words{1, 2, 4, 0}, words{7, 1}},
		{"lop3.and.b32 R|P, r, r, r, 0xFE, p", words{1, 2, 4, 0}, words{7, 0}},

		{"prmt.b32 R, r, r, 0x3210", words{0x33221100, 0x77665544}, words{0x33221100}},
		{"prmt.b32 R, r, r, 0x7520", words{0x33221100, 0x77665544}, words{0x77552200}},
		{"prmt.b32 R, r, r, 0xF8B9", words{0x80220011, 0xF7665544}, words{0xFF00FF00}}, // signs of 7, 0, 3, 1
		{"prmt.b32.f4e R, r, r, r", words{0x33221100, 0x77665544, 1}, words{0x44332211}},
		{"prmt.b32.b4e R, r, r, r", words{0x33221100, 0x77665544, 1}, words{0x66770011}},
		{"prmt.b32.rc8 R, r, r, r", words{0x33221100, 0x77665544, 2}, words{0x22222222}},
		{"prmt.b32.ecl R, r, r, r", words{0x33221100, 0x77665544, 2}, words{0x33222222}},
		{"prmt.b32.ecr R, r, r, r", words{0x33221100, 0x77665544, 2}, words{0x22221100}},
		{"prmt.b32.rc16 R, r, r, r", words{0x33221100, 0x77665544, 1}, words{0x33223322}},

		{"selp.b32 R, r, r, p", words{1, 2, 1}, words{1}},
		{"selp.f32 R, r, r, !p", words{1, 2, 1}, words{2}},
		{"selp.b16 H, h, h, p", words{1, 2, 0}, words{2}},
		{"selp.u64 D, d, d, p", words{1, 2, 0}, words{2}},
		{"slct.u32.s32 R, r, r, r", words{1, 2, 0}, words{1}},
		{"slct.b64.s32 D, d, d, r", words{1, 2, 0x80000000}, words{2}},
		{"slct.u32.f32 R, r, r, r", words{1, 2, 0x80000000}, words{1}}, // -0 is not less than 0
		{"slct.u32.f32 R, r, r, r", words{1, 2, 0x7FC00000}, words{2}},
		{"slct.u32.f32 R, r, r, r", words{1, 2, 0x80000001}, words{2}},
		{"slct.ftz.u32.f32 R, r, r, r", words{1, 2, 0x80000001}, words{1}},

		{"mov.b32 {H, H}, r", words{0x12345678}, words{0x5678, 0x1234}},
		{"mov.b64 {H, H, H, H}, d", words{0x0123456789ABCDEF}, words{0xCDEF, 0x89AB, 0x4567, 0x0123}},
		{"mov.b64 D, {r, r}", words{0x01234567, 0x89ABCDEF}, words{0x89ABCDEF01234567}},
		{"mov.b32 R, {h, h}", words{0x1111, 0x2222}, words{0x22221111}},
		{"mov.b32 {_, H}, r", words{0x12345678}, words{0x1234}},
		{"mov.u32 R, 0xFFFFFFFF", nil, words{0xFFFFFFFF}},
		{"mov.u32 R, -1", nil, words{0xFFFFFFFF}},
		{"mov.f32 R, 0f3F800000", nil, words{0x3F800000}},
		{"mov.f32 R, 0.5", nil, words{0x3F000000}},
		{"mov.u64 D, 0x8000000000000000", nil, words{0x8000000000000000}},
	})
}

func TestShiftRows(t *testing.T) {
	checkRows(t, sm90, []row{
		{"shl.b32 R, r, r", words{1, 31}, words{0x80000000}},
		{"shl.b32 R, r, r", words{0xFFFFFFFF, 32}, words{0}},
		{"shl.b32 R, r, r", words{0xFFFFFFFF, 0xFFFFFFFF}, words{0}},
		{"shl.b16 H, h, r", words{0xFFFF, 15}, words{0x8000}},
		{"shl.b16 H, h, r", words{0xFFFF, 16}, words{0}},
		{"shl.b64 D, d, r", words{1, 63}, words{0x8000000000000000}},
		{"shl.b64 D, d, r", words{1, 64}, words{0}},
		{"shr.u32 R, r, r", words{0x80000000, 31}, words{1}},
		{"shr.b32 R, r, r", words{0x80000000, 32}, words{0}},
		{"shr.s32 R, r, r", words{0x80000000, 4}, words{0xF8000000}},
		{"shr.s32 R, r, r", words{0x80000000, 100}, words{0xFFFFFFFF}},
		{"shr.s32 R, r, r", words{0x7FFFFFFF, 0xFFFFFFFF}, words{0}},
		{"shr.s16 H, h, r", words{0x8000, 1}, words{0xC000}},
		{"shr.u16 H, h, r", words{0x8000, 1}, words{0x4000}},
		{"shr.s64 D, d, r", words{0x8000000000000000, 64}, words{0xFFFFFFFFFFFFFFFF}},
		{"shr.u64 D, d, r", words{0x8000000000000000, 63}, words{1}},
		{"shf.l.wrap.b32 R, r, r, r", words{0x80000000, 1, 1}, words{3}},
		{"shf.l.wrap.b32 R, r, r, r", words{0x80000000, 1, 33}, words{3}},
		{"shf.l.clamp.b32 R, r, r, r", words{0x80000000, 1, 33}, words{0x80000000}},
		{"shf.r.wrap.b32 R, r, r, r", words{0x80000000, 1, 4}, words{0x18000000}},
		{"shf.r.wrap.b32 R, r, r, r", words{0x80000000, 1, 32}, words{0x80000000}},
		{"shf.r.clamp.b32 R, r, r, r", words{0x80000000, 1, 32}, words{1}},
		{"bfe.u32 R, r, r, r", words{0x12345678, 8, 12}, words{0x456}},
		{"bfe.u32 R, r, r, r", words{0x12345678, 24, 20}, words{0x12}},
		{"bfe.u32 R, r, r, r", words{0x12345678, 0, 0}, words{0}},
		{"bfe.u32 R, r, r, r", words{0x12345678, 40, 8}, words{0}},
		{"bfe.s32 R, r, r, r", words{0x00000F00, 8, 4}, words{0xFFFFFFFF}},
		{"bfe.s32 R, r, r, r", words{0x80000000, 28, 8}, words{0xFFFFFFF8}}, // the sign is the value's top bit
		{"bfe.s32 R, r, r, r", words{0x80000000, 40, 8}, words{0xFFFFFFFF}},
		{"bfe.u64 D, d, r, r", words{0x0123456789ABCDEF, 0, 64}, words{0x0123456789ABCDEF}},
		{"bfe.s64 D, d, r, r", words{0x8000000000000000, 60, 4}, words{0xFFFFFFFFFFFFFFF8}},
		{"bfi.b32 R, r, r, r, r", words{0xFF, 0, 8, 4}, words{0xF00}},
		{"bfi.b32 R, r, r, r, r", words{0, 0xFFFFFFFF, 28, 100}, words{0x0FFFFFFF}},
		{"bfi.b32 R, r, r, r, r", words{0, 0xFFFFFFFF, 32, 4}, words{0xFFFFFFFF}},
		{"bfi.b64 D, d, d, r, r", words{0xFFFFFFFFFFFFFFFF, 0, 4, 56}, words{0x0FFFFFFFFFFFFFF0}},
	})
}
