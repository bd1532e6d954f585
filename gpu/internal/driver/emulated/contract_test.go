package emulated_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/driver/emulated"
)

var (
	sm90  = driver.Arch{Major: 9}
	sm120 = driver.Arch{Major: 12}
)

// kernels has two: add adds its second parameter to each of 32 words, from which
// the order of launches can be read once they are doubled by twice.
const kernels = `.version 8.4
.target sm_89
.address_size 64
.visible .entry add(.param .u64 to, .param .u64 by)
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [to];
	ld.param.u32 %r1, [by];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r3, [%rd3];
	add.s32 %r4, %r3, %r1;
	st.global.u32 [%rd3], %r4;
	ret;
}
.visible .entry twice(.param .u64 to, .param .u64 unused)
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [to];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r3, [%rd3];
	shl.b32 %r4, %r3, 1;
	st.global.u32 [%rd3], %r4;
	ret;
}
`

// rig is a device with the kernels and 32 words of zeros.
type rig struct {
	*emulated.Device
	t          *testing.T
	add, twice driver.Function
	words      driver.Ptr
}

func newRig(t *testing.T, o emulated.Options) *rig {
	t.Helper()
	d, err := emulated.Open(sm120, o)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Device: d, t: t}
	m, err := d.LoadModule("kernels.ptx", kernels)
	r.ok(err)
	r.add, err = d.Function(m, "add")
	r.ok(err)
	r.twice, err = d.Function(m, "twice")
	r.ok(err)
	r.words, err = d.Alloc(128)
	r.ok(err)
	r.ok(d.Fill(0, r.words, 0, 128))
	return r
}

func (r *rig) ok(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) launch(f driver.Function, s driver.Stream, params ...uint64) error {
	l := driver.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Stream: s}
	for _, p := range params {
		l.Push(p)
	}
	return r.Launch(l)
}

// word returns the last of the words.
func (r *rig) word(s driver.Stream) uint32 {
	r.t.Helper()
	b := make([]byte, 128)
	r.ok(r.CopyOut(s, b, r.words))
	return binary.LittleEndian.Uint32(b[124:])
}

func bothWays(t *testing.T, test func(t *testing.T, o emulated.Options)) {
	for _, lazy := range []bool{false, true} {
		t.Run(fmt.Sprintf("lazy=%v", lazy), func(t *testing.T) { test(t, emulated.Options{Check: true, Lazy: lazy}) })
	}
}

// Work of one stream happens in the order it was given: (0+3)*2+1 and not another.
func TestOrderInAStream(t *testing.T) {
	bothWays(t, func(t *testing.T, o emulated.Options) {
		r := newRig(t, o)
		r.ok(r.launch(r.add, 0, uint64(r.words), 3))
		r.ok(r.launch(r.twice, 0, uint64(r.words), 0))
		r.ok(r.launch(r.add, 0, uint64(r.words), 1))
		if got := r.word(0); got != 7 {
			t.Errorf("got %d, want 7", got)
		}
		r.ok(r.Close())
	})
}

// An event orders two streams: (0+3)*2. A mark also has a time.
func TestOrderByEvents(t *testing.T) {
	bothWays(t, func(t *testing.T, o emulated.Options) {
		r := newRig(t, o)
		r.ok(r.Sync(0))
		first, err := r.NewStream()
		r.ok(err)
		second, err := r.NewStream()
		r.ok(err)
		begin, err := r.NewEvent()
		r.ok(err)
		end, err := r.NewEvent()
		r.ok(err)
		r.ok(r.Record(begin, first))
		r.ok(r.launch(r.add, first, uint64(r.words), 3))
		r.ok(r.Record(end, first))
		r.ok(r.Wait(second, end))
		r.ok(r.launch(r.twice, second, uint64(r.words), 0))
		if got := r.word(second); got != 6 {
			t.Errorf("got %d, want 6", got)
		}
		r.ok(r.SyncEvent(end))
		if ms, err := r.Elapsed(begin, end); err != nil || ms < 0 {
			t.Errorf("%g ms, %v", ms, err)
		}
		r.ok(r.DestroyEvent(begin))
		if err := r.Record(begin, first); err == nil {
			t.Error("an event that was destroyed was recorded")
		}
		r.ok(r.Close())
	})
}

// A graph does nothing when it is made, and the same at every launch.
func TestGraphs(t *testing.T) {
	bothWays(t, func(t *testing.T, o emulated.Options) {
		r := newRig(t, o)
		s, err := r.NewStream()
		r.ok(err)
		r.ok(r.Sync(0))
		r.ok(r.BeginCapture(s))
		r.ok(r.launch(r.add, s, uint64(r.words), 1))
		r.ok(r.launch(r.twice, s, uint64(r.words), 0))
		if err := r.CopyOut(s, make([]byte, 4), r.words); err == nil {
			t.Error("a copy that waits was captured")
		}
		g, err := r.EndCapture(s)
		r.ok(err)
		if got := r.word(0); got != 0 {
			t.Errorf("capturing gave %d", got)
		}
		for _, want := range []uint32{2, 6, 14} {
			r.ok(r.LaunchGraph(g, s))
			if got := r.word(s); got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		}
		r.ok(r.DestroyGraph(g))
		if err := r.LaunchGraph(g, s); err == nil {
			t.Error("a graph that was destroyed was launched")
		}
		if _, err := r.EndCapture(s); err == nil {
			t.Error("a capture ended that had not begun")
		}
		r.ok(r.Close())
	})
}

// Memory in the order of a stream may be used by later work, and is given back
// after it.
func TestMemoryInStreamOrder(t *testing.T) {
	r := newRig(t, emulated.Options{Check: true, Lazy: true})
	s, err := r.NewStream()
	r.ok(err)
	p, err := r.AllocAsync(s, 128)
	r.ok(err)
	r.ok(r.Fill(s, p, 1, 128))
	r.ok(r.launch(r.add, s, uint64(p), 1))
	r.ok(r.Copy(s, r.words, p, 128))
	r.ok(r.FreeAsync(s, p))
	if got := r.word(s); got != 0x01010102 {
		t.Errorf("got %#x, want 0x1010102", got)
	}
	free, total, err := r.MemoryInfo()
	r.ok(err)
	if total-free != 128 {
		t.Errorf("%d bytes are in use, want 128", total-free)
	}
	if _, err := r.Alloc(total + 1); !errors.Is(err, driver.ErrMemory) {
		t.Errorf("more than all memory: %v", err)
	}
	r.ok(r.Close())
}

// What a kernel must not do is told where it did it, and stays with the device.
func TestFaultsStay(t *testing.T) {
	bothWays(t, func(t *testing.T, o emulated.Options) {
		r := newRig(t, o)
		r.ok(r.launch(r.add, 0, uint64(r.words)+64, 1)) // the upper half lies behind the end
		for _, err := range []error{r.Sync(0), r.launch(r.add, 0, uint64(r.words), 1), r.CopyOut(0, make([]byte, 4), r.words)} {
			if !errors.Is(err, driver.ErrFault) || !strings.Contains(fmt.Sprint(err), "kernels.ptx:13: out of bounds: kernel add, block [0 0 0], thread [16 0 0]") {
				t.Errorf("got %v, want the fault of line 13 in thread 16", err)
			}
		}
		r.ok(r.Close())
	})
}

func TestPTXIsRefused(t *testing.T) {
	for _, c := range []struct {
		arch     driver.Arch
		old, new string
		words    string
	}{
		{sm120, "shl.b32 %r4, %r3, 1;", "sqrl.b32 %r4, %r3;", "kernels.ptx:27: opcode sqrl is not known"},
		{sm120, "shl.b32 %r4, %r3, 1;", "shl.b32 %r9, %r3, 1;", "kernels.ptx:27:"},
		{sm90, ".target sm_89", ".target sm_120f", "sm_120f does not run on sm_90"},
		{sm90, ".target sm_89", ".target sm_120", "sm_120 does not run on sm_90"},
		{sm120, ".target sm_89", ".target sm_90a", "sm_90a does not run on sm_120"},
	} {
		d, err := emulated.Open(c.arch, emulated.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.LoadModule("kernels.ptx", strings.Replace(kernels, c.old, c.new, 1))
		if !errors.Is(err, driver.ErrJIT) || !strings.Contains(fmt.Sprint(err), c.words) {
			t.Errorf("%q on %v: %v, want %q", c.new, c.arch, err, c.words)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, arch := range []driver.Arch{sm120, {Major: 12, Minor: 1}} {
		d, err := emulated.Open(arch, emulated.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.LoadModule("kernels.ptx", strings.Replace(kernels, ".target sm_89", ".target sm_120f", 1)); err != nil {
			t.Errorf("sm_120f on %v: %v", arch, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := emulated.Open(driver.Arch{Major: 7, Minor: 5}, emulated.Options{}); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("sm_75: %v", err)
	}
}

func TestLaunchesAreRefused(t *testing.T) {
	r := newRig(t, emulated.Options{Check: true})
	l := driver.Launch{Function: r.add, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}}
	l.Push(uint64(r.words))
	l.Push(1)
	for what, change := range map[string]func(l *driver.Launch){
		"1025 threads":      func(l *driver.Launch) { l.Block[0] = 1025 },
		"no blocks":         func(l *driver.Launch) { l.Grid[1] = 0 },
		"65536 blocks in y": func(l *driver.Launch) { l.Grid[1] = 65536 },
		"one parameter":     func(l *driver.Launch) { l.Count = 1 },
		"48 KB and a byte":  func(l *driver.Launch) { l.Shared = 48<<10 + 1 },
		"no kernel":         func(l *driver.Launch) { l.Function = 0 },
	} {
		changed := l
		change(&changed)
		if err := r.Launch(changed); !errors.Is(err, driver.ErrLaunch) {
			t.Errorf("%s: %v, want %v", what, err, driver.ErrLaunch)
		}
	}
	r.ok(r.SetMaxDynamicShared(r.add, 99<<10))
	l.Shared = 99 << 10
	r.ok(r.Launch(l))
	if err := r.SetMaxDynamicShared(r.add, 99<<10+1); err == nil {
		t.Error("more shared memory than the chip has")
	}
	if got := r.word(0); got != 1 {
		t.Errorf("refused launches left %d, want 1", got)
	}
	if c := r.Counters(); len(c) != 1 || c[0].Kernel != "add" || c[0].Launches != 1 || c[0].Blocks != 1 || c[0].GlobalRead != 128 || c[0].GlobalWritten != 128 {
		t.Errorf("counted %+v, want one launch of one block that moves 128 bytes in and out", c)
	}
	r.ok(r.Close())
}

// After Close every call is an error, and no goroutine is left.
func TestClosed(t *testing.T) {
	before := runtime.NumGoroutine()
	r := newRig(t, emulated.Options{Check: true})
	for range 8 {
		s, err := r.NewStream()
		r.ok(err)
		p, err := r.Alloc(128)
		r.ok(err)
		r.ok(r.Fill(s, p, 0, 128))
		r.ok(r.launch(r.twice, s, uint64(p), 0))
	}
	r.ok(r.Close())
	_, allocErr := r.Alloc(1)
	_, streamErr := r.NewStream()
	_, loadErr := r.LoadModule("kernels.ptx", kernels)
	for i, err := range []error{r.Close(), allocErr, streamErr, loadErr, r.Sync(0), r.launch(r.add, 0, 0, 0), r.Free(r.words), r.Fill(0, r.words, 0, 1)} {
		if !errors.Is(err, driver.ErrUnavailable) {
			t.Errorf("call %d after Close: %v", i, err)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// A handle that the device does not know is an error.
func TestUnknownHandles(t *testing.T) {
	r := newRig(t, emulated.Options{Check: true})
	_, functionErr := r.Function(12345, "add")
	for i, err := range []error{
		r.Sync(999), r.Free(r.words + 1), r.UnloadModule(12345), functionErr, r.DestroyStream(999), r.DestroyEvent(999), r.DestroyGraph(999),
		r.launch(999, 0, 0, 0), r.Copy(0, r.words, r.words+64, 65), r.CopyIn(0, 0, []byte{1}),
	} {
		if err == nil {
			err = r.Sync(0)
		}
		if err == nil {
			t.Errorf("call %d was accepted", i)
		}
	}
	r.ok(r.Close())
}
