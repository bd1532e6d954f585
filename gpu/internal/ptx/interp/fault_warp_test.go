package interp_test

import (
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

const fewLanes = `setp.lt.u32 %p0, %l, 8;
`

// Instructions of a warp whose lanes are not those that they name.
func TestMasks(t *testing.T) {
	const kind = interp.MaskMismatch
	const mma = `mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, %f3}, {%r0, %r0, %r0, %r0}, {%r0, %r0}, {%f0, %f1, %f2, %f3}; // fault`
	var faults []fault
	for _, r := range []struct{ name, instruction string }{
		{"shfl", "shfl.sync.idx.b32 %r1, %t, 0, 0x1f, "},
		{"vote", "vote.sync.ballot.b32 %r1, %p1, "},
		{"bar.warp.sync", "bar.warp.sync "},
		{"match", "match.any.sync.b32 %r1, %t, "},
	} {
		faults = append(faults, fault{
			name: r.name + " for lanes that are elsewhere", kind: kind, says: r.name + " for lanes 0xffffffff; 0xff are there",
			trial: trial{threads: 32, body: fewLanes + "@%p0 " + r.instruction + "-1; // fault"}, fixed: []string{"-1", "0xFF"},
		}, fault{
			name: r.name + " in lanes that are not named", kind: kind, says: r.name + " for lanes 0xff; 0xffffffff are there",
			trial: trial{threads: 32, body: r.instruction + "0xFF; // fault"}, fixed: []string{"0xFF", "0xFFFFFFFF"},
		}, fault{
			name: r.name + " for different lanes", kind: kind, thread: 16, says: "for lanes 0xffff0000; 0xffffffff are there",
			trial: trial{threads: 32, body: `mov.u32 %r2, -1;
setp.ge.u32 %p2, %l, 16;
@%p2 mov.u32 %r2, 0xFFFF0000; // half of the lanes
` + r.instruction + "%r2; // fault"}, fixed: []string{"0xFFFF0000", "-1"},
		})
	}
	faults = append(faults, fault{
		name: "shfl from a lane that is not there", kind: kind, thread: 7, says: "shfl reads lane 8, which does not take part",
		trial: trial{threads: 32, body: fewLanes + `@%p0 shfl.sync.down.b32 %r1, %t, 1, 0x1f, 0xFF; // fault`}, fixed: []string{"0x1f", "7"},
	}, fault{
		name: "mma of some lanes", kind: kind, says: "mma needs all 32 lanes; 0xff are there",
		trial: trial{threads: 32, body: fewLanes + "@%p0 " + mma}, fixed: []string{"@%p0", ""},
	}, fault{
		name: "mma of a warp that is not whole", kind: kind, thread: 32, says: "mma needs all 32 lanes; 0x1 are there",
		trial: trial{threads: 33, body: "mov.u32 %r0, 0; // all warps\n" + mma}, fixed: []string{"// all warps", "setp.eq.u32 %p1, %w, 1; @%p1 ret;"},
	}, fault{
		name: "ldmatrix of some lanes", kind: kind, says: "ldmatrix needs all 32 lanes",
		trial: trial{threads: 32, body: fewLanes + `@%p0 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [cell]; // fault`}, fixed: []string{"@%p0", ""},
	}, fault{
		name: "stmatrix after lanes returned", kind: kind, says: "stmatrix needs all 32 lanes; 0xff are there",
		trial: trial{threads: 32, body: fewLanes + `@!%p0 ret;
stmatrix.sync.aligned.m8n8.x1.shared.b16 [cell], {%r1}; // fault`}, fixed: []string{"@!%p0 ret;", ""},
	}, fault{
		name: "shfl on one side of a branch", kind: kind, says: "shfl for lanes 0xffffffff; 0xff are there",
		trial: trial{threads: 32, body: fewLanes + `@!%p0 bra DONE;
shfl.sync.idx.b32 %r1, %t, 0, 0x1f, -1; // fault
DONE: mov.u32 %r2, 0;`}, fixed: []string{"@!%p0 bra DONE;", ""},
	})
	checkFaults(t, faults)
}

// Lanes that have exited, or never were, may be named.
func TestMasksOfLivingLanes(t *testing.T) {
	for _, body := range []string{
		fewLanes + "@!%p0 ret;\nbar.warp.sync -1;\nshfl.sync.bfly.b32 %r1, %t, 1, 0x1f, -1;\nst.global.u32 [%o], %r1;",
		fewLanes + "@!%p0 bra DONE;\nshfl.sync.bfly.b32 %r1, %t, 1, 0x1f, -1;\nst.global.u32 [%o], %r1;\nDONE:",
	} {
		r := trial{threads: 32, body: body}
		if out, _, err := r.run(t); err != nil || out[0] != 1 || out[7] != 6 {
			t.Errorf("%v, %v", out[:8], err)
		}
	}
	r := trial{threads: 33, body: "bar.warp.sync -1;\nvote.sync.ballot.b32 %r0, %p0, -1;"}
	if _, _, err := r.run(t); err != nil {
		t.Error(err)
	}
}

const stages = `cp.async.ca.shared.global [%s], [%i], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%s+256], [%i], 4;
cp.async.commit_group;
`

// Copies that are read, or written over, before they are waited for.
func TestCopiesNotWaitedFor(t *testing.T) {
	const kind = interp.NotWaited
	const says = "reads byte 0 of shared memory, the target of a cp.async at line 26 (k.cu:1) that has not been waited for"
	checkFaults(t, []fault{
		{
			name: "no wait", kind: kind, says: says,
			trial: trial{body: stages + `ld.shared.u32 %r0, [%s]; // fault`}, fixed: []string{"ld.sh", "cp.async.wait_group 1; ld.sh"},
		},
		{
			name: "a wait for one group too few", kind: kind, says: says,
			trial: trial{body: stages + `cp.async.wait_group 2;
ld.shared.u32 %r0, [%s]; // fault`}, fixed: []string{"wait_group 2", "wait_group 1"},
		},
		{
			name: "the newest group", kind: kind, says: "reads byte 256 of shared memory, the target of a cp.async at line 30 (k.cu:3)",
			trial: trial{body: stages + `cp.async.wait_group 1;
ld.shared.u32 %r0, [%s]; // the oldest
ld.shared.u32 %r0, [%s+256]; // fault`}, fixed: []string{"wait_group 1", "wait_group 0"},
		},
		{
			name: "a wait without a commit", kind: kind, says: says,
			trial: trial{body: `cp.async.ca.shared.global [%s], [%i], 4;
cp.async.wait_group 0; // waits for nothing
ld.shared.u32 %r0, [%s]; // fault`}, fixed: []string{"wait_group 0", "wait_all"},
		},
		{
			name: "a wait before the commit", kind: kind, says: says,
			trial: trial{body: `cp.async.ca.shared.global [%s], [%i], 4;
cp.async.wait_group 0;
cp.async.commit_group;
ld.shared.u32 %r0, [%s]; // fault`}, fixed: []string{"wait_group 0;\ncp.async.commit_group;", "commit_group;\ncp.async.wait_group 0;"},
		},
		{
			name: "the wait of another warp", kind: kind, thread: 32, says: "reads byte 0 of shared memory, the target of a cp.async",
			trial: trial{body: otherWarp + `setp.ge.u32 %p0, %t, 32;
@!%p0 cp.async.ca.shared.global [%s], [%i], 4;
cp.async.commit_group;
@%p0 cp.async.wait_group 0; // those that copied nothing
bar.sync 0;
@%p0 ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"@%p0 cp.async", "cp.async"},
		},
		{
			name: "written over", kind: kind, says: "writes byte 0 of shared memory, the target of a cp.async",
			trial: trial{body: `cp.async.ca.shared.global [%s], [%i], 4;
st.shared.u32 [%s], 1; // fault`}, fixed: []string{"st.sh", "cp.async.wait_all; st.sh"},
		},
		{
			name: "copied over", kind: kind, says: "writes byte 0 of shared memory, the target of a cp.async",
			trial: trial{body: `cp.async.ca.shared.global [%s], [%i], 4;
cp.async.ca.shared.global [%s], [%i], 4; // fault`}, fixed: []string{"4; // fault", "4;", "%i], 4;\ncp", "%i], 4;\ncp.async.wait_all;\ncp"},
		},
	})
}
