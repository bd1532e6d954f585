package interp_test

import (
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// twoRows is a tensor of the two rows of 128 bytes in the buffer in, copied whole.
var twoRows = interp.TensorMap{Extents: [3]uint64{128, 2, 1}, Strides: [2]uint64{128, 256}, Box: [3]uint32{128, 2, 1}}

// Pieces of kernels in which thread 0 copies the box to the beginning of dyn, which is
// byte 1024; the mbarrier is byte 0.
const (
	toMap     = "mov.b64 %d0, pmap;\ncvta.param.u64 %d0, %d0;\nmov.u32 %r0, 0;\n"
	makeForTx = makeOne + "@%p0 fence.mbarrier_init.release.cluster;\n" + allMade + toMap
	expect    = "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [cell], 256;\n"
	bulkCopy  = "@%p0 cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [dyn], [%d0, {%r0, %r0, %r0}], [cell];"
	landed    = "\nLANDED: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;\n@!%p2 bra LANDED;\n"
	// othersFirst asks for the phase that is running: the other warp gets its turn.
	othersFirst = "mbarrier.test_wait.parity.shared::cta.b64 %p3, [cell], 0;\n"
	second      = "\nSECOND: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 1;\n@!%p2 bra SECOND;\n"
)

// bulkTrial is a kernel of one warp, pairTrial one of two.
func bulkTrial(body ...string) trial {
	r := pairTrial(body...)
	r.threads = 32
	return r
}

func pairTrial(body ...string) trial {
	return trial{shared: 2048, tensor: &twoRows, body: strings.Join(body, "")}
}

// Bytes that are read or overwritten before they are there, or while somebody needs
// what they overwrite.
func TestBulkCopyOrder(t *testing.T) {
	const notWaited, race = interp.NotWaited, interp.Race
	const load = "ld.shared.u32 %r1, [dyn+4];"
	checkFaults(t, []fault{
		{
			name: "no wait", kind: notWaited, says: "reads byte 1024 of shared memory, the target of a bulk copy at",
			trial: bulkTrial(makeForTx, expect, bulkCopy, "\n@%p0 ", load, " // fault", landed), fixed: []string{"@%p0 ld.shared.u32 %r1, [dyn+4]; // fault", ""},
		},
		{
			name: "a wait for the phase before", kind: notWaited, says: "that no wait for its mbarrier says has arrived",
			trial: bulkTrial(makeForTx, expect, bulkCopy, "\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 1;\n@%p0 ", load, " // fault", landed), fixed: []string{"%p2, [cell], 1;", "%p2, [cell], 0;"},
		},
		{
			name: "too few bytes expected", kind: notWaited, says: "reads byte 1280 of shared memory, the target of a bulk copy at",
			trial: bulkTrial(makeForTx, expect, bulkCopy, "\n", strings.Replace(bulkCopy, "[dyn]", "[dyn+256]", 1), landed, "@%p0 ld.shared.u32 %r1, [dyn+256]; // fault"), fixed: []string{"[cell], 256;", "[cell], 512;"},
		},
		{
			name: "too many bytes expected", kind: interp.Deadlock, thread: 0, says: "in phase 0: 0 of 1 arrivals and 256 bytes are still to come",
			trial: bulkTrial(makeForTx, strings.Replace(expect, "256", "512", 1), bulkCopy, "\nLANDED: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0; // fault\n@!%p2 bra LANDED;"), fixed: []string{"512", "256"},
		},
		{
			name: "half of the bytes expected", kind: interp.Deadlock, thread: 0, says: "in phase 0: 0 of 1 arrivals and -128 bytes are still to come",
			trial: bulkTrial(makeForTx, strings.Replace(expect, "256", "128", 1), bulkCopy, "\nLANDED: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0; // fault\n@!%p2 bra LANDED;"), fixed: []string{"128;", "256;"},
		},
		{
			name: "a wait of another thread", kind: race, thread: 1, says: "reads byte 1028 of shared memory that a bulk copy has written",
			trial: bulkTrial(makeForTx, expect, bulkCopy, "\nsetp.eq.u32 %p1, %l, 0;\n@!%p1 bra READ;\nLANDED: mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;\n@!%p2 bra LANDED;\nREAD: // all\n", load, " // fault"), fixed: []string{"// all", "bar.sync 0;"},
		},
		{
			name: "nobody waits at all", kind: notWaited, says: "the block has ended, and nothing waited for a bulk copy to byte 1024 of shared memory that the mbarrier at byte 0 counts",
			trial: bulkTrial(makeForTx, expect, bulkCopy, " // fault"), fixed: []string{" // fault", landed},
		},
		{
			name: "a copy over one that is on its way", kind: notWaited, says: "copies to byte 1024 of shared memory, the target of a bulk copy at",
			trial: bulkTrial(makeForTx, expect, bulkCopy, "\n// wait\n", bulkCopy, " // fault"), fixed: []string{"// wait\n", landed + expect, "[cell]; // fault", "[cell];" + second},
		},
		{
			name: "a store over one that is on its way", kind: notWaited, says: "writes byte 1024 of shared memory, the target of a bulk copy at",
			trial: bulkTrial(makeForTx, expect, bulkCopy, "\n@%p0 st.shared.u32 [dyn], 1; // fault", landed), fixed: []string{"@%p0 st.shared.u32 [dyn], 1; // fault", ""},
		},
		{
			name: "a copy over what a thread reads", kind: race, says: "copies to byte 1028 of shared memory that another warp (warp 1) has read",
			trial: pairTrial(makeForTx, "setp.eq.u32 %p1, %w, 1;\n@%p1 bra READER;\n", expect, bulkCopy, landed, "bar.arrive 2, 64;\n", strings.Replace(othersFirst, ", 0;", ", 1;", 1),
				expect, "// wait\n", bulkCopy, " // fault", second, "bra.uni DONE;\nREADER: bar.sync 2, 64;\n", load, "\nbar.arrive 1, 64;\nDONE:"),
			fixed: []string{"// wait", "bar.sync 1, 64;"},
		},
		{
			name: "a copy over what a thread writes", kind: race, says: "copies to byte 1024 of shared memory that another warp (warp 1) has written",
			trial: pairTrial(makeForTx, "setp.eq.u32 %p1, %t, 32;\n@%p1 st.shared.u32 [dyn], 1;\n@%p1 fence.proxy.async.shared::cta;\n// wait\nsetp.eq.u32 %p1, %w, 1;\n@%p1 bra DONE;\n", expect, bulkCopy, " // fault", landed, "DONE:"),
			fixed: []string{"// wait", "bar.sync 0;"},
		},
		{
			name: "a copy over stores with no fence", kind: interp.MissingFence, says: "copies to byte 1024 of shared memory, written at",
			trial: bulkTrial(makeForTx, "@%p0 st.shared.u32 [dyn], 1;\n// show\n", expect, bulkCopy, " // fault", landed), fixed: []string{"// show", "fence.proxy.async.shared::cta;"},
		},
		{
			name: "a copy over an asynchronous one", kind: notWaited, says: "copies to byte 1024 of shared memory, the target of a cp.async at",
			trial: bulkTrial(makeForTx, "@%p0 cp.async.ca.shared.global [dyn], [%in], 4;\n// wait\n", expect, bulkCopy, " // fault", landed), fixed: []string{"// wait", "cp.async.wait_all;\nfence.proxy.async;"},
		},
		{
			name: "a store over what was copied, by one who did not wait", kind: race, thread: 32, says: "writes byte 1024 of shared memory that a bulk copy has written",
			trial: pairTrial(makeForTx, "setp.eq.u32 %p1, %w, 1;\n@%p1 bra OTHER;\n", expect, bulkCopy, landed,
				"bra.uni DONE;\nOTHER: // later\n", othersFirst, "setp.eq.u32 %p3, %t, 32;\n@%p3 st.shared.u32 [dyn], 1; // fault\nDONE:"),
			fixed: []string{"// later", "mbarrier.try_wait.parity.shared::cta.b64 %p2, [cell], 0;\n@!%p2 bra OTHER;"},
		},
	})
}

// Copies with operands that do not fit.
func TestBulkCopyOperands(t *testing.T) {
	const bad = interp.BadTensorMap
	changed := func(change func(m *interp.TensorMap)) *interp.TensorMap {
		m := twoRows
		change(&m)
		return &m
	}
	faulty := func(m *interp.TensorMap, body string) trial {
		return trial{shared: 2048, tensor: m, body: makeForTx + body + " // fault" + landed}
	}
	fix := func(from, to string) []string { return []string{from, to, " // fault", ""} }
	checkFaults(t, []fault{
		{name: "no map", kind: bad, says: "no tensor map begins with 0x700000000", trial: faulty(&twoRows, expect+"add.u64 %d0, %d0, -64;\n"+bulkCopy), fixed: fix("%d0, -64;", "%d0, 0;")},
		{name: "a map of no address", kind: interp.OutOfBounds, says: "128 bytes", trial: faulty(changed(func(m *interp.TensorMap) { m.Base = 1 << 20 }), expect+bulkCopy)},
		{name: "a misaligned base", kind: bad, says: "a tensor map of address 0x700000008", trial: faulty(changed(func(m *interp.TensorMap) { m.Base = 8 }), expect+bulkCopy)},
		{name: "no columns", kind: bad, says: "a tensor map of extents [0 2 1]", trial: faulty(changed(func(m *interp.TensorMap) { m.Extents[0] = 0 }), expect+bulkCopy)},
		{name: "misaligned rows", kind: bad, says: "a tensor map of strides [120 256]", trial: faulty(changed(func(m *interp.TensorMap) { m.Strides[0] = 120 }), expect+bulkCopy)},
		{name: "too large a box", kind: bad, says: "a tensor map of boxes [128 257 1]", trial: faulty(changed(func(m *interp.TensorMap) { m.Box[1] = 257 }), expect+bulkCopy)},
		{name: "a narrow box", kind: bad, says: "boxes of 128 bytes along the first dimension are supported", trial: faulty(changed(func(m *interp.TensorMap) { m.Box[0] = 64 }), expect+bulkCopy)},
		{
			name: "rows behind the tensor's memory", kind: interp.OutOfBounds, says: "read: 128 bytes at 0x700000100 are not allocated: byte 256 of an allocation of 256",
			trial: faulty(changed(func(m *interp.TensorMap) { m.Extents[1], m.Box[1] = 3, 3 }), strings.Replace(expect, "256", "384", 1)+bulkCopy),
		},
		{
			name: "freed memory", kind: interp.OutOfBounds, says: "256 that were freed",
			trial: faulty(changed(func(m *interp.TensorMap) { m.Base = 2 * 0x10100 }), expect+bulkCopy),
		},
		{
			name: "undefined memory", kind: interp.Undefined, says: "byte 0 of an allocation of 256 bytes was never written",
			trial: faulty(changed(func(m *interp.TensorMap) { m.Base = 0x10100 }), expect+bulkCopy),
		},
		{
			name: "a misaligned map", kind: interp.Misaligned, says: "read of 64 bytes at 0x48 of parameter memory",
			trial: faulty(&twoRows, expect+"add.u64 %d0, %d0, 8;\n"+bulkCopy), fixed: fix("%d0, 8;", "%d0, 0;"),
		},
		{
			name: "a map in shared memory", kind: bad, says: "a tensor map in shared memory",
			trial: faulty(&twoRows, expect+"cvta.shared.u64 %d0, 0;\n"+bulkCopy), fixed: fix("cvta.shared.u64 %d0, 0;", ""),
		},
		{
			name: "a misaligned target", kind: interp.Misaligned, says: "a bulk copy to 0x440 of shared memory; a multiple of 128 is needed",
			trial: faulty(&twoRows, expect+strings.Replace(bulkCopy, "[dyn]", "[dyn+64]", 1)), fixed: fix("[dyn+64]", "[dyn+128]"),
		},
		{
			name: "a target behind shared memory", kind: interp.OutOfBounds, says: "a bulk copy of 256 bytes to 2944 of 3072 bytes of shared memory",
			trial: faulty(&twoRows, expect+strings.Replace(bulkCopy, "[dyn]", "[dyn+1920]", 1)), fixed: fix("1920", "1792"),
		},
		{
			name: "over the mbarrier", kind: interp.MBarrierFault, says: "copies to bytes of the mbarrier at byte 0 of shared memory",
			trial: faulty(&twoRows, expect+strings.Replace(bulkCopy, "[dyn]", "[cell]", 1)), fixed: fix("[cell], [", "[cell+128], ["),
		},
		{
			name: "for no mbarrier", kind: interp.MBarrierFault, says: "no mbarrier has been initialised at byte 8",
			trial: faulty(&twoRows, expect+strings.Replace(bulkCopy, "[cell]", "[cell+8]", 1)), fixed: fix("cell+8", "cell"),
		},
		{
			name: "for an mbarrier that it may not find", kind: interp.MissingFence, says: "neither fence.mbarrier_init nor fence.proxy.async lies between",
			trial: trial{shared: 2048, tensor: &twoRows, body: makeOne + "// show\n" + allMade + toMap + expect + bulkCopy + " // fault" + landed}, fixed: []string{"// show", "fence.proxy.async;"},
		},
		{
			name: "for an mbarrier whose fence comes too early", kind: interp.MissingFence, says: "neither fence.mbarrier_init nor fence.proxy.async lies between",
			trial: trial{shared: 2048, tensor: &twoRows, body: "fence.mbarrier_init.release.cluster;\n" + makeOne + allMade + toMap + expect + bulkCopy + " // fault" + landed}, fixed: []string{"bar.sync 0;", "fence.mbarrier_init.release.cluster; bar.sync 0;"},
		},
		{
			name: "at undefined coordinates", kind: interp.Undefined, says: "a coordinate depends on shared memory that was never written",
			trial: faulty(&twoRows, expect+"@%p0 ld.shared.u32 %r0, [cell+32];\n"+bulkCopy), fixed: fix("@%p0 ld.shared.u32 %r0, [cell+32];", ""),
		},
	})
}
