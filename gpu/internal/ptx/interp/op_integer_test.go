package interp_test

import "testing"

func TestIntegerRows(t *testing.T) {
	checkRows(t, sm90, []row{
		{"add.u16 H, h, h", words{0xFFFF, 2}, words{1}},
		{"add.s16 H, h, h", words{0x7FFF, 1}, words{0x8000}},
		{"add.u32 R, r, r", words{0xFFFFFFFF, 1}, words{0}},
		{"add.s32 R, r, r", words{0x7FFFFFFF, 1}, words{0x80000000}},
		{"add.sat.s32 R, r, r", words{0x7FFFFFFF, 1}, words{0x7FFFFFFF}},
		{"add.sat.s32 R, r, r", words{0x80000000, 0xFFFFFFFF}, words{0x80000000}},
		{"add.sat.s32 R, r, r", words{5, 0xFFFFFFFE}, words{3}},
		{"add.u64 D, d, d", words{0xFFFFFFFFFFFFFFFF, 2}, words{1}},
		{"add.s64 D, d, -3", words{1}, words{0xFFFFFFFFFFFFFFFE}},
		{"add.u16x2 R, r, r", words{0xFFFF0001, 0x00010002}, words{0x00000003}},
		{"add.s16x2 R, r, r", words{0x7FFF8000, 0x00018000}, words{0x80000000}},
		{"sub.u16 H, h, h", words{0, 1}, words{0xFFFF}},
		{"sub.s32 R, r, r", words{3, 5}, words{0xFFFFFFFE}},
		{"sub.sat.s32 R, r, r", words{0x80000000, 1}, words{0x80000000}},
		{"sub.sat.s32 R, r, r", words{0x7FFFFFFF, 0xFFFFFFFF}, words{0x7FFFFFFF}},
		{"sub.s64 D, d, d", words{0, 1}, words{0xFFFFFFFFFFFFFFFF}},

		{"mul.lo.u16 H, h, h", words{0x100, 0x101}, words{0x0100}},
		{"mul.hi.u16 H, h, h", words{0xFFFF, 0xFFFF}, words{0xFFFE}},
		{"mul.hi.s16 H, h, h", words{0xFFFF, 0xFFFF}, words{0}},
		{"mul.lo.s32 R, r, r", words{0x10000, 0x10001}, words{0x00010000}},
		{"mul.hi.u32 R, r, r", words{0xFFFFFFFF, 0xFFFFFFFF}, words{0xFFFFFFFE}},
		{"mul.hi.s32 R, r, r", words{0x80000000, 0x80000000}, words{0x40000000}},
		{"mul.hi.s32 R, r, r", words{0xFFFFFFFF, 1}, words{0xFFFFFFFF}},
		{"mul.lo.u64 D, d, d", words{0x100000000, 0x100000001}, words{0x100000000}},
		{"mul.hi.u64 D, d, d", words{0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF}, words{0xFFFFFFFFFFFFFFFE}},
		{"mul.hi.s64 D, d, d", words{0xFFFFFFFFFFFFFFFF, 2}, words{0xFFFFFFFFFFFFFFFF}},
		{"mul.hi.s64 D, d, d", words{0x8000000000000000, 0x8000000000000000}, words{0x4000000000000000}},
		{"mul.wide.u16 R, h, h", words{0xFFFF, 0xFFFF}, words{0xFFFE0001}},
		{"mul.wide.s16 R, h, h", words{0xFFFF, 2}, words{0xFFFFFFFE}},
		{"mul.wide.u32 D, r, r", words{0xFFFFFFFF, 0xFFFFFFFF}, words{0xFFFFFFFE00000001}},
		{"mul.wide.s32 D, r, r", words{0xFFFFFFFF, 3}, words{0xFFFFFFFFFFFFFFFD}},
		{"mad.lo.s32 R, r, r, r", words{7, 6, 0xFFFFFFFF}, words{41}},
		{"mad.hi.u32 R, r, r, r", words{0x80000000, 4, 5}, words{7}},
		{"mad.wide.u32 D, r, r, d", words{0xFFFFFFFF, 2, 3}, words{0x200000001}},
		{"mad.wide.s16 R, h, h, r", words{0xFFFE, 3, 10}, words{4}},
		{"mul24.lo.u32 R, r, r", words{0xFF000002, 3}, words{6}},
		{"mul24.lo.s32 R, r, r", words{0x00FFFFFF, 3}, words{0xFFFFFFFD}},
		{"mul24.hi.u32 R, r, r", words{0x00FFFFFF, 0x00FFFFFF}, words{0xFFFFFE00}},
		{"mad24.lo.s32 R, r, r, r", words{0x00FFFFFF, 3, 5}, words{2}},
		{"sad.u32 R, r, r, r", words{3, 10, 1}, words{8}},
		{"sad.s16 H, h, h, h", words{0xFFFF, 2, 1}, words{4}},
		{"sad.u64 D, d, d, d", words{0xFFFFFFFFFFFFFFFF, 1, 0}, words{0xFFFFFFFFFFFFFFFE}},
		{"dp4a.u32.u32 R, r, r, r", words{0xFF010203, 0x02040506, 1}, words{0x21F}}, // 255*2+4+10+18+1
		{"dp4a.s32.s32 R, r, r, r", words{0xFF010203, 0x02040506, 1}, words{0x1F}},  // -2+4+10+18+1
		{"dp4a.s32.u32 R, r, r, r", words{0x000000FF, 0x000000FF, 0}, words{0xFFFFFF01}},

		// A division by zero is undefined; this is an H200's.
		{"div.u32 R, r, r", words{7, 2}, words{3}},
		{"div.u32 R, r, r", words{7, 0}, words{0xFFFFFFFF}},
		{"div.s32 R, r, r", words{0xFFFFFFF9, 2}, words{0xFFFFFFFD}}, // -7/2 toward zero
		{"div.s32 R, r, r", words{0x80000000, 0xFFFFFFFF}, words{0x80000000}},
		{"div.u16 H, h, h", words{0xFFFF, 0x10}, words{0xFFF}},
		{"div.s64 D, d, d", words{0xFFFFFFFFFFFFFFF8, 3}, words{0xFFFFFFFFFFFFFFFE}},
		{"rem.u32 R, r, r", words{7, 4}, words{3}},
		{"rem.s32 R, r, r", words{0xFFFFFFF9, 4}, words{0xFFFFFFFD}},
		{"rem.s32 R, r, r", words{0x80000000, 0xFFFFFFFF}, words{0}},
		{"rem.u64 D, d, d", words{0xFFFFFFFFFFFFFFFF, 10}, words{5}},

		{"neg.s16 H, h", words{1}, words{0xFFFF}},
		{"neg.s32 R, r", words{0x80000000}, words{0x80000000}},
		{"neg.s64 D, d", words{5}, words{0xFFFFFFFFFFFFFFFB}},
		{"abs.s16 H, h", words{0xFFFB}, words{5}},
		{"abs.s32 R, r", words{0x80000000}, words{0x80000000}},
		{"abs.s64 D, d", words{0xFFFFFFFFFFFFFFFF}, words{1}},
		{"min.u32 R, r, r", words{0xFFFFFFFF, 1}, words{1}},
		{"min.s32 R, r, r", words{0xFFFFFFFF, 1}, words{0xFFFFFFFF}},
		{"max.u16 H, h, h", words{0x8000, 1}, words{0x8000}},
		{"max.s16 H, h, h", words{0x8000, 1}, words{1}},
		{"max.relu.s32 R, r, r", words{0xFFFFFFFE, 0xFFFFFFFF}, words{0}},
		{"min.relu.s32 R, r, r", words{9, 4}, words{4}},
		{"max.s16x2 R, r, r", words{0x80000005, 0x0001FFFF}, words{0x00010005}},
		{"min.u16x2 R, r, r", words{0x80000005, 0x0001FFFF}, words{0x00010005}},
		{"min.relu.s16x2 R, r, r", words{0x80000005, 0x00010007}, words{0x00000005}},
		{"min.s64 D, d, d", words{0x8000000000000000, 0}, words{0x8000000000000000}},
		{"max.u64 D, d, d", words{0x8000000000000000, 0}, words{0x8000000000000000}},

		{"popc.b32 R, r", words{0xF0F0F0F1}, words{17}},
		{"popc.b64 R, d", words{0xFFFFFFFFFFFFFFFF}, words{64}},
		{"clz.b32 R, r", words{0x00010000}, words{15}},
		{"clz.b32 R, r", words{0}, words{32}},
		{"clz.b64 R, d", words{1}, words{63}},
		{"brev.b32 R, r", words{0x00000001}, words{0x80000000}},
		{"brev.b64 D, d", words{0x0000000000000006}, words{0x6000000000000000}},
		{"bfind.u32 R, r", words{0x00008001}, words{15}},
		{"bfind.u32 R, r", words{0}, words{0xFFFFFFFF}},
		{"bfind.s32 R, r", words{0xFFFFFFFB}, words{2}}, // ...1011: the highest zero
		{"bfind.s32 R, r", words{0xFFFFFFFF}, words{0xFFFFFFFF}},
		{"bfind.shiftamt.u32 R, r", words{0x00008001}, words{16}},
		{"bfind.u64 R, d", words{0x100000000}, words{32}},
		{"bfind.shiftamt.s64 R, d", words{1}, words{63}},
	})
}

func TestCarryRows(t *testing.T) {
	checkRows(t, sm90, []row{
		{"add.cc.u32 R, r, r; addc.u32 R, r, r", words{0xFFFFFFFF, 1, 5, 6}, words{0, 12}},
		{"add.cc.u32 R, r, r; addc.cc.u32 R, r, r; addc.u32 R, 0, 0", words{0xFFFFFFFF, 1, 0xFFFFFFFF, 0}, words{0, 0, 1}},
		{"sub.cc.u32 R, r, r; subc.u32 R, r, r", words{0, 1, 5, 2}, words{0xFFFFFFFF, 2}},
		{"sub.cc.u32 R, r, r; subc.cc.u32 R, r, r; subc.u32 R, 0, 0", words{0, 1, 0, 0}, words{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}},
		{"add.cc.u64 D, d, d; addc.u64 D, d, d", words{0xFFFFFFFFFFFFFFFF, 2, 1, 1}, words{1, 3}},
		{"mad.lo.cc.u32 R, r, r, r; madc.hi.u32 R, r0, r1, r", words{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0}, words{0, 0xFFFFFFFF}},
		{"mad.hi.cc.u32 R, r, r, r; addc.u32 R, 0, 0", words{0x80000000, 2, 0xFFFFFFFF}, words{0, 1}},
	})
}
