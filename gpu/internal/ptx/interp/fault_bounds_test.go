package interp_test

import (
	"fmt"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// Accesses outside of memory, in every space.
func TestOutOfBounds(t *testing.T) {
	const kind = interp.OutOfBounds
	checkFaults(t, []fault{
		{
			name: "read behind", kind: kind, thread: 63, says: "read: 4 bytes at 0x700000100 are not allocated: byte 256 of an allocation of 256",
			trial: trial{body: `ld.global.u32 %r0, [%i+4]; // fault`}, fixed: []string{"+4", ""},
		},
		{
			name: "read before", kind: kind, thread: 0, says: "4 bytes before the first allocation",
			trial: trial{body: `ld.global.u32 %r0, [%i-4]; // fault`}, fixed: []string{"-4", ""},
		},
		{
			name: "write behind, in a later block", kind: kind, block: 1, thread: 0, says: "write: 4 bytes at 0x700010200 are not allocated: byte 256 of an allocation of 256",
			trial: trial{threads: 1, blocks: 3, body: `mov.u32 %r0, %ctaid.x;
mad.wide.u32 %d0, %r0, 256, %out;
st.global.u32 [%d0], 1; // fault`}, fixed: []string{"256", "4"},
		},
		{
			name: "only some lanes", kind: kind, thread: 40, says: "byte 256 of an allocation of 256",
			trial: trial{body: `setp.ge.u32 %p0, %t, 40;
@%p0 ld.global.u32 %r0, [%i+96]; // fault`}, fixed: []string{"setp.ge", "setp.lt", "96", "92"},
		},
		{
			name: "generic address", kind: kind, thread: 63, says: "byte 256 of an allocation of 256",
			trial: trial{body: `ld.u32 %r0, [%i+4]; // fault`}, fixed: []string{"+4", ""},
		},
		{
			name: "freed memory", kind: kind, says: "byte 8 of 256 that were freed",
			trial: trial{body: `ld.global.u32 %r0, [%gone+8]; // fault`}, fixed: []string{"%gone", "%in"},
		},
		{
			name: "null", kind: kind, says: "4 bytes at 0x0 are not allocated",
			trial: trial{body: `mov.u64 %d0, 0;
ld.global.u32 %r0, [%d0]; // fault`}, fixed: []string{"0;", "%in;"},
		},
		{
			name: "asynchronous copy from behind", kind: kind, thread: 63, says: "byte 256 of an allocation of 256",
			trial: trial{body: `cp.async.ca.shared.global [%s], [%i+4], 4; // fault`}, fixed: []string{"+4", ""},
		},
		{
			name: "size of an asynchronous copy", kind: kind, thread: 0, says: "4 bytes at 0x700000100",
			trial: trial{threads: 1, body: `cp.async.ca.shared.global [%s], [%i+256], 4, 4; // fault`}, fixed: []string{"4, 4", "4, 0"},
		},
		{
			name: "write behind shared memory", kind: kind, thread: 63, says: "write of 4 bytes at 1024 of 1024 bytes of shared memory",
			trial: trial{body: `st.shared.u32 [%s+772], 1; // fault`}, fixed: []string{"772", "768"},
		},
		{
			name: "read before shared memory", kind: kind, thread: 0, says: "read of 4 bytes at 4294967292 of 1024 bytes of shared memory",
			trial: trial{threads: 32, body: `st.shared.u32 [%s], 1;
ld.shared.u32 %r0, [%s-4]; // fault`}, fixed: []string{"%s-4", "%s"},
		},
		{
			name: "dynamic shared memory", kind: kind, thread: 0, says: "write of 8 bytes at 1088 of 1088 bytes of shared memory",
			trial: trial{threads: 32, shared: 64, body: `st.shared.u64 [dyn+64], 1; // fault`}, fixed: []string{"+64", "+56"},
		},
		{
			name: "global address for shared memory", kind: kind, says: "at 30064771072 of 1024 bytes of shared memory",
			trial: trial{body: `ld.shared.u32 %r0, [%in]; // fault`}, fixed: []string{"ld.shared", "ld.global"},
		},
		{
			name: "generic address of shared memory", kind: kind, thread: 0, says: "write of 4 bytes at 1024 of 1024 bytes of shared memory",
			trial: trial{threads: 32, body: `mov.u64 %d0, cell;
cvta.shared.u64 %d0, %d0;
st.u32 [%d0+1024], 1; // fault`}, fixed: []string{"+1024", "+1020"},
		},
		{
			name: "asynchronous copy to behind", kind: kind, thread: 63, says: "copy of 4 bytes to 1024 of 1024 bytes of shared memory",
			trial: trial{body: `cp.async.ca.shared.global [%s+772], [%i], 4; // fault`}, fixed: []string{"772", "768"},
		},
		{
			name: "row of a matrix", kind: kind, thread: 7, says: "read of 16 bytes at 1024 of 1024 bytes of shared memory",
			trial: trial{threads: 32, body: `mov.u32 %r1, cell;
mad.lo.u32 %r1, %l, 16, %r1;
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r1+912]; // fault`}, fixed: []string{"912", "896"},
		},
		{
			name: "local memory", kind: kind, says: "write of 4 bytes at 16 of 16 bytes of local memory",
			trial: trial{body: `st.local.u32 [mine+16], 1; // fault`}, fixed: []string{"+16", "+12"},
		},
		{
			name: "parameters", kind: kind, says: "read of 8 bytes at 24 of 24 bytes of parameters",
			trial: trial{body: `ld.param.u64 %d0, [pgone+8]; // fault`}, fixed: []string{"+8", ""},
		},
		{
			name: "before the parameters", kind: kind, says: "read of 8 bytes at -8 of 24 bytes of parameters",
			trial: trial{body: `ld.param.u64 %d0, [pin-8]; // fault`}, fixed: []string{"-8", ""},
		},
	})
}

// Every size of access in every space at an address that is one element off in
// bytes.
func TestMisaligned(t *testing.T) {
	var faults []fault
	add := func(name, body, says string, fixed ...string) {
		faults = append(faults, fault{name: name, kind: interp.Misaligned, says: says, trial: trial{threads: 1, body: body + "; // fault"}, fixed: fixed})
	}
	for _, a := range []struct {
		size     int
		kind, to string
	}{
		{2, "u16", "%h0"},
		{4, "u32", "%r0"},
		{4, "v2.u16", "{%h0, %h1}"},
		{8, "u64", "%d0"},
		{8, "v2.f32", "{%f0, %f1}"},
		{16, "v4.u32", "{%r0, %r1, %r2, %r3}"},
		{16, "v2.u64", "{%d0, %d1}"},
	} {
		off := a.size / 2
		for _, s := range []struct{ space, at string }{{".global", "%out"}, {"", "%out"}, {".shared", "cell"}, {".local", "mine"}} {
			name := map[string]string{"": "global", ".global": "global", ".shared": "shared", ".local": "local"}[s.space]
			fixed := fmt.Sprintf("+%d]", off)
			add(fmt.Sprintf("st%s.%s", s.space, a.kind), fmt.Sprintf("st%s.%s [%s+%d], %s", s.space, a.kind, s.at, off, a.to),
				fmt.Sprintf("write of %d bytes at 0x", a.size), fixed, "]")
			if s.space != ".global" && s.space != "" {
				continue
			}
			add(fmt.Sprintf("ld%s.%s", s.space, a.kind), fmt.Sprintf("ld%s.%s %s, [%%in+%d]", s.space, a.kind, a.to, off),
				fmt.Sprintf("read of %d bytes at 0x70000000%d of %s memory", a.size, off, name), fixed, "]")
		}
	}
	for size, cache := range map[int]string{4: "ca", 8: "ca", 16: "cg"} {
		off := fmt.Sprintf("+%d]", size/2)
		add(fmt.Sprintf("cp.async %d to", size), fmt.Sprintf("cp.async.%s.shared.global [cell%s, [%%in], %d", cache, off, size),
			fmt.Sprintf("copy of %d bytes from 0x700000000 to %#x of shared memory", size, size/2), off, "]")
		add(fmt.Sprintf("cp.async %d from", size), fmt.Sprintf("cp.async.%s.shared.global [cell], [%%in%s, %d", cache, off, size),
			fmt.Sprintf("copy of %d bytes from %#x to 0x0 of shared memory", size, 0x700000000+size/2), off, "]")
	}
	add("ld.param", "ld.param.u64 %d0, [pin+4]", "read of 8 bytes at 0x4 of parameters", "+4", "")
	faults = append(faults, fault{
		name: "ldmatrix", kind: interp.Misaligned, thread: 5, says: "read of 16 bytes at 0x5a of shared memory",
		trial: trial{threads: 32, body: `mov.u32 %r1, 16;
setp.eq.u32 %p0, %l, 5;
@%p0 mov.u32 %r1, 18; // one lane's row is off
mul.lo.u32 %r1, %r1, %l;
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r1]; // fault`}, fixed: []string{"18", "16"},
	})
	checkFaults(t, faults)
}
