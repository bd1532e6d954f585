package interp_test

import (
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// What nobody wrote in global memory may not be read; in shared memory it may be
// read, but nothing that counts may depend on it.
func TestUndefined(t *testing.T) {
	const kind = interp.Undefined
	checkFaults(t, []fault{
		{
			name: "global", kind: kind, says: "byte 0 of an allocation of 256 bytes was never written",
			trial: trial{body: `ld.global.u32 %r0, [%o]; // fault`}, fixed: []string{"%o", "%i"},
		},
		{
			name: "one byte of a global word", kind: kind, thread: 0, says: "byte 3 of an allocation of 256 bytes was never written",
			trial: trial{threads: 32, body: `st.global.v2.u8 [%o], {%h0, %h0};
st.global.u8 [%o+2], %h0;
ld.global.u32 %r0, [%o]; // fault`}, fixed: []string{"ld.global.u32 %r0", "ld.global.u16 %h0"},
		},
		{
			name: "source of an asynchronous copy", kind: kind, says: "byte 0 of an allocation",
			trial: trial{body: `cp.async.ca.shared.global [%s], [%o], 4; // fault`}, fixed: []string{"%o", "%i"},
		},
		{
			name: "shared, stored", kind: kind, thread: 0, says: "what is stored depends on shared memory that was never written",
			trial: trial{threads: 32, body: `st.shared.u16 [%s], %h0;
ld.shared.u32 %r0, [%s];
add.u32 %r0, %r0, 1;
st.global.u32 [%o], %r0; // fault`}, fixed: []string{"u16", "u32", "%h0", "%r0"},
		},
		{
			name: "shared, one lane", kind: kind, thread: 9, says: "what is stored depends",
			trial: trial{threads: 32, body: `setp.ne.u32 %p0, %l, 9;
@%p0 st.shared.u32 [%s], 7;
ld.shared.u32 %r0, [%s];
st.global.u32 [%o], %r0; // fault`}, fixed: []string{"@%p0", ""},
		},
		{
			name: "shared, an address", kind: kind, says: "an address depends",
			trial: trial{threads: 32, body: `ld.shared.u32 %r0, [%s];
and.b32 %r0, %r0, 0;
mov.u32 %r1, cell;
add.u32 %r1, %r1, %r0;
ld.shared.u32 %r0, [%r1]; // fault`}, fixed: []string{"[%r1]", "[cell]"},
		},
		{
			name: "shared, a guard", kind: kind, says: "a guard depends",
			trial: trial{threads: 32, body: `ld.shared.u32 %r0, [%s];
setp.eq.u32 %p0, %r0, 0;
mov.u32 %r1, 1;
@%p0 mov.u32 %r1, 0; // fault`}, fixed: []string{"setp.eq.u32 %p0, %r0", "setp.eq.u32 %p0, %t"},
		},
		{
			name: "shared, a branch", kind: kind, says: "a guard depends",
			trial: trial{threads: 32, body: `ld.shared.u32 %r0, [%s];
setp.eq.u32 %p0, %r0, 0;
@%p0 bra NEXT; // fault
NEXT:`}, fixed: []string{"@%p0 ", ""},
		},
		{
			name: "bytes beside those that a copy brought", kind: kind, says: "what is stored depends",
			trial: trial{threads: 32, body: `cp.async.ca.shared.global [%s], [%i], 4;
cp.async.commit_group;
cp.async.wait_group 0;
ld.shared.u32 %r0, [%s+128];
st.global.u32 [%o], %r0; // fault`}, fixed: []string{"+128", ""},
		},
		{
			name: "what the block before left", kind: kind, block: 1, says: "what is stored depends",
			trial: trial{threads: 32, blocks: 2, body: `mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p0, %r1, 0;
@%p0 st.shared.u32 [%s], 1;
ld.shared.u32 %r0, [%s];
mad.wide.u32 %o, %r1, 128, %o;
st.global.u32 [%o], %r0; // fault`}, fixed: []string{"@%p0", ""},
		},
	})
}

// The bytes past the size that a copy reads are zeros, not undefined.
func TestShortCopyFills(t *testing.T) {
	r := trial{threads: 32, body: `cp.async.ca.shared.global [%s], [%i], 4, 0;
cp.async.wait_all;
ld.shared.u32 %r0, [%s];
st.global.u32 [%o], %r0;`}
	out, _, err := r.run(t)
	if err != nil || out[31] != 0 {
		t.Errorf("%#x, %v; want 0", out[31], err)
	}
}
