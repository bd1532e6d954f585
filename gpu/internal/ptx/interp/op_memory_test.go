package interp_test

import "testing"

func TestMemoryRows(t *testing.T) {
	const ld = "; ld.shared.b32 R, [%cell]"
	checkRows(t, sm90, []row{
		{"st.shared.b64 [%cell], d; ld.shared.u8 R, [%cell+1]", words{0x8180}, words{0x81}},
		{"st.shared.b64 [%cell], d; ld.shared.s8 R, [%cell+1]", words{0x8180}, words{0xFFFFFF81}},
		{"st.shared.b64 [%cell], d; ld.shared.s8 H, [%cell]", words{0x8180}, words{0xFF80}},
		{"st.shared.b64 [%cell], d; ld.shared.s16 D, [%cell]", words{0x8180}, words{0xFFFFFFFFFFFF8180}},
		{"st.shared.b64 [%cell], d; ld.shared.s32 D, [%cell+4]", words{0x8000000000000000}, words{0xFFFFFFFF80000000}},
		{"st.shared.b64 [%cell], d; ld.shared.v2.u16 {H, R}, [%cell+4]", words{0x1234567800000000}, words{0x5678, 0x1234}},
		{"st.shared.v4.u8 [%cell], {r, r, r, r}" + ld, words{0x101, 2, 3, 4}, words{0x04030201}},
		{"st.shared.v2.b64 [%cell], {d, d}; ld.shared.v4.f32 {R, _, _, R}, [%cell]", words{1, 0x200000000}, words{1, 2}},
		{"st.volatile.shared.u16 [%cell], h; ld.relaxed.cta.shared.u16 H, [%cell]", words{0xFFFF}, words{0xFFFF}},
		{"st.release.gpu.global.b32 [%to], r; ld.acquire.sys.global.b32 R, [%to]", words{7}, words{7}},
		{"st.global.wt.b32 [%to], r; ld.global.cv.b32 R, [%to]", words{7}, words{7}},
		{"mov.b32 R, r; ld.global.ca.nc.L1::no_allocate.L2::128B.b32 R, [%from]", words{9}, words{9, 9}},

		{"st.shared.b32 [%cell], r; atom.shared.add.u32 R, [%cell], r" + ld, words{0xFFFFFFFF, 3}, words{0xFFFFFFFF, 2}},
		{"st.shared.b32 [%cell], r; atom.shared.min.s32 R, [%cell], r" + ld, words{1, 0xFFFFFFFF}, words{1, 0xFFFFFFFF}},
		{"st.shared.b32 [%cell], r; atom.shared.max.u32 R, [%cell], r" + ld, words{1, 0xFFFFFFFF}, words{1, 0xFFFFFFFF}},
		{"st.shared.b32 [%cell], r; atom.shared.and.b32 R, [%cell], r" + ld, words{0xFF, 0xF0F}, words{0xFF, 0x0F}},
		{"st.shared.b32 [%cell], r; atom.shared.or.b32 _, [%cell], r" + ld, words{0xF0, 0xF}, words{0xFF}},
		{"st.shared.b32 [%cell], r; red.shared.xor.b32 [%cell], r" + ld, words{0xFF, 0xF}, words{0xF0}},
		{"st.shared.b32 [%cell], r; atom.shared.exch.b32 R, [%cell], r" + ld, words{1, 2}, words{1, 2}},
		{"st.shared.b32 [%cell], r; atom.shared.cas.b32 R, [%cell], r, r" + ld, words{1, 1, 5}, words{1, 5}},
		{"st.shared.b32 [%cell], r; atom.shared.cas.b32 R, [%cell], r, r" + ld, words{1, 2, 5}, words{1, 1}},
		{"st.shared.b32 [%cell], r; atom.shared.inc.u32 R, [%cell], r" + ld, words{4, 5}, words{4, 5}},
		{"st.shared.b32 [%cell], r; atom.shared.inc.u32 R, [%cell], r" + ld, words{5, 5}, words{5, 0}},
		{"st.shared.b32 [%cell], r; atom.shared.dec.u32 R, [%cell], r" + ld, words{0, 5}, words{0, 5}},
		{"st.shared.b32 [%cell], r; atom.shared.dec.u32 R, [%cell], r" + ld, words{9, 5}, words{9, 5}},
		{"st.shared.b32 [%cell], r; atom.shared.dec.u32 R, [%cell], r" + ld, words{5, 5}, words{5, 4}},
		{"st.shared.b64 [%cell], d; atom.shared.add.u64 D, [%cell], d; ld.shared.b64 D, [%cell]", words{0xFFFFFFFF, 1}, words{0xFFFFFFFF, 0x100000000}},
		{"st.shared.b64 [%cell], d; atom.shared.max.s64 D, [%cell], d; ld.shared.b64 D, [%cell]", words{0xFFFFFFFFFFFFFFFF, 1}, words{0xFFFFFFFFFFFFFFFF, 1}},
		{"st.shared.b32 [%cell], r; atom.shared.add.f32 R, [%cell], r" + ld, words{0x3F800000, 0x40000000}, words{0x3F800000, 0x40400000}},
		// Global memory flushes subnormals, shared memory does not.
		{"st.shared.b32 [%cell], r; red.shared.add.f32 [%cell], r" + ld, words{1, 1}, words{2}},
		{"st.global.b32 [%to], r; red.global.add.f32 [%to], r; ld.volatile.global.b32 R, [%to]", words{1, 1}, words{0}},
		{"st.global.b32 [%to], r; atom.acq_rel.gpu.global.add.u32 R, [%to], r; ld.volatile.global.b32 R, [%to]", words{1, 4}, words{1, 5}},

		{"cvt.u64.u32 %wide, %cell; cvta.shared.u64 %wide, %wide; isspacep.shared P, %wide; isspacep.global P, %wide", nil, words{1, 0}},
		{"isspacep.global P, %to; isspacep.local P, %to", nil, words{1, 0}},
		{"cvt.u64.u32 %wide, %cell; cvta.shared.u64 %wide, %wide; st.b32 [%wide], r; cvta.to.shared.u64 %wide, %wide; ld.shared.b32 R, [%wide]", words{3}, words{3}},

		{"prefetch.global.L2 [%from]; prefetch.L1 [%from]; nanosleep.u32 100; griddepcontrol.wait; griddepcontrol.launch_dependents; membar.gl; fence.acq_rel.gpu; mov.b32 R, r", words{3}, words{3}},
	})
}

func TestAsyncCopyRows(t *testing.T) {
	const wait = "; cp.async.commit_group; cp.async.wait_group 0; ld.shared.v2.b32 {R, R}, [%cell]"
	const fill = "st.shared.b64 [%cell], -1; mov.u64 D, d; "
	checkRows(t, sm90, []row{
		{fill + "cp.async.ca.shared.global [%cell], [%from], 8" + wait, words{0x1122334455667788}, words{0x1122334455667788, 0x55667788, 0x11223344}},
		{fill + "cp.async.ca.shared.global [%cell], [%from], 4" + wait, words{0x1122334455667788}, words{0x1122334455667788, 0x55667788, 0xFFFFFFFF}},
		{fill + "cp.async.ca.shared.global.L2::128B [%cell], [%from], 8, 3" + wait, words{0x1122334455667788}, words{0x1122334455667788, 0x00667788, 0}},
		{fill + "setp.eq.u32 %q, 0, 0; cp.async.ca.shared.global [%cell], [%from], 8, %q" + wait, words{0x1122334455667788}, words{0x1122334455667788, 0, 0}},
		{fill + "setp.eq.u32 %q, 0, 0; cp.async.ca.shared.global [%cell], [%from], 8, !%q; cp.async.wait_all; ld.shared.v2.b32 {R, R}, [%cell]", words{0x1122334455667788}, words{0x1122334455667788, 0x55667788, 0x11223344}},
	})
	// 16 bytes are two inputs of neighbouring threads.
	got := onWarp(t, sm90, "mov.u64 D, d; and.b64 %from, %from, -16; cp.async.cg.shared.global [%cell], [%from], 16; cp.async.wait_all; ld.shared.v2.b64 {D, D}, [%cell]",
		func(_, lane int) uint64 { return uint64(lane) })
	if got[1][7] != 6 || got[2][7] != 7 {
		t.Errorf("a copy of 16 bytes brought %d and %d, want 6 and 7", got[1][7], got[2][7])
	}
}
