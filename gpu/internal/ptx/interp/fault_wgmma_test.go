package interp_test

import (
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// Pieces of kernels of one warpgroup that multiplies ones: A, 64 rows of 32 codes, lies
// at the beginning of dyn, which is byte 1024, and B, 8 rows, behind it.
const (
	storeTiles = `mov.u32 %r0, dyn;
mad.lo.u32 %r0, %t, 16, %r0;
mov.u32 %r1, 0x38383838;
st.shared.v4.u32 [%r0], {%r1, %r1, %r1, %r1}; // A
setp.lt.u32 %p0, %t, 16;
@%p0 st.shared.v4.u32 [%r0+2048], {%r1, %r1, %r1, %r1};
mov.u64 %d0, 0x1000080040;
mov.u64 %d1, 0x10000800C0;
`
	clearSums = `mov.f32 %f0, 0f00000000;
mov.f32 %f1, %f0;
mov.f32 %f2, %f0;
mov.f32 %f3, %f0;
`
	showTiles = `fence.proxy.async.shared::cta;
bar.sync 0;
`
	fenceSums   = "wgmma.fence.sync.aligned;\n"
	multiply    = "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%f0, %f1, %f2, %f3}, %d0, %d1, 1, 1, 1;"
	wideShape   = "wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %d0, %d1, 0, 1, 1;"
	commitGroup = "\nwgmma.commit_group.sync.aligned;\n"
	waitAll     = "wgmma.wait_group.sync.aligned 0;\n"
	isOut       = "setp.lt.u32 %p2, %t, 64;\n"
	storeSum    = "@%p2 st.global.f32 [%o], %f0;"
	// ready is all up to the first multiplication.
	ready = storeTiles + clearSums + showTiles + isOut + fenceSums
)

// lastWarp is the first thread of the warp that goes first after a barrier: it has come
// last.
const lastWarp = 96

// warpgroupTrial is a kernel of one warpgroup.
func warpgroupTrial(body ...string) trial {
	return trial{threads: 128, shared: 4096, body: strings.Join(body, "")}
}

// Sums of a wgmma that may still be running, and fences that are missing before one.
func TestWgmmaSums(t *testing.T) {
	const unfinished, missing = interp.Unfinished, interp.MissingFence
	const says, saysFence = "accumulates, with no wgmma.wait_group for it", "no wgmma.fence since the kernel's begin or another access"
	checkFaults(t, []fault{
		{
			name: "read without a wait", kind: unfinished, says: says,
			trial: warpgroupTrial(ready, multiply, commitGroup, "// wait\n", storeSum, " // fault"), fixed: []string{"// wait\n", waitAll},
		},
		{
			name: "in no group", kind: unfinished, says: says,
			trial: warpgroupTrial(ready, multiply, "\n// commit\n", waitAll, storeSum, " // fault"), fixed: []string{"\n// commit\n", commitGroup},
		},
		{
			name: "in the group that is not waited for", kind: unfinished, says: says,
			trial: warpgroupTrial(ready, multiply, commitGroup, "wgmma.wait_group.sync.aligned 1;\n", storeSum, " // fault"), fixed: []string{"aligned 1;", "aligned 0;"},
		},
		{
			name: "written without a wait", kind: unfinished, thread: lastWarp, says: says,
			trial: warpgroupTrial(ready, multiply, commitGroup, "mov.f32 %f3, 0f00000000; // fault\n", waitAll), fixed: []string{"mov.f32 %f3, 0f00000000; // fault\n", ""},
		},
		{
			name: "read by some lanes", kind: unfinished, thread: 63, says: says,
			trial: warpgroupTrial(ready, multiply, commitGroup, "setp.eq.u32 %p1, %t, 63;\n@%p1 bra PART;\nbra.uni DONE;\nPART: add.f32 %f7, %f0, %f1; // fault\nDONE:\n", waitAll),
			fixed: []string{"%f0, %f1; // fault", "%f7, %f7;"},
		},
		{
			name: "no fence at first", kind: missing, thread: lastWarp, says: saysFence,
			trial: warpgroupTrial(storeTiles, clearSums, showTiles, "// fence\n", multiply, " // fault", commitGroup, waitAll), fixed: []string{"// fence\n", fenceSums},
		},
		{
			name: "a fence before the sums are cleared", kind: missing, thread: lastWarp, says: saysFence,
			trial: warpgroupTrial(storeTiles, showTiles, fenceSums, clearSums, multiply, " // fault", commitGroup, waitAll), fixed: []string{fenceSums, "", "wgmma.mma", fenceSums + "wgmma.mma"},
		},
		{
			name: "no fence after a read", kind: missing, says: saysFence,
			trial: warpgroupTrial(ready, multiply, commitGroup, waitAll, storeSum, "\nbar.sync 0;\n", multiply, " // fault", commitGroup, waitAll), fixed: []string{"bar.sync 0;\nwgmma", "bar.sync 0;\n" + fenceSums + "wgmma"},
		},
		{
			name: "no fence between shapes", kind: missing, thread: lastWarp, says: "no wgmma.fence since a wgmma of another shape, with 8 columns",
			trial: warpgroupTrial(ready, "mov.f32 %f4, %f7;\n", fenceSums, multiply, "\n", wideShape, " // fault", commitGroup, waitAll), fixed: []string{"wgmma.mma_async.sync.aligned.m64n16", fenceSums + "wgmma.mma_async.sync.aligned.m64n16"},
		},
	})
}

// Shared memory that wgmma reads too early, or that changes too early.
func TestWgmmaReads(t *testing.T) {
	const noFence = "no fence.proxy.async lies between"
	const overwrite = "st.shared.u32 [dyn+2048], %r1; // fault"
	ones := ready + multiply + commitGroup
	checkFaults(t, []fault{
		{
			name: "no fence of the proxies", kind: interp.MissingFence, thread: lastWarp, says: noFence,
			trial: warpgroupTrial(storeTiles, clearSums, "// show\nbar.sync 0;\n", fenceSums, multiply, " // fault", commitGroup, waitAll), fixed: []string{"// show", "fence.proxy.async;"},
		},
		{
			name: "a fence before the stores", kind: interp.MissingFence, thread: lastWarp, says: noFence,
			trial: warpgroupTrial("fence.proxy.async;\n", storeTiles, clearSums, "bar.sync 0;\n", fenceSums, multiply, " // fault", commitGroup, waitAll), fixed: []string{"bar.sync 0;", "fence.proxy.async; bar.sync 0;"},
		},
		{
			name: "a fence of some threads", kind: interp.MissingFence, thread: lastWarp, says: noFence,
			trial: warpgroupTrial(storeTiles, clearSums, "@%p0 fence.proxy.async;\nbar.sync 0;\n", fenceSums, multiply, " // fault", commitGroup, waitAll), fixed: []string{"@%p0 fence", "fence"},
		},
		{
			name: "no barrier", kind: interp.Race, says: "reads byte 1024 of shared memory that another lane of the warp (warp 0) has written",
			trial: warpgroupTrial(storeTiles, clearSums, "fence.proxy.async;\n", fenceSums, multiply, " // fault", commitGroup, waitAll), fixed: []string{fenceSums, "bar.sync 0;\n" + fenceSums},
		},
		{
			name: "a store before the wait", kind: interp.Race, says: "writes byte 3072 of shared memory that wgmma of warp 0 may still read",
			trial: warpgroupTrial(ones, "setp.eq.u32 %p1, %t, 0;\n@%p1 ", overwrite, "\n", waitAll),
			fixed: []string{"setp.eq.u32 %p1", waitAll + "bar.sync 0;\nsetp.eq.u32 %p1"},
		},
		{
			name: "a store before another warp's wait", kind: interp.Race, says: "writes byte 3072 of shared memory that wgmma of warp 0 may still read", thread: 36,
			trial: warpgroupTrial(ones, waitAll, "// all\nsetp.eq.u32 %p1, %t, 36;\n@%p1 ", overwrite),
			fixed: []string{"// all", "bar.sync 0;"},
		},
		{
			name: "a copy before the wait", kind: interp.Race, says: "writes byte 3072 of shared memory that wgmma of warp 0 may still read",
			trial: warpgroupTrial(ones, "setp.eq.u32 %p1, %t, 0;\n@%p1 cp.async.ca.shared.global [dyn+2048], [%in], 16; // fault\n", waitAll),
			fixed: []string{"setp.eq.u32 %p1", waitAll + "bar.sync 0;\nsetp.eq.u32 %p1"},
		},
		{
			name: "a copy that nobody waited for", kind: interp.NotWaited, thread: 64, says: "a cp.async at",
			trial: warpgroupTrial(storeTiles, clearSums, showTiles, fenceSums, "cp.async.ca.shared.global [%r0], [%in], 16;\n// wait\nbar.sync 0;\n", multiply, " // fault", commitGroup, waitAll),
			fixed: []string{"// wait", "cp.async.wait_all;\nfence.proxy.async;"},
		},
		{
			name: "what nobody wrote", kind: interp.Undefined, says: "what is stored depends on shared memory that was never written",
			trial: warpgroupTrial(strings.Replace(ones, "%t, 16;\n@", "%t, 8;\n@", 1), waitAll, "setp.eq.u32 %p1, %l, 2;\n@%p1 st.global.f32 [%out], %f0; // fault"), thread: 98,
			fixed: []string{"%t, 8;", "%t, 16;"},
		},
		{
			name: "behind shared memory", kind: interp.OutOfBounds, thread: lastWarp, says: "wgmma reads 16 bytes at 5120 of 5120 bytes of shared memory",
			trial: warpgroupTrial(ready, "mov.u64 %d1, 0x1000080140;\n", multiply, " // fault", commitGroup, waitAll), fixed: []string{"0x1000080140", "0x10000800C0"},
		},
	})
}

// wgmma that not all threads of a warpgroup execute, or not in the same way.
func TestWarpgroups(t *testing.T) {
	const kind = interp.Warpgroup
	changed := func(registers string) string { return "setp.eq.u32 %p1, %w, 2;\n@%p1 mov.u64 " + registers + ";\n" }
	checkFaults(t, []fault{
		{
			name: "some warps", kind: kind, says: "warp 3 of the warpgroup has not executed this wgmma",
			trial: warpgroupTrial(ready, "setp.eq.u32 %p1, %w, 3;\n@%p1 bra DONE;\n", multiply, " // fault", commitGroup, waitAll, "DONE:"), fixed: []string{"@%p1 bra DONE;", ""},
		},
		{
			name: "different instructions", kind: kind, thread: 0, says: "warp 3 of the warpgroup executes wgmma at",
			trial: warpgroupTrial(ready, "setp.eq.u32 %p1, %w, 3;\n@%p1 bra OTHER;\n", multiply, " // fault\nbra.uni DONE;\nOTHER: ", multiply, "\nDONE:", commitGroup, waitAll), fixed: []string{"@%p1 bra OTHER;", ""},
		},
		{
			name: "too few warps", kind: kind, thread: 64, says: "wgmma in a warpgroup of 3 warps; it has to have 4",
			trial: trial{threads: 96, shared: 4096, body: strings.Replace(ready, "0x1000080040", "0x1000080000", 1) + multiply + " // fault" + commitGroup + waitAll},
		},
		{
			name: "descriptors of a warp", kind: kind, thread: 64, says: "descriptors 0x1000080040 and 0x1000080040, scale-d true; in warp 3 of the warpgroup they are 0x1000080040 and 0x10000800c0, true",
			trial: warpgroupTrial(ready, changed("%d1, %d0"), multiply, " // fault", commitGroup, waitAll), fixed: []string{"%d1, %d0;", "%d1, %d1;"},
		},
		{
			name: "descriptors of a lane", kind: interp.BadOperand, thread: 5, says: "have to be the same in all threads",
			trial: warpgroupTrial(ready, "setp.eq.u32 %p1, %t, 5;\n@%p1 mov.u64 %d0, %d1;\n", multiply, " // fault", commitGroup, waitAll), fixed: []string{"%d0, %d1;", "%d0, %d0;"},
		},
		{
			name: "scale-d of a lane", kind: interp.BadOperand, thread: lastWarp + 8, says: "have to be the same in all threads",
			trial: warpgroupTrial(ready, "setp.ge.u32 %p1, %l, 8;\n", strings.Replace(multiply, ", 1, 1, 1;", ", %p1, 1, 1;", 1), " // fault", commitGroup, waitAll), fixed: []string{"%l, 8", "%l, 0"},
		},
		{
			name: "some lanes", kind: interp.MaskMismatch, thread: lastWarp, says: "wgmma needs all 32 lanes; 0xff are there",
			trial: warpgroupTrial(ready, "setp.lt.u32 %p1, %l, 8;\n@%p1 ", multiply, " // fault", commitGroup, waitAll), fixed: []string{"@%p1 ", ""},
		},
		{
			name: "a wait of some lanes", kind: interp.MaskMismatch, thread: lastWarp, says: "wgmma.wait_group needs all 32 lanes",
			trial: warpgroupTrial(ready, multiply, commitGroup, "setp.lt.u32 %p1, %l, 8;\n@%p1 ", strings.TrimSuffix(waitAll, "\n"), " // fault"), fixed: []string{"@%p1 ", ""},
		},
	})
}

// Descriptors that mean nothing, or nothing that is known here.
func TestMatrixDescriptors(t *testing.T) {
	for _, r := range []struct{ name, descriptor, says string }{
		{"reserved bits", "0x00000010000840C0", "with reserved bits"},
		{"a base offset", "0x00020010000800C0", "with a base offset, which is not supported"},
		{"the 64-byte swizzle", "0x80000010000800C0", "with swizzle 2; none and 128 bytes (1) are supported"},
		{"a pattern between two", "0x40000040000100C8", "whose swizzled rows begin at 3200, 1024 further for eight; multiples of 1024 are needed"},
		{"rows of patterns that overlap", "0x40000020000100C0", "whose swizzled rows begin at 3072, 512 further for eight"},
	} {
		checkFaults(t, []fault{{
			name: r.name, kind: interp.BadOperand, thread: lastWarp, says: r.says,
			trial: warpgroupTrial(ready, "mov.u64 %d1, "+r.descriptor+";\n", multiply, " // fault", commitGroup, waitAll), fixed: []string{r.descriptor, "0x10000800C0"},
		}})
	}
}

// What is no fault.
func TestNoWgmmaFaults(t *testing.T) {
	again := "\n" + multiply
	for _, r := range []struct {
		name string
		trial
		want uint32 // the first sum of thread 5
	}{
		{"a chain in one group", warpgroupTrial(ready, multiply, again, again, again, commitGroup, waitAll, storeSum), 0x43000000}, // 4 * 32
		{"a chain of groups", warpgroupTrial(ready, multiply, commitGroup, multiply, commitGroup, "wgmma.wait_group.sync.aligned 1;\n", multiply, commitGroup, waitAll, storeSum), 0x42C00000},
		{"a fence by the reader", warpgroupTrial(storeTiles, clearSums, "bar.sync 0;\nfence.proxy.async;\n", isOut, fenceSums, multiply, commitGroup, waitAll, storeSum), 0x42000000},
		{"sums that nothing clears", warpgroupTrial(storeTiles, showTiles, isOut, fenceSums, strings.Replace(multiply, ", 1, 1, 1;", ", 0, 1, 1;", 1), commitGroup, waitAll, storeSum), 0x42000000},
		{"other registers meanwhile", warpgroupTrial(ready, multiply, commitGroup, "mov.f32 %f7, %f6;\n", waitAll, storeSum), 0x42000000},
		{"reads beside it", warpgroupTrial(ready, multiply, commitGroup, "ld.shared.u32 %r3, [dyn];\n", waitAll, storeSum), 0x42000000},
		{"undefined rows that nobody stores", warpgroupTrial(strings.Replace(ready, "setp.lt.u32 %p0, %t, 16;", "and.b32 %r3, %t, 7;\nsetp.lt.u32 %p0, %r3, 4;\nsetp.lt.and.u32 %p0, %t, 16, %p0;", 1), multiply, commitGroup, waitAll,
			"and.b32 %r3, %l, 3;\nsetp.lt.and.u32 %p2, %r3, 2, %p2;\n", storeSum), 0x42000000},
	} {
		t.Run(r.name, func(t *testing.T) {
			out, _, err := r.run(t)
			if err != nil || out[5] != r.want {
				t.Errorf("%#x, %v; want %#x", out[5], err, r.want)
			}
		})
	}
}
