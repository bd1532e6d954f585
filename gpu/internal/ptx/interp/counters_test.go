package interp_test

import (
	"maps"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// count runs a trial of one warp and returns its counters.
func count(t *testing.T, body string) interp.Counters {
	t.Helper()
	r := trial{threads: 32, shared: 8 << 10, body: body}
	_, c, err := r.run(t)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return c
}

// lanesApart makes %r0 the address of dynamic shared memory that many bytes further
// for each lane.
func lanesApart(bytes string) string {
	return "mov.u32 %r0, dyn;\nmad.lo.u32 %r0, %l, " + bytes + ", %r0;\n"
}

// Shared memory has 32 banks of 4 bytes; 8 and 16 bytes for each lane take two and
// four passes anyway.
func TestBankConflicts(t *testing.T) {
	for _, r := range []struct {
		name, body                 string
		requests, bytes, conflicts uint64
	}{
		{"neighbouring words", lanesApart("4") + "ld.shared.u32 %r1, [%r0];", 1, 128, 0},
		{"every second word", lanesApart("8") + "ld.shared.u32 %r1, [%r0];", 1, 128, 1},
		{"every fourth word", lanesApart("16") + "ld.shared.u32 %r1, [%r0];", 1, 128, 3},
		{"a column", lanesApart("128") + "ld.shared.u32 %r1, [%r0];", 1, 128, 31},
		{"a column of padded rows", lanesApart("132") + "ld.shared.u32 %r1, [%r0];", 1, 128, 0},
		{"one word", "ld.shared.u32 %r1, [dyn];", 1, 128, 0},
		{"half the lanes of a column", lanesApart("128") + "setp.lt.u32 %p0, %l, 16;\n@%p0 ld.shared.u32 %r1, [%r0];", 1, 64, 15},
		{"bytes", lanesApart("1") + "ld.shared.u8 %h0, [%r0];", 1, 32, 0},
		{"bytes of two words of a bank", lanesApart("64") + "ld.shared.u8 %h0, [%r0];", 1, 32, 15},
		{"8 bytes", lanesApart("8") + "ld.shared.u64 %d0, [%r0];", 1, 256, 0},
		{"8 of 16 bytes", lanesApart("16") + "ld.shared.u64 %d0, [%r0];", 1, 256, 2},
		{"16 bytes", lanesApart("16") + "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r0];", 1, 512, 0},
		{"16 of 32 bytes", lanesApart("32") + "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r0];", 1, 512, 4},
		{"16 of 128 bytes", lanesApart("128") + "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r0];", 1, 512, 28},
		{"generic address", lanesApart("128") + "cvt.u64.u32 %d0, %r0;\ncvta.shared.u64 %d0, %d0;\nld.u32 %r1, [%d0];", 1, 128, 31},
		{"matrices", lanesApart("128") + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r0];", 4, 512, 28},
		{"matrices of padded rows", lanesApart("144") + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r0];", 4, 512, 0},
		{"a swizzled matrix", lanesApart("128") + "and.b32 %r1, %l, 7;\nshl.b32 %r1, %r1, 4;\nxor.b32 %r0, %r0, %r1;\n" +
			"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r0];", 1, 128, 0},
	} {
		c := count(t, r.body)
		if c.SharedRequests != r.requests || c.SharedRead != r.bytes || c.BankConflicts != r.conflicts || c.SharedWritten != 0 {
			t.Errorf("%s: %d requests, %d bytes, %d conflicts; want %d, %d, %d",
				r.name, c.SharedRequests, c.SharedRead, c.BankConflicts, r.requests, r.bytes, r.conflicts)
		}
	}
}

// A copy that reads nothing asks nothing of global memory.
func TestStoresToShared(t *testing.T) {
	for body, want := range map[string]interp.Counters{
		lanesApart("16") + "st.shared.u32 [%r0], 1;":                                                                            {SharedWritten: 128, SharedRequests: 1, BankConflicts: 3},
		lanesApart("16") + "cp.async.cg.shared.global [%r0], [%in], 16;":                                                        {SharedWritten: 512, SharedRequests: 1, GlobalRead: 512, GlobalRequests: 1, GlobalSectors: 1},
		lanesApart("16") + "cp.async.cg.shared.global [%r0], [%in], 16, 0;":                                                     {SharedWritten: 512, SharedRequests: 1},
		lanesApart("16") + "shr.u32 %r1, %l, 1;\ncp.async.cg.shared.global [%r0], [%in+16], 16, %r1;":                           {SharedWritten: 512, SharedRequests: 1, GlobalRead: 240, GlobalRequests: 1, GlobalSectors: 1},
		lanesApart("16") + "mov.u32 %r1, 0;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%r0], {%r1};":                            {SharedWritten: 128, SharedRequests: 1},
		"st.shared.u32 [%s], 0;\nbar.warp.sync -1;\nred.shared.add.u32 [%s], 1;\nbar.warp.sync -1;\nld.shared.u32 %r0, [%s];\n": {SharedWritten: 256, SharedRead: 128, SharedRequests: 3},
	} {
		got := count(t, body)
		got.Blocks, got.Instructions, got.Issued = 0, want.Instructions, want.Issued
		if got != want {
			t.Errorf("%s\n%+v, want\n%+v", body, got, want)
		}
	}
}

// A request touches sectors of 32 bytes.
func TestSectors(t *testing.T) {
	const apart8 = "mad.wide.u32 %d0, %l, 8, %in;\n"
	for _, r := range []struct {
		name, body               string
		requests, bytes, sectors uint64
	}{
		{"neighbouring words", "ld.global.u32 %r0, [%i];", 1, 128, 4},
		{"one word further", "ld.global.u32 %r0, [%i+4];", 1, 128, 5},
		{"every second word", apart8 + "ld.global.u32 %r0, [%d0];", 1, 128, 8},
		{"8 bytes", apart8 + "ld.global.u64 %d1, [%d0];", 1, 256, 8},
		{"one word", "ld.global.u32 %r0, [%in];", 1, 128, 1},
		{"words in reverse", "sub.u64 %d0, %in, %i;\nadd.u64 %d0, %d0, %in;\nld.global.u32 %r0, [%d0+124];", 1, 128, 4},
		{"some lanes", "setp.ge.u32 %p0, %l, 24;\n@%p0 ld.global.u32 %r0, [%i];", 1, 32, 1},
		{"no lanes", "setp.gt.u32 %p0, %l, 32;\n@%p0 ld.global.u32 %r0, [%i];", 0, 0, 0},
		{"bytes", "cvt.u64.u32 %d0, %l;\nadd.u64 %d0, %d0, %in;\nld.global.u8 %h0, [%d0+17];", 1, 32, 2},
		{"both sides of a branch", "setp.lt.u32 %p0, %l, 4;\n@%p0 bra A;\nld.global.u32 %r0, [%i];\nbra.uni B;\nA: ld.global.u32 %r0, [%i];\nB:", 2, 128, 5},
		{"generic address", "ld.u32 %r0, [%i];", 1, 128, 4},
	} {
		c := count(t, r.body)
		if c.GlobalRequests != r.requests || c.GlobalRead != r.bytes || c.GlobalSectors != r.sectors || c.GlobalWritten != 0 {
			t.Errorf("%s: %d requests, %d bytes, %d sectors; want %d, %d, %d",
				r.name, c.GlobalRequests, c.GlobalRead, c.GlobalSectors, r.requests, r.bytes, r.sectors)
		}
	}
	if c := count(t, "st.global.u32 [%o], 1;\nred.global.add.u32 [%o], 1;"); c.GlobalWritten != 256 || c.GlobalRead != 0 || c.GlobalSectors != 8 {
		t.Errorf("stores: %+v", c)
	}
}

// Instructions are counted for the lanes that are on, and for the warp.
func TestInstructionCounts(t *testing.T) {
	before := count(t, ";")
	got := count(t, `setp.lt.u32 %p0, %l, 8;
@%p0 bra LOW;
cvt.rn.f32.u32 %f0, %l;
fma.rn.f32 %f0, %f0, %f0, %f0;
bra.uni JOIN;
LOW: add.u32 %r0, %l, 1;
JOIN: bar.warp.sync -1;
@!%p0 ld.global.u32 %r0, [%i];
st.shared.u32 [%s], %r0;
bar.sync 0;
vote.sync.ballot.b32 %r0, %p0, -1;
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [cell];
cp.async.wait_all;
st.local.u32 [mine], %r0;
@%p0 mov.u32 %r1, 0;
mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, %f3}, {%r0, %r0, %r0, %r0}, {%r0, %r0}, {%f0, %f1, %f2, %f3};`)
	threads, issued := map[string]uint64{}, map[string]uint64{}
	for class := range got.Instructions {
		name := interp.Class(class).String()
		threads[name] = got.Instructions[class] - before.Instructions[class]
		issued[name] = got.Issued[class] - before.Issued[class]
	}
	wantThreads := map[string]uint64{
		"integer": 8, "float": 24, "convert": 24, "move": 8, "compare": 32, "control": 8 + 24, "global memory": 24, "shared memory": 32,
		"other memory": 32, "asynchronous copy": 32, "matrix load": 32, "matrix multiply": 32, "exchange": 32, "synchronise": 64,
	}
	wantIssued := map[string]uint64{
		"integer": 1, "float": 1, "convert": 1, "move": 1, "compare": 1, "control": 2, "global memory": 1, "shared memory": 1,
		"other memory": 1, "asynchronous copy": 1, "matrix load": 1, "matrix multiply": 1, "exchange": 1, "synchronise": 2,
	}
	if !maps.Equal(threads, wantThreads) {
		t.Errorf("threads: %v, want %v", threads, wantThreads)
	}
	if !maps.Equal(issued, wantIssued) {
		t.Errorf("warps: %v, want %v", issued, wantIssued)
	}
	if got.MMAs != 1 || got.Barriers != 1 || got.Blocks != 1 {
		t.Errorf("%d MMAs, %d barriers, %d blocks", got.MMAs, got.Barriers, got.Blocks)
	}
}

// What all blocks and warps did is added up.
func TestCountsOfBlocks(t *testing.T) {
	r := trial{threads: 96, blocks: 5, body: `mov.u32 %r0, 0;
mov.u32 %r1, 0;
LOOP: bar.sync 0;
mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, %f3}, {%r0, %r0, %r0, %r0}, {%r0, %r0}, {%f0, %f1, %f2, %f3};
add.u32 %r1, %r1, 1;
setp.lt.u32 %p0, %r1, 4;
@%p0 bra LOOP;`}
	_, c, err := r.run(t)
	if err != nil || c.Blocks != 5 || c.MMAs != 5*3*4 || c.Barriers != 5*4 {
		t.Errorf("%d blocks, %d MMAs, %d barriers, %v", c.Blocks, c.MMAs, c.Barriers, err)
	}
	var sum interp.Counters
	sum.Add(c)
	sum.Add(c)
	if sum.MMAs != 120 || sum.Blocks != 10 || sum.WarpInstructions() != 2*c.WarpInstructions() {
		t.Errorf("twice that: %+v", sum)
	}
}
