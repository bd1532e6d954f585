package interp_test

import (
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// ringTrial is a kernel in which thread 128 copies a tile of 64 rows to the beginning of
// dyn twice, and a warpgroup multiplies it with its own first rows each time. The
// mbarrier at byte 0 tells that the tile is full, that at byte 8 that nobody needs it.
func ringTrial() trial {
	tile := twoRows
	tile.Box[1] = 64
	return trial{threads: 160, shared: 8192, tensor: &tile, body: `setp.eq.u32 %p0, %t, 128;
@%p0 mbarrier.init.shared::cta.b64 [cell], 1;
@%p0 mbarrier.init.shared::cta.b64 [cell+8], 4;
@%p0 fence.mbarrier_init.release.cluster;
bar.sync 0;
mov.b64 %d0, pmap;
cvta.param.u64 %d0, %d0;
mov.u32 %r0, 0;
setp.eq.u32 %p3, %l, 0;
setp.eq.u32 %p1, %w, 4;
@!%p1 bra FULL;
@!%p0 bra DONE;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [cell], 8192;
cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [dyn], [%d0, {%r0, %r0, %r0}], [cell]; // first
EMPTY: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell+8], 0;
@!%p2 bra EMPTY;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [cell], 8192;
cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [dyn], [%d0, {%r0, %r0, %r0}], [cell]; // second
bra.uni DONE;
FULL: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;
@!%p2 bra FULL;
mov.u64 %d0, 0x4000004000010040;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%f0, %f1, %f2, %f3}, %d0, %d0, 0, 1, 1; // first
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0; // first
@%p3 mbarrier.arrive.shared::cta.b64 _, [cell+8];
AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 1;
@!%p2 bra AGAIN;
wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%f0, %f1, %f2, %f3}, %d0, %d0, 1, 1, 1; // second
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
DONE:`}
}

// What is left out of a ring, or done too early, is found where it matters.
func TestRings(t *testing.T) {
	for _, r := range []struct {
		name   string
		change []string // what to replace, and by what
		kind   interp.FindingKind
		thread uint32
		says   string
	}{
		{"no wait for the copy", []string{"@!%p2 bra AGAIN;", "", "0, 1, 1; // first", "0, 1, 1;", "1, 1, 1; // second", "1, 1, 1; // fault"}, interp.NotWaited, 0, "reads byte 1024 of shared memory, the target of a bulk copy at"},
		{"a wait for the phase before", []string{"[cell], 1;\n@!", "[cell], 0;\n@!", "[cell]; // second", "[cell]; // fault"}, interp.Race, 128, "copies to byte 1024 of shared memory that wgmma of warp 0 may still read"},
		{"a wait of one lane", []string{"FULL: ", "FULL: @!%p3 bra OTHERS;\nWAIT: ", "@!%p2 bra FULL;\n", "@!%p2 bra WAIT;\nOTHERS: ", "0, 1, 1; // first", "0, 1, 1; // fault"}, interp.Race, 0, "reads byte 1024 of shared memory that a bulk copy has written"},
		{"no wait for the readers", []string{"@!%p2 bra EMPTY;", "", "[cell]; // second", "[cell]; // fault"}, interp.Race, 128, "copies to byte 1024 of shared memory that a bulk copy has written"},
		{"a wait for the readers before these", []string{"[cell+8], 0;", "[cell+8], 1;", "bra EMPTY;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [cell], 8192;", "bra EMPTY;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [cell], 8192; // fault"}, interp.MBarrierFault, 128, "in phase 0: 0 of 1 arrivals and 16384 bytes are still to come"},
		{"readers that do not wait for wgmma", []string{"wgmma.wait_group.sync.aligned 0; // first", "", "[cell]; // second", "[cell]; // fault"}, interp.Race, 128, "copies to byte 1024 of shared memory that wgmma of warp 0 may still read"},
		{"readers that arrive before their wait", []string{"wgmma.wait_group.sync.aligned 0; // first\n@%p3 mbarrier.arrive.shared::cta.b64 _, [cell+8];", "@%p3 mbarrier.arrive.shared::cta.b64 _, [cell+8];\nwgmma.wait_group.sync.aligned 0;", "[cell]; // second", "[cell]; // fault"}, interp.Race, 128, "copies to byte 1024 of shared memory that wgmma of warp 0 may still read"},
		{"fewer readers than there are", []string{"[cell+8], 4;", "[cell+8], 3;", "[cell]; // second", "[cell]; // fault"}, interp.Race, 128, "that wgmma of warp 3 may still read"},
		{"more readers than there are", []string{"[cell+8], 4;", "[cell+8], 5;", "%p2, [cell], 1;", "%p2, [cell], 1; // fault"}, interp.Deadlock, 0, "nothing can happen any more; warp 4 waits for the mbarrier at byte 8 of shared memory, in phase 0: 1 of 5 arrivals and 0 bytes are still to come, line 54 (k.cu:15)"},
		{"a tile over the mbarriers", []string{"0x4000004000010040;", "0x4000004000010000;", "0, 1, 1; // first", "0, 1, 1; // fault"}, interp.MBarrierFault, 0, "reads bytes of the mbarrier at byte 0 of shared memory"},
		{"undefined descriptors", []string{"0x4000004000010040;", "0x4000004000010040; ld.shared.u64 %d0, [cell+64];", "0, 1, 1; // first", "0, 1, 1; // fault"}, interp.Undefined, 0, "an operand of wgmma depends on shared memory that was never written"},
	} {
		f := fault{name: r.name, trial: ringTrial(), kind: r.kind, thread: r.thread, says: r.says}
		for i := 0; i < len(r.change); i += 2 {
			if !strings.Contains(f.body, r.change[i]) {
				t.Fatalf("%s: there is no %q", r.name, r.change[i])
			}
			f.body = strings.Replace(f.body, r.change[i], r.change[i+1], 1)
		}
		checkFaults(t, []fault{f})
	}
}

func TestNoRingFaults(t *testing.T) {
	apart := ringTrial()
	const wait = "mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;\n"
	apart.body = strings.Replace(apart.body, "FULL: "+wait+"@!%p2 bra FULL;\n", `FULL: setp.lt.u32 %p4, %l, 16;
@%p4 bra LOW;
HIGH: `+wait+`@!%p2 bra HIGH;
bra.uni BOTH;
LOW: `+wait+`@!%p2 bra LOW;
BOTH:`, 1)
	unchecked := ringTrial()
	unchecked.options = &interp.Options{}
	for name, r := range map[string]trial{"all lanes wait": ringTrial(), "lanes that wait apart": apart, "nothing is checked": unchecked} {
		if _, c, err := r.run(t); err != nil || c.BulkBytes != 2*8192 || c.MMAs != 2*4 {
			t.Errorf("%s: %v, %+v", name, err, c)
		}
	}
}
