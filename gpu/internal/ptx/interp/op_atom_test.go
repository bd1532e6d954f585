package interp_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"blockfp8/gpu/internal/ptx"
	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/gpu/internal/ptx/memory"
)

// runBody runs a kernel of statements in blocks of threads. %d0 is the address of
// 64 bytes of global memory, all zero, which are returned; the block has 64 bytes
// of shared memory, cell.
func runBody(t *testing.T, grid, threads uint32, body string) ([]byte, error) {
	t.Helper()
	m, err := ptx.Parse("test.ptx", `.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %d<4>;
	.shared .align 16 .b8 cell[64];
	ld.param.u64 %d0, [p];
`+body+`
	ret;
}
`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := interp.Compile(m, sm90, interp.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	space := memory.NewSpace(1<<20, true)
	at, err := space.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	if err := space.Fill(at, 0, 64); err != nil {
		t.Fatal(err)
	}
	_, err = p.Kernel("k").Run(space, interp.Launch{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{threads, 1, 1}, Params: []uint64{at}})
	out := make([]byte, 64)
	if err := space.Read(out, at); err != nil {
		t.Fatal(err)
	}
	return out, err
}

// Atomic operations of blocks that run at once lose nothing.
func TestAtomicsOfManyBlocks(t *testing.T) {
	const blocks, threads = 200, 96
	out, err := runBody(t, blocks, threads, `
	red.global.add.u32 [%d0], 1;
	atom.global.inc.u32 %r0, [%d0+4], 999999;
	red.global.add.f32 [%d0+8], 0f3F800000;
	mov.u32 %r1, %ctaid.x;
	red.global.max.s32 [%d0+12], %r1;
again:
	ld.volatile.global.u32 %r2, [%d0+16];
	add.u32 %r3, %r2, 2;
	atom.global.cas.b32 %r4, [%d0+16], %r2, %r3;
	setp.ne.u32 %p0, %r4, %r2;
	@%p0 bra again;`)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{blocks * threads, blocks * threads, 0x46960000, blocks - 1, 2 * blocks * threads} {
		if got := binary.LittleEndian.Uint32(out[4*i:]); got != want {
			t.Errorf("word %d: %#x, want %#x", i, got, want)
		}
	}
}

const (
	clear = `
	mov.u32 %r0, %tid.x;
	setp.eq.u32 %p0, %r0, 0;
	@%p0 st.shared.u32 [cell], 0;
	bar.sync 0;`
	report = `
	ld.shared.u32 %r2, [cell];
	@%p0 st.global.u32 [%d0], %r2;`
)

// Atomic operations on one address of shared memory are no race among themselves,
// but with other accesses they are.
func TestAtomicsAndRaces(t *testing.T) {
	for _, r := range []struct {
		name, body string
		want       interp.FindingKind
	}{
		{"ordered by barriers", clear + `red.shared.add.u32 [cell], 3; bar.sync 0;` + report, ""},
		{"generic addresses", clear + `cvta.shared.u64 %d1, 0; red.add.u32 [%d1], 3; bar.sync 0;` + report, ""},
		{"a read that nothing orders", clear + `red.shared.add.u32 [cell], 3;` + report, interp.Race},
		{"a write that nothing orders", clear + `@%p0 st.shared.u32 [cell], 1; red.shared.add.u32 [cell], 3;`, interp.Race},
		{"a read before", clear + `ld.shared.u32 %r2, [cell]; red.shared.add.u32 [cell], 3;`, interp.Race},
		{"memory that nobody wrote", `red.shared.add.u32 [cell], 3;`, interp.Undefined},
		{"a value that nobody wrote", clear + `ld.shared.u32 %r2, [cell+4]; red.shared.add.u32 [cell], %r2;`, interp.Undefined},
		{"over the end", `red.shared.add.u32 [cell+64], 3;`, interp.OutOfBounds},
		{"between words", `red.shared.add.u32 [cell+2], 3;`, interp.Misaligned},
		{"outside of allocations", `red.global.add.u32 [%d0+64], 3;`, interp.OutOfBounds},
	} {
		out, err := runBody(t, 1, 64, r.body)
		var finding *interp.Finding
		switch {
		case r.want == "" && err != nil:
			t.Errorf("%s: %v", r.name, err)
		case r.want == "":
			if got := binary.LittleEndian.Uint32(out); got != 3*64 {
				t.Errorf("%s: %d, want %d", r.name, got, 3*64)
			}
		case !errors.As(err, &finding) || finding.Kind != r.want:
			t.Errorf("%s: %v, want a finding %q", r.name, err, r.want)
		}
	}
}

// What a kernel runs into is a finding with its line.
func TestFindingsOfInstructions(t *testing.T) {
	for _, r := range []struct {
		body string
		want interp.FindingKind
	}{
		{"trap;", interp.Trapped},
		{"brkpt;", interp.Trapped},
		{"setp.ne.u32 %p0, 0, 0; @%p0 trap;", ""},
		{"vote.sync.ballot.b32 %r0, %p0, 0xFFFF;", interp.MaskMismatch},
		{"mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 4; @%p0 shfl.sync.idx.b32 %r1, %r0, 9, 0x1f, 0xF;", interp.MaskMismatch},
		{"mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 4; @%p0 redux.sync.add.u32 %r1, %r0, -1;", interp.MaskMismatch},
		{"cp.async.ca.shared.global [cell], [%d0], 4, 5;", interp.BadOperand},
		{"cp.async.ca.shared.global [cell+2], [%d0], 4;", interp.Misaligned},
	} {
		_, err := runBody(t, 1, 32, "\t"+r.body)
		var finding *interp.Finding
		if r.want == "" && err == nil {
			continue
		}
		if !errors.As(err, &finding) || finding.Kind != r.want || finding.Line != 11 {
			t.Errorf("%s: %v, want a finding %q at line 11", r.body, err, r.want)
		}
	}
}

// A shuffle takes what is undefined along with the value, and no further.
func TestShuffleOfUndefinedMemory(t *testing.T) {
	for _, r := range []struct {
		name, store string
		want        interp.FindingKind
	}{
		{"lanes that read defined values", "setp.lt.u32 %p0, %r0, 8;", ""},
		{"lanes that read undefined ones", "setp.ge.u32 %p0, %r0, 8;", interp.Undefined},
	} {
		// Lanes 0 to 7 read what lanes 8 to 15 wrote; the cell has 16 words.
		_, err := runBody(t, 1, 32, `
	mov.u32 %r0, %laneid;
	mov.u32 %r3, cell;
	mad.lo.u32 %r3, %r0, 2, %r3;
	setp.ge.u32 %p1, %r0, 8;
	setp.lt.and.u32 %p1, %r0, 16, %p1;
	@%p1 st.shared.u16 [%r3], 1;
	mov.u32 %r1, 0;
	ld.shared.u16 %r1, [%r3];
	shfl.sync.bfly.b32 %r2, %r1, 8, 0x1f, -1;
	`+r.store+`
	@%p0 red.global.add.u32 [%d0], %r2;`)
		var finding *interp.Finding
		if r.want == "" && err == nil {
			continue
		}
		if !errors.As(err, &finding) || finding.Kind != r.want {
			t.Errorf("%s: %v, want a finding %q", r.name, err, r.want)
		}
	}
}
