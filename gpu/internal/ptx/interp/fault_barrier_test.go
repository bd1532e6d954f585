package interp_test

import (
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// Barriers that not all threads reach, or not in the same way.
func TestBarrierFaults(t *testing.T) {
	const kind = interp.BarrierFault
	checkFaults(t, []fault{
		{
			name: "some lanes", kind: kind, thread: 16, says: "16 of the warp's 32 threads are at barrier 0; thread [16 0 0] is not",
			trial: trial{body: `setp.lt.u32 %p0, %l, 16;
@%p0 bar.sync 0; // fault`}, fixed: []string{"@%p0", ""},
		},
		{
			name: "both sides of a branch", kind: kind, thread: 16, says: "16 of the warp's 32 threads are at barrier 0",
			trial: trial{body: `setp.lt.u32 %p0, %l, 16;
@%p0 bra LOW;
mov.u32 %r0, 1; // high
bra.uni DONE;
LOW: bar.sync 0; // fault
DONE:`}, fixed: []string{"LOW:", "LOW: mov.u32 %r0, 2;\nDONE:", "// fault\nDONE:", ""},
		},
		{
			name: "some warps", kind: kind, thread: 0, says: "barrier 0 waits for 64 threads, 32 came; warp 1 waits at barrier 1, line 34 (k.cu:5)",
			trial: trial{body: `setp.lt.u32 %p0, %w, 1;
@!%p0 bra OTHERS;
bar.sync 0; // fault
ret;
OTHERS: bar.sync 1, 64;`}, fixed: []string{"1, 64", "0"},
		},
		{
			name: "a warp that has exited", kind: kind, thread: 32, says: "barrier 1 waits for 64 threads, 32 came; warp 0 has exited",
			trial: trial{body: `setp.lt.u32 %p0, %w, 1;
@%p0 ret;
bar.sync 1, 64; // fault`}, fixed: []string{"1, 64", "0"},
		},
		{
			name: "counts that differ", kind: kind, thread: 32, says: "barrier 1 was for 64 threads, and here for 96",
			trial: trial{threads: 96, body: `mov.u32 %r0, 64;
setp.eq.u32 %p0, %w, 1;
@%p0 mov.u32 %r0, 96;
bar.sync 1, %r0; // fault`}, fixed: []string{"64", "96"},
		},
		{
			name: "a count that no warps have", kind: interp.BadOperand, thread: 0, says: "a barrier for 48 threads; it has to be a multiple of 32",
			trial: trial{body: `bar.sync 1, 48; // fault`}, fixed: []string{"48", "64"},
		},
		{
			name: "more threads than there are", kind: kind, thread: 0, says: "barrier 1 waits for 128 threads, 64 came; there are no others",
			trial: trial{body: `bar.sync 1, 128; // fault`}, fixed: []string{"128", "64"},
		},
		{
			name: "no such barrier", kind: interp.BadOperand, thread: 0, says: "barrier 16; a block has 16",
			trial: trial{body: `bar.sync 16; // fault`}, fixed: []string{"16", "15"},
		},
		{
			name: "arriving twice", kind: kind, thread: 0, says: "warp 0 comes to barrier 1 again, which still waits for others",
			trial: trial{body: `setp.eq.u32 %p0, %w, 1;
@%p0 bra OTHER;
bar.arrive 1, 96;
bar.arrive 1, 96; // fault
ret;
OTHER: bar.sync 1, 96;`}, fixed: []string{"bar.arrive 1, 96; // fault", "", "96", "64"},
		},
		{
			name: "a warp that only waits", kind: kind, thread: 0, says: "barrier 2 waits for 64 threads, 32 came; warp 1 has exited",
			trial: trial{body: `setp.eq.u32 %p0, %w, 1;
@%p0 bra PRODUCER;
bar.sync 2, 64; // fault
ret;
PRODUCER: bar.arrive 1, 64;`}, fixed: []string{"arrive 1", "arrive 2"},
		},
		{
			name: "trip counts that differ", kind: kind, thread: 0, says: "31 of the warp's 32 threads are at barrier 0; thread [0 0 0] is not",
			trial: trial{threads: 32, body: `mov.u32 %r0, 0;
LOOP: bar.sync 0; // fault
add.u32 %r0, %r0, 1;
setp.le.u32 %p0, %r0, %t; // each lane its own
@%p0 bra LOOP;`}, fixed: []string{"%t;", "5;"},
		},
	})
}

// Barriers that are all right.
func TestNoBarrierFaults(t *testing.T) {
	for _, r := range []struct {
		name string
		trial
		barriers uint64
	}{
		{"lanes that return before", trial{body: `setp.ge.u32 %p0, %t, 48;
@%p0 ret;
bar.sync 0;`}, 1},
		{"lanes that jump to the return", trial{body: `setp.ge.u32 %p0, %t, 48;
@%p0 bra DONE;
bar.sync 0;
bar.warp.sync -1;
DONE:`}, 1},
		{"lanes that return out of a branch", trial{body: `setp.lt.u32 %p0, %l, 16;
@%p0 bra HIGH;
setp.ge.u32 %p1, %l, 30;
@%p1 bra DONE;
mov.u32 %r0, 1;
HIGH: bar.sync 0;
DONE:`}, 1},
		{"a loop of a warp of its own", trial{body: `setp.eq.u32 %p0, %w, 0;
@%p0 bra JOIN;
mov.u32 %r0, 0;
LOOP: add.u32 %r0, %r0, 1;
setp.lt.u32 %p1, %r0, 100000;
@%p1 bra LOOP;
JOIN: bar.sync 0;`}, 1},
		{"a block of 33 threads", trial{threads: 33, body: `bar.sync 0; bar.warp.sync -1; bar.sync 1, 64;`}, 2},
		{"a warp leaves while others wait", trial{threads: 96, body: `setp.ne.u32 %p0, %w, 2;
@%p0 bar.sync 0;`}, 1},
		{"two barriers at once", trial{threads: 128, body: `shr.u32 %r0, %w, 1;
add.u32 %r0, %r0, 1;
bar.sync %r0, 64;
bar.sync %r0, 64;`}, 4},
	} {
		t.Run(r.name, func(t *testing.T) {
			_, c, err := r.run(t)
			if err != nil || c.Barriers != r.barriers {
				t.Errorf("%d barriers, %v; want %d", c.Barriers, err, r.barriers)
			}
		})
	}
}
