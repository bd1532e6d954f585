package interp_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// Launches that a chip does not take.
func TestInvalidLaunches(t *testing.T) {
	empty := trial{body: ";"}
	k := empty.compile(t)
	space, at := buffers(t)
	for _, r := range []struct {
		name   string
		change func(l *interp.Launch)
		says   string
	}{
		{"no blocks", func(l *interp.Launch) { l.Grid[1] = 0 }, "grid [1 0 1] of blocks [64 1 1] is empty"},
		{"no threads", func(l *interp.Launch) { l.Block[2] = 0 }, "is empty"},
		{"grid x", func(l *interp.Launch) { l.Grid[0] = 1 << 31 }, "at most [2147483647 65535 65535]"},
		{"grid y", func(l *interp.Launch) { l.Grid[1] = 65536 }, "grid [1 65536 1]"},
		{"grid z", func(l *interp.Launch) { l.Grid[2] = 65536 }, "grid [1 1 65536]"},
		{"threads", func(l *interp.Launch) { l.Block = [3]uint32{32, 32, 2} }, "block [32 32 2]; at most 1024 threads"},
		{"threads along z", func(l *interp.Launch) { l.Block = [3]uint32{1, 1, 65} }, "block [1 1 65]"},
		{"too much shared memory", func(l *interp.Launch) { l.Shared = 227<<10 - 1023 }, "232449 bytes of shared memory; a block on sm_90 has at most 232448"},
		{"parameter missing", func(l *interp.Launch) { l.Params = at[:2] }, "2 words of parameters; the kernel takes 3"},
		{"parameter too many", func(l *interp.Launch) { l.Params = append(at, 1) }, "4 words of parameters; the kernel takes 3"},
	} {
		l := empty.launch(at...)
		r.change(&l)
		_, err := k.Run(space, l)
		var got *interp.Finding
		if !errors.As(err, &got) || got.Kind != interp.InvalidLaunch || got.Kernel != "k" || got.Line != 0 || !strings.Contains(got.Text, r.says) {
			t.Errorf("%s: %v, want %q", r.name, err, r.says)
		}
	}
	l := empty.launch(at...)
	l.Shared = 227<<10 - 1024
	if _, err := k.Run(space, l); err != nil {
		t.Errorf("all of the shared memory: %v", err)
	}
}

// A kernel may ask for fewer threads than a chip allows, not for more.
func TestMaxThreads(t *testing.T) {
	for most, threads := range map[string]uint32{"128": 160, "2048": 1056} {
		r := trial{body: ";"}
		text, _ := r.text()
		k := compileText(t, strings.Replace(text, "pgone)\n", "pgone)\n.maxntid "+most+"\n", 1), interp.Options{})
		space, at := buffers(t)
		l := r.launch(at...)
		l.Block = [3]uint32{threads / 2, 2, 1}
		var got *interp.Finding
		if _, err := k.Run(space, l); !errors.As(err, &got) || got.Kind != interp.InvalidLaunch {
			t.Errorf("%d threads of .maxntid %s: %v", threads, most, err)
		}
	}
}

func TestEndless(t *testing.T) {
	limited := &interp.Options{Check: true, Limit: 1 << 17}
	checkFaults(t, []fault{
		{
			name: "a loop", kind: interp.Endless, thread: 3, says: "instructions have been run",
			trial: trial{threads: 32, options: limited, body: `setp.ge.u32 %p0, %t, 3;
LOOP: @%p0 bra LOOP; // fault`}, fixed: []string{"LOOP;", "NEXT;\nNEXT:"},
		},
	})
	// One that ends a little later than the limit within its turn has ended.
	r := trial{threads: 32, options: &interp.Options{Limit: 50}, body: `mov.u32 %r0, 0;
LOOP: add.u32 %r0, %r0, 1;
setp.lt.u32 %p0, %r0, 20;
@%p0 bra LOOP;`}
	if _, _, err := r.run(t); err != nil {
		t.Error(err)
	}
}

// Of many blocks that commit faults, the lowest is reported, however many run at
// once.
func TestLowestBlock(t *testing.T) {
	r := trial{threads: 64, blocks: 400, body: `mov.u32 %r0, %ctaid.x;
setp.lt.u32 %p0, %r0, 237;
@%p0 ret;
mul.lo.u32 %r1, %r0, 4;
mov.u32 %r2, 5000; // later blocks are faster
sub.u32 %r2, %r2, %r1;
LOOP: sub.u32 %r2, %r2, 1;
setp.gt.s32 %p1, %r2, 0;
@%p1 bra LOOP;
ld.global.u32 %r3, [%i+256];`}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first interp.Finding
	for _, procs := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(procs)
		for range 5 {
			_, _, err := r.run(t)
			var got *interp.Finding
			if !errors.As(err, &got) || got.Block != [3]uint32{237} || got.Thread != [3]uint32{0} {
				t.Fatalf("%d at once: %v, want block 237", procs, err)
			}
			if first == (interp.Finding{}) {
				first = *got
			}
			if *got != first {
				t.Errorf("%d at once: %v, was %v", procs, got, &first)
			}
		}
	}
}
