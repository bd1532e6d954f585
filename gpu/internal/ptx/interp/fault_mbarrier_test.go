package interp_test

import (
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// Pieces of kernels in which warp 0 gives cell+16 to the others, of which the mbarrier at
// cell tells, byte 0 of shared memory.
const (
	firstThread = "setp.eq.u32 %p0, %t, 0;\n"
	makeOne     = firstThread + "@%p0 mbarrier.init.shared::cta.b64 [cell], 1;\n"
	makeWarp    = firstThread + "@%p0 mbarrier.init.shared::cta.b64 [cell], 32;\n"
	allMade     = "bar.sync 0;\n"
	giverTaker  = "setp.eq.u32 %p1, %w, 0;\n@!%p1 bra TAKER;\n"
	give        = "@%p0 st.shared.u32 [cell+16], 5;\n"
	giveLate    = "@%p0 st.shared.u32 [cell+16], 5; // fault\n" // warp 1 goes first
	arriveFirst = "@%p0 mbarrier.arrive.shared::cta.b64 _, [cell];\n"
	arriveEach  = "mbarrier.arrive.shared::cta.b64 _, [cell];\n"
	taker       = "bra.uni DONE;\nTAKER: "
	waitFirst   = "mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;\n@!%p2 bra TAKER;\n"
	take        = "ld.shared.u32 %r1, [cell+16];"
	done        = "\nDONE:"
)

func mbarrierTrial(body ...string) trial { return trial{body: strings.Join(body, "")} }

// Mbarriers that are not there, or not what they are used for.
func TestMbarrierState(t *testing.T) {
	const kind = interp.MBarrierFault
	checkFaults(t, []fault{
		{
			name: "use without initialisation", kind: kind, says: "no mbarrier has been initialised at byte 8 of shared memory",
			trial: mbarrierTrial(makeOne, allMade, "@%p0 mbarrier.arrive.shared::cta.b64 _, [cell+8]; // fault"), fixed: []string{"cell+8", "cell"},
		},
		{
			name: "a wait without initialisation", kind: kind, says: "no mbarrier has been initialised at byte 0 of shared memory",
			trial: mbarrierTrial("mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 1; // fault"), fixed: []string{"mbarrier.try", "\n" + makeOne + allMade + "mbarrier.try"},
		},
		{
			name: "initialised again", kind: kind, says: "the mbarrier at byte 0 of shared memory is initialised again",
			trial: mbarrierTrial(makeOne, allMade, "@%p0 mbarrier.init.shared::cta.b64 [cell], 1; // fault"), fixed: []string{"[cell], 1; // fault", "[cell+8], 1;"},
		},
		{
			name: "no arrivals", kind: interp.BadOperand, says: "an mbarrier for 0 arrivals; 1 to 1048575 are possible",
			trial: mbarrierTrial(firstThread, "@%p0 mbarrier.init.shared::cta.b64 [cell], 0; // fault"), fixed: []string{"[cell], 0", "[cell], 1048575"},
		},
		{
			name: "misaligned", kind: interp.Misaligned, says: "an mbarrier at 0x4 of shared memory",
			trial: mbarrierTrial(firstThread, "@%p0 mbarrier.init.shared::cta.b64 [cell+4], 1; // fault"), fixed: []string{"cell+4", "cell+8"},
		},
		{
			name: "behind shared memory", kind: interp.OutOfBounds, says: "an mbarrier at 1024 of 1024 bytes of shared memory",
			trial: mbarrierTrial(firstThread, "@%p0 mbarrier.init.shared::cta.b64 [cell+1024], 1; // fault"), fixed: []string{"cell+1024", "cell+1016"},
		},
		{
			name: "in global memory", kind: interp.OutOfBounds, says: "of global memory; it has to be in shared memory",
			trial: mbarrierTrial(firstThread, "@%p0 mbarrier.init.b64 [%out], 1; // fault"), fixed: []string{"[%out]", "[%d0]", "@%p0", "mov.u32 %r0, cell;\ncvt.u64.u32 %d0, %r0;\ncvta.shared.u64 %d0, %d0;\n@%p0"},
		},
		{
			name: "overwritten", kind: kind, says: "writes bytes of the mbarrier at byte 0 of shared memory",
			trial: mbarrierTrial(makeOne, allMade, "@%p0 st.shared.u32 [cell+4], 1; // fault"), fixed: []string{"cell+4", "cell+8"},
		},
		{
			name: "read", kind: kind, says: "reads bytes of the mbarrier at byte 0 of shared memory",
			trial: mbarrierTrial(makeOne, allMade, "@%p0 ld.shared.u64 %d0, [cell]; // fault"), fixed: []string{"[cell]; // fault", "[cell+8];"},
		},
		{
			name: "changed", kind: kind, says: "changes bytes of the mbarrier at byte 0 of shared memory",
			trial: mbarrierTrial(makeOne, "@%p0 st.shared.u32 [cell+8], 0;\n", allMade, "@%p0 red.shared.add.u32 [cell], 1; // fault"), fixed: []string{"red.shared.add.u32 [cell]", "red.shared.add.u32 [cell+8]"},
		},
		{
			name: "copied over", kind: kind, says: "writes bytes of the mbarrier at byte 0 of shared memory",
			trial: mbarrierTrial(makeOne, allMade, "@%p0 cp.async.ca.shared.global [cell], [%in], 16; // fault"), fixed: []string{"[cell], [", "[cell+16], ["},
		},
		{
			name: "too many arrivals", kind: kind, says: "2 arrivals at the mbarrier at byte 0 of shared memory, in phase 0: 1 of 1 arrivals and 0 bytes are still to come",
			trial: mbarrierTrial(makeOne, allMade, "@%p0 mbarrier.arrive.shared::cta.b64 _, [cell], 2; // fault"), fixed: []string{"[cell], 2", "[cell], 1"},
		},
		{
			name: "an arrival before the bytes have come", kind: kind, says: "1 arrivals at the mbarrier at byte 0 of shared memory, in phase 0: 0 of 1 arrivals and 16 bytes are still to come",
			trial: mbarrierTrial(makeOne, allMade, "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [cell], 16;\n@%p0 mbarrier.arrive.shared::cta.b64 _, [cell]; // fault"), fixed: []string{"16;", "0;"},
		},
		{
			name: "too many bytes", kind: interp.BadOperand, says: "1048576 bytes are to come to the mbarrier at byte 0 of shared memory",
			trial: mbarrierTrial(makeOne, allMade, "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [cell], 1048576; // fault"), fixed: []string{"1048576", "1048575"},
		},
	})
}

// Phases that never end.
func TestMbarrierDeadlocks(t *testing.T) {
	const kind = interp.Deadlock
	checkFaults(t, []fault{
		{
			name: "nobody arrives", kind: kind, thread: 32, says: "waits for the mbarrier at byte 0 of shared memory, in phase 0: 1 of 1 arrivals and 0 bytes are still to come; nothing can happen any more",
			trial: mbarrierTrial(makeOne, allMade, giverTaker, "// arrive\n", taker, "mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0; // fault\n@!%p2 bra TAKER;", done),
			fixed: []string{"// arrive\n", arriveFirst},
		},
		{
			name: "too few arrive", kind: kind, thread: 32, says: "in phase 0: 1 of 32 arrivals and 0 bytes are still to come",
			trial: mbarrierTrial(makeWarp, allMade, giverTaker, "@!%p0 ", arriveEach, taker, "mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0; // fault\n@!%p2 bra TAKER;", done),
			fixed: []string{"@!%p0 ", ""},
		},
		{
			name: "the phase after the last", kind: kind, thread: 32, says: "in phase 1: 1 of 1 arrivals",
			trial: mbarrierTrial(makeOne, allMade, giverTaker, arriveFirst, taker, waitFirst, "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 1; // fault\n@!%p2 bra AGAIN;", done),
			fixed: []string{"[cell], 1; // fault", "[cell], 0;"},
		},
		{
			name: "bytes that nothing brings", kind: kind, thread: 32, says: "in phase 0: 0 of 1 arrivals and 16 bytes are still to come",
			trial: mbarrierTrial(makeOne, allMade, giverTaker, "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [cell], 16;\n", taker, "mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0; // fault\n@!%p2 bra TAKER;", done),
			fixed: []string{"16;", "0;"},
		},
		{
			name: "others at a barrier", kind: kind, thread: 32, says: "are still to come; nothing can happen any more; warp 0 waits at barrier 0, line 36 (k.cu:6)",
			trial: mbarrierTrial(makeOne, allMade, giverTaker, "bar.sync 0;\n", arriveFirst, taker, "mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0; // fault\n@!%p2 bra TAKER;\nbar.sync 0;", done),
			fixed: []string{"bar.sync 0;\n" + arriveFirst, arriveFirst + "bar.sync 0;\n"},
		},
	})
}

// What an mbarrier does not order.
func TestMbarrierRaces(t *testing.T) {
	const kind = interp.Race
	checkFaults(t, []fault{
		{
			name: "use beside the initialisation", kind: kind, thread: 1, says: "uses the mbarrier at byte 0 of shared memory that another lane of the warp (warp 0) has initialised",
			trial: mbarrierTrial(makeWarp, "setp.eq.u32 %p1, %w, 0;\n@%p1 mbarrier.arrive.shared::cta.b64 _, [cell]; // fault"), fixed: []string{"setp.eq.u32 %p1", "bar.sync 0;\nsetp.eq.u32 %p1"},
		},
		{
			name: "no wait", kind: kind, thread: 0, says: "writes byte 16 of shared memory that another warp (warp 1) has read",
			trial: mbarrierTrial(makeOne, allMade, giverTaker, giveLate, arriveFirst, taker, "// wait\n", take, done), fixed: []string{"// wait\n", waitFirst},
		},
		{
			name: "a wait for the phase before", kind: kind, thread: 0, says: "writes byte 16 of shared memory that another warp (warp 1) has read",
			trial: mbarrierTrial(makeOne, allMade, giverTaker, giveLate, arriveFirst, taker, "mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 1;\n@!%p2 bra TAKER;\n", take, done),
			fixed: []string{"[cell], 1;\n@!", "[cell], 0;\n@!"},
		},
		{
			name: "a wait whose result is not looked at", kind: kind, thread: 32, says: "reads byte 16 of shared memory that another warp (warp 0) has written",
			trial: mbarrierTrial(makeOne, allMade, giverTaker, give, arriveFirst, taker, "mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;\n", take, " // fault", done),
			fixed: []string{"[cell], 0;\nld", "[cell], 0;\n@!%p2 bra TAKER;\nld"},
		},
		{
			name: "an arrival before the store", kind: kind, thread: 32, says: "reads byte 16 of shared memory that another warp (warp 0) has written",
			trial: mbarrierTrial(makeOne, allMade, giverTaker, arriveFirst, give, taker, waitFirst, take, " // fault", done), fixed: []string{arriveFirst + give, give + arriveFirst},
		},
		{
			name: "a lane that arrives for another", kind: kind, thread: 32, says: "reads byte 16 of shared memory that another warp (warp 0) has written",
			trial: mbarrierTrial(makeOne, allMade, giverTaker, "setp.eq.u32 %p3, %l, 9;\n@%p3 st.shared.u32 [cell+16], 5;\n// together\n", arriveFirst, taker, waitFirst, take, " // fault", done),
			fixed: []string{"// together", "bar.warp.sync -1;"},
		},
		{
			name: "a lane that waits for another", kind: kind, thread: 33, says: "reads byte 16 of shared memory that another warp (warp 0) has written",
			trial: mbarrierTrial(makeOne, allMade, giverTaker, give, arriveFirst, taker, "setp.ne.u32 %p3, %l, 0;\n@%p3 bra READ;\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;\n@!%p2 bra WAIT;\nREAD: // together\n", take, " // fault", done),
			fixed: []string{"// together", "bar.warp.sync -1;"},
		},
		{
			name: "a store before the readers arrive", kind: kind, thread: 0, says: "writes byte 16 of shared memory that another warp (warp 1) has read",
			trial: mbarrierTrial(makeWarp, allMade, giverTaker, "// wait\n", "@%p0 st.shared.u32 [cell+16], 5; // fault\n", taker, take, "\n", arriveEach, done),
		},
	})
}

// What is no fault.
func TestNoMbarrierFaults(t *testing.T) {
	for _, r := range []struct {
		name string
		trial
		want uint32 // word 40 of out
	}{
		{"by test_wait", mbarrierTrial(makeOne, allMade, giverTaker, give, arriveFirst, taker, "mbarrier.test_wait.parity.shared::cta.b64 %p2, [cell], 0;\n@!%p2 bra TAKER;\n", take, "\nst.global.u32 [%o], %r1;", done), 5},
		{"through two mbarriers", mbarrierTrial(makeOne, "@%p0 mbarrier.init.shared::cta.b64 [cell+8], 32;\n", allMade, "setp.eq.u32 %p1, %w, 0;\n@%p1 bra GIVER;\nsetp.eq.u32 %p1, %w, 1;\n@%p1 bra MIDDLE;\n",
			"TAKER: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell+8], 0;\n@!%p2 bra TAKER;\n", take, "\nbra.uni DONE;\nGIVER: ", give, arriveFirst,
			"bra.uni DONE;\nMIDDLE: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;\n@!%p2 bra MIDDLE;\nmbarrier.arrive.shared::cta.b64 _, [cell+8];\n", take, "\nst.global.u32 [%o], %r1;", done), 5},
		{"by the state of an arrival", mbarrierTrial(firstThread, "@%p0 mbarrier.init.shared::cta.b64 [cell], 33;\n", allMade, giverTaker, give, arriveFirst, taker,
			"mbarrier.arrive.shared::cta.b64 %d0, [cell];\nWAIT: mbarrier.try_wait.shared::cta.b64 %p2, [cell], %d0;\n@!%p2 bra WAIT;\n", take, "\nst.global.u32 [%o], %r1;", done), 5},
		{"in lanes of a warp", mbarrierTrial(makeWarp, allMade, "mov.u32 %r2, %t;\nsetp.lt.u32 %p1, %t, 32;\n@%p1 st.shared.u32 [%s+64], %r2;\n@%p1 mbarrier.arrive.release.cta.shared::cta.b64 _, [cell];\n",
			"WAIT: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [cell], 0;\n@!%p2 bra WAIT;\nld.shared.u32 %r1, [cell+76];\nst.global.u32 [%o], %r1;"), 3},
		{"arrivals of many at once", mbarrierTrial(makeWarp, allMade, give, "@%p0 mbarrier.arrive.shared::cta.b64 _, [cell], 32;\n", "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0, 100;\n@!%p2 bra WAIT;\n", take, "\nst.global.u32 [%o], %r1;"), 5},
		{"an answer that is no", mbarrierTrial(makeOne, allMade, "mov.u32 %r1, 7;\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;\n@!%p2 st.global.u32 [%o], %r1;"), 7},
		{"a store after the readers have arrived", mbarrierTrial(makeWarp, give, allMade, "setp.eq.u32 %p1, %w, 1;\n@%p1 bra READER;\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;\n@!%p2 bra WAIT;\n",
			give, "bra.uni DONE;\nREADER: ", take, "\n", arriveEach, "st.global.u32 [%o], %r1;", done), 5},
		{"turns of a ring", mbarrierTrial(makeWarp, "@%p0 mbarrier.init.shared::cta.b64 [cell+8], 32;\n", allMade, `mov.u32 %r9, 0;
mov.u32 %r8, 0;
setp.eq.u32 %p1, %w, 1;
@%p1 bra TAKER;
GIVER: xor.b32 %r7, %r8, 1;
EMPTY: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell+8], %r7;
@!%p2 bra EMPTY;
st.shared.u32 [%s+16], %r9;
mbarrier.arrive.shared::cta.b64 _, [cell];
xor.b32 %r8, %r8, 1;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p2, %r9, 9;
@%p2 bra GIVER;
bra.uni DONE;
TAKER: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], %r8;
@!%p2 bra TAKER;
ld.shared.u32 %r1, [%s-112];
mbarrier.arrive.shared::cta.b64 _, [cell+8];
st.global.u32 [%o], %r1;
xor.b32 %r8, %r8, 1;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p2, %r9, 9;
@%p2 bra TAKER;
DONE:`), 8},
	} {
		t.Run(r.name, func(t *testing.T) {
			out, _, err := r.run(t)
			if err != nil || out[40] != r.want {
				t.Errorf("%#x, %v; want %#x", out[40], err, r.want)
			}
		})
	}
}
