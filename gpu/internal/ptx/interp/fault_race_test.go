package interp_test

import (
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// The word of the thread in the other warp of two is at [%by].
const otherWarp = `mov.u32 %by, cell; xor.b32 %r0, %t, 32; mad.lo.u32 %by, %r0, 4, %by;
`

// The word of the lane beside is at [%by].
const otherLane = `mov.u32 %by, cell; xor.b32 %r0, %t, 1; mad.lo.u32 %by, %r0, 4, %by;
`

// Accesses of shared memory that nothing orders, and the same kernels with what
// orders them.
func TestRaces(t *testing.T) {
	const kind = interp.Race
	checkFaults(t, []fault{
		{
			name: "read of what another warp writes", kind: kind, thread: 32, says: "reads byte 0 of shared memory that another warp (warp 0) has written at line 28 (k.cu:2), with nothing between to order them",
			trial: trial{body: otherWarp + `st.shared.u32 [%s], %t;
membar.cta;
setp.lt.u32 %p0, %t, 32;
@%p0 ret;
ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"membar.cta", "bar.sync 0"},
		},
		{
			// The last warp at a barrier is the first to go on.
			name: "write of what another warp reads", kind: kind, thread: 0, says: "writes byte 128 of shared memory that another warp (warp 1) has read",
			trial: trial{body: otherWarp + `st.shared.u32 [%s], 0;
bar.sync 0;
ld.shared.u32 %r1, [%s];
// missing
setp.ge.u32 %p0, %t, 32;
@%p0 ret;
st.shared.u32 [%by], %r1; // fault`}, fixed: []string{"// missing", "bar.sync 0;"},
		},
		{
			name: "two warps write", kind: kind, thread: 32, says: "writes byte 0 of shared memory that another warp (warp 0) has written",
			trial: trial{body: `setp.eq.u32 %p0, %l, 0;
setp.eq.u32 %p1, %w, 0;
@%p0 st.shared.u32 [cell], 5; // fault`}, fixed: []string{"@%p0", "@%p1"},
		},
		{
			name: "bar.warp.sync does not order warps", kind: kind, thread: 32, says: "another warp (warp 0) has written",
			trial: trial{body: otherWarp + `st.shared.u32 [%s], %t;
bar.warp.sync -1;
setp.lt.u32 %p0, %t, 32;
@%p0 ret;
ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"bar.warp.sync -1", "bar.sync 0"},
		},
		{
			name: "each warp at a barrier of its own", kind: kind, thread: 32, says: "another warp (warp 0) has written",
			trial: trial{body: otherWarp + `st.shared.u32 [%s], %t;
add.u32 %r2, %w, 1;
bar.sync %r2, 32;
setp.lt.u32 %p0, %t, 32;
@%p0 ret;
ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"%r2, 32", "1, 64"},
		},
		{
			name: "one that arrives learns nothing", kind: kind, thread: 32, says: "another warp (warp 0) has written",
			trial: trial{body: otherWarp + `st.shared.u32 [%s], %t;
setp.lt.u32 %p0, %t, 32;
@%p0 bra CONSUMER;
bar.arrive 1, 64;
ld.shared.u32 %r1, [%by]; // fault
ret;
CONSUMER: bar.sync 1, 64;
ld.shared.u32 %r1, [%by];`}, fixed: []string{"bar.arrive", "bar.sync"},
		},
		{
			name: "after it arrived", kind: kind, thread: 0, says: "another warp (warp 1) has written",
			trial: trial{body: otherWarp + `setp.lt.u32 %p0, %t, 32;
@%p0 bra CONSUMER;
bar.arrive 1, 64;
st.shared.u32 [%s], %t; // too late
ret;
CONSUMER: bar.sync 1, 64;
ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"bar.arrive 1, 64;\nst.shared.u32 [%s], %t;", "st.shared.u32 [%s], %t;\nbar.arrive 1, 64;"},
		},
		{
			name: "lanes that only arrive", kind: kind, thread: 0, says: "another lane of the warp (warp 0) has written",
			trial: trial{threads: 32, body: otherLane + `st.shared.u32 [%s], %t;
bar.arrive 1, 64;
ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"bar.arrive 1, 64", "bar.sync 1, 32"},
		},
		{
			name: "lanes of a warp", kind: kind, thread: 0, says: "reads byte 4 of shared memory that another lane of the warp (warp 0) has written",
			trial: trial{threads: 32, body: otherLane + `st.shared.u32 [%s], %t;
// missing
ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"// missing", "bar.warp.sync -1;"},
		},
		{
			name: "a shuffle orders nothing", kind: kind, thread: 0, says: "another lane of the warp",
			trial: trial{threads: 32, body: otherLane + `st.shared.u32 [%s], %t;
shfl.sync.bfly.b32 %r2, %t, 1, 0x1f, -1;
ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"shfl.sync.bfly.b32 %r2, %t, 1, 0x1f, -1", "bar.warp.sync -1"},
		},
		{
			name: "a barrier of half the warp", kind: kind, thread: 16, says: "another lane of the warp",
			trial: trial{threads: 32, body: `mov.u32 %by, cell; xor.b32 %r0, %t, 16; mad.lo.u32 %by, %r0, 4, %by;
st.shared.u32 [%s], %t;
setp.lt.u32 %p0, %l, 16;
@%p0 bar.warp.sync 0xFFFF; // those that read later are not there
@%p0 bra DONE;
ld.shared.u32 %r1, [%by]; // fault
DONE:`}, fixed: []string{"@%p0 bar.warp.sync 0xFFFF", "bar.warp.sync -1"},
		},
		{
			name: "lanes write a byte in one instruction", kind: kind, thread: 1, says: "writes 0x01 to a byte of shared memory to which another lane writes 0x00 in the same instruction",
			trial: trial{threads: 32, body: `mov.u32 %r0, 7;
st.shared.u32 [cell], %t; // fault`}, fixed: []string{"%t;", "%r0;"},
		},
		{
			name: "lanes write a byte in turns of a loop", kind: kind, thread: 1, says: "another lane of the warp (warp 0) has written",
			trial: trial{threads: 32, body: `mov.u32 %r0, 0;
LOOP: setp.eq.u32 %p0, %l, %r0;
@%p0 st.shared.u32 [cell], 7; // fault
// missing
add.u32 %r0, %r0, 1;
setp.lt.u32 %p1, %r0, 32;
@%p1 bra LOOP;`}, fixed: []string{"// missing", "bar.warp.sync -1;"},
		},
		{
			name: "copy read by another warp", kind: kind, thread: 32, says: "reads byte 0 of shared memory that another warp (warp 0) has written at line",
			trial: trial{body: otherWarp + `cp.async.ca.shared.global [%s], [%i], 4;
cp.async.commit_group;
cp.async.wait_group 0;
// missing
setp.lt.u32 %p0, %t, 32;
@%p0 ret;
ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"// missing", "bar.sync 0;"},
		},
		{
			name: "copy read by another lane", kind: kind, thread: 0, says: "another lane of the warp",
			trial: trial{threads: 32, body: otherLane + `cp.async.ca.shared.global [%s], [%i], 4;
cp.async.wait_all;
// missing
ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"// missing", "bar.warp.sync -1;"},
		},
		{
			name: "copy over what another warp reads", kind: kind, thread: 0, says: "writes byte 128 of shared memory that another warp (warp 1) has read",
			trial: trial{body: otherWarp + `st.shared.u32 [%s], %t;
bar.sync 0;
ld.shared.u32 %r1, [%s];
// missing
setp.ge.u32 %p0, %t, 32;
@%p0 ret;
cp.async.ca.shared.global [%by], [%in], 4; // fault`}, fixed: []string{"// missing", "bar.sync 0;"},
		},
		{
			name: "copy over what another warp is about to read", kind: kind, thread: 0, says: "reads byte 0 of shared memory that another warp (warp 1) has written at line 40 (k.cu:8)",
			trial: trial{body: otherWarp + `st.shared.u32 [%s], %t;
bar.sync 0;
ld.shared.u32 %r1, [%s]; // fault
// missing
setp.lt.u32 %p0, %t, 32;
@%p0 ret;
cp.async.ca.shared.global [%by], [%in], 4;`}, fixed: []string{"// missing", "bar.sync 0;"},
		},
		{
			name: "one of many readers", kind: kind, thread: 64, says: "writes byte 0 of shared memory that another warp (warp 0) has read",
			trial: trial{threads: 128, body: `setp.eq.u32 %p0, %t, 0;
@%p0 st.shared.u32 [cell], 1;
bar.sync 0;
ld.shared.u32 %r1, [cell];
// missing
setp.eq.u32 %p2, %t, 64;
@%p2 st.shared.u32 [cell], 1; // fault`}, fixed: []string{"// missing", "bar.sync 0;"},
		},
		{
			name: "a warp that has exited orders nothing", kind: kind, thread: 32, says: "another warp (warp 0) has written",
			trial: trial{body: otherWarp + `st.shared.u32 [%s], %t;
setp.lt.u32 %p0, %t, 32;
@%p0 ret;
bar.sync 0;
ld.shared.u32 %r1, [%by]; // fault`}, fixed: []string{"@%p0 ret;\nbar.sync 0;", "bar.sync 0;\n@%p0 ret;"},
		},
		{
			name: "read after another lane's atomic operation", kind: kind, thread: 33, says: "reads byte 0 of shared memory that another lane of the warp (warp 1) has changed in an atomic operation at line",
			trial: trial{body: `setp.eq.u32 %p0, %t, 0;
@%p0 st.shared.u32 [cell], 0;
bar.sync 0;
red.shared.add.u32 [cell], 1;
setp.ne.u32 %p1, %t, 33;
@%p1 bra DONE;
ld.shared.u32 %r1, [cell]; // fault
DONE:`}, fixed: []string{"add.u32 [cell], 1;", "add.u32 [cell], 1; bar.sync 0;"},
		},
	})
}

// What looks like a race and is none.
func TestNoRaces(t *testing.T) {
	for _, r := range []struct {
		name string
		trial
	}{
		{"double buffering", trial{body: otherWarp + `mov.u32 %r9, 0;
LOOP: st.shared.u32 [%s], %t;
bar.sync 0;
ld.shared.u32 %r1, [%by];
xor.b32 %s, %s, 512;
xor.b32 %by, %by, 512;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p0, %r9, 8;
@%p0 bra LOOP;`}},
		{"a ring of copies of one warp", trial{threads: 32, body: otherLane + `mov.u32 %r9, 0;
cp.async.ca.shared.global [%s], [%i], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%s+128], [%i], 4;
cp.async.commit_group;
LOOP: cp.async.wait_group 1;
bar.warp.sync -1;
ld.shared.u32 %r1, [%by];
bar.warp.sync -1;
cp.async.ca.shared.global [%s], [%i], 4;
cp.async.commit_group;
xor.b32 %s, %s, 128;
xor.b32 %by, %by, 128;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p0, %r9, 8;
@%p0 bra LOOP;`}},
		{"producers and consumers", trial{threads: 128, body: `and.b32 %r0, %t, 63;
mov.u32 %s, cell;
mad.lo.u32 %s, %r0, 4, %s;
mov.u32 %r9, 0;
setp.ge.u32 %p0, %w, 2;
@%p0 bra CONSUMER;
PRODUCER: setp.eq.u32 %p1, %r9, 0;
@%p1 bra FULL;
bar.sync 2, 128; // empty
FULL: st.shared.u32 [%s], %r9;
bar.arrive 1, 128; // full
add.u32 %r9, %r9, 1;
setp.lt.u32 %p2, %r9, 4;
@%p2 bra PRODUCER;
bar.sync 2, 128;
ret;
CONSUMER: bar.sync 1, 128;
ld.shared.u32 %r1, [%s];
xor.b32 %r2, %r0, 63;
mov.u32 %r3, cell;
mad.lo.u32 %r3, %r2, 4, %r3;
ld.shared.u32 %r1, [%r3];
bar.arrive 2, 128;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p2, %r9, 4;
@%p2 bra CONSUMER;`}},
		{"many readers", trial{threads: 256, body: `setp.eq.u32 %p0, %t, 0;
@%p0 st.shared.u32 [cell], 1;
bar.sync 0;
ld.shared.u32 %r1, [cell];
ld.shared.u32 %r2, [cell];`}},
		{"a change of one's own word that many have read", trial{body: `st.shared.u32 [%s], %t;
bar.sync 0;
ld.shared.u32 %r1, [cell];
ld.shared.u32 %r1, [cell+4];
bar.sync 0;
ld.shared.u32 %r1, [%s];
add.u32 %r1, %r1, 1;
st.shared.u32 [%s], %r1;`}},
		{"lanes that store the same", trial{threads: 32, body: `mov.u32 %r0, 5;
st.shared.v2.u32 [cell], {%r0, %r0};
stmatrix.sync.aligned.m8n8.x1.shared.b16 [cell+64], {%r0};`}},
		{"bytes of a word", trial{threads: 32, body: `mov.u32 %r0, cell;
add.u32 %r0, %r0, %t;
st.shared.u8 [%r0], %h0;`}},
		{"halves of a warp at barriers of their own", trial{threads: 32, body: otherLane + `st.shared.u32 [%s], %t;
setp.lt.u32 %p0, %l, 16;
@%p0 bra LOW;
bar.warp.sync 0xFFFF0000;
ld.shared.u32 %r1, [%by];
bar.warp.sync 0xFFFF0000;
st.shared.u32 [%by], 1;
ret;
LOW: bar.warp.sync 0xFFFF;
ld.shared.u32 %r1, [%by];
ld.shared.u32 %r1, [%s];
bar.warp.sync 0xFFFF;
st.shared.u32 [%by], 1;`}},
		{"atomic operations beside each other", trial{body: `setp.eq.u32 %p0, %t, 0;
@%p0 st.shared.u32 [cell], 0;
bar.sync 0;
red.shared.add.u32 [cell], 1;
atom.shared.max.u32 %r0, [cell], %t;
bar.sync 0;
ld.shared.u32 %r1, [cell];`}},
		{"warps that leave before a barrier", trial{threads: 128, body: `setp.lt.u32 %p0, %w, 2;
@%p0 ret;
st.shared.u32 [%s], %t;
bar.sync 0;
mov.u32 %by, cell;
xor.b32 %r0, %t, 32;
mad.lo.u32 %by, %r0, 4, %by;
ld.shared.u32 %r1, [%by];`}},
	} {
		t.Run(r.name, func(t *testing.T) {
			if _, _, err := r.run(t); err != nil {
				t.Error(err)
			}
		})
	}
}
