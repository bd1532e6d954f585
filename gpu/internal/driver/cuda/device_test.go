//go:build cuda && cgo

package cuda

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"blockfp8/gpu/internal/driver"
)

// addKernel adds a number to every byte of n.
const addKernel = `.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 p, .param .u64 n, .param .u64 v)
{
	.reg .pred %q;
	.reg .b32 %r<5>;
	.reg .b64 %a<5>;
	ld.param.u64 %a1, [p];
	ld.param.u64 %a2, [n];
	ld.param.u32 %r1, [v];
	mov.u32 %r2, %tid.x;
	cvt.u64.u32 %a3, %r2;
	setp.ge.u64 %q, %a3, %a2;
	@%q bra done;
	cvta.to.global.u64 %a1, %a1;
	add.s64 %a4, %a1, %a3;
	ld.global.u8 %r3, [%a4];
	add.s32 %r4, %r3, %r1;
	st.global.u8 [%a4], %r4;
done:
	ret;
}
`

func openDevice(t *testing.T) driver.Device {
	t.Helper()
	d, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func check0(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestDevice(t *testing.T) {
	d := openDevice(t)
	free, total, err := d.MemoryInfo()
	check0(t, err)
	if d.Name() == "" || d.Arch().Major < 5 || d.Multiprocessors() < 1 || free <= 0 || free > total {
		t.Errorf("%q, %v, %d processors, %d of %d bytes free", d.Name(), d.Arch(), d.Multiprocessors(), free, total)
	}
	_, err = Open(1 << 20)
	if !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("device %d: %v", 1<<20, err)
	}
	_, err = d.Alloc(1 << 50)
	if !errors.Is(err, driver.ErrMemory) {
		t.Errorf("a petabyte: %v", err)
	}
}

func TestJITFailureSaysWhy(t *testing.T) {
	d := openDevice(t)
	for name, text := range map[string]string{
		"fault":   strings.Replace(addKernel, "add.s64", "add.nonsense", 1),
		"target":  strings.Replace(addKernel, "sm_80", "sm_999", 1),
		"version": strings.Replace(addKernel, "8.0", "99.0", 1),
	} {
		_, err := d.LoadModule(name+".ptx", text)
		var jit *driver.JITError
		if !errors.As(err, &jit) || !errors.Is(err, driver.ErrJIT) || jit.Device != d.Name() || jit.Log == "" {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if (jit.Target == "sm_999") != (name == "target") {
			t.Errorf("%s: target %q", name, jit.Target)
		}
		t.Logf("%s: %v", name, err)
	}
}

// Launches, copies, events and graphs from many goroutines, each on whatever
// thread it happens to be.
func TestCallsFromGoroutines(t *testing.T) {
	d := openDevice(t)
	m, err := d.LoadModule("add.ptx", addKernel)
	check0(t, err)
	f, err := d.Function(m, "add")
	check0(t, err)
	if _, err := d.Function(m, "missing"); err == nil {
		t.Error("a kernel that does not exist was found")
	}
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			if err := addOnStream(d, f, byte(g)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	check0(t, d.UnloadModule(m))
}

func addOnStream(d driver.Device, f driver.Function, v byte) (err error) {
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	const n = 200
	p, err := d.Alloc(n)
	if err != nil {
		return err
	}
	host, err := d.AllocHost(n)
	if err != nil {
		return err
	}
	from, err1 := d.NewEvent()
	to, err2 := d.NewEvent()
	if err := errors.Join(err1, err2, d.Fill(s, p, 3, n), d.Record(from, s)); err != nil {
		return err
	}
	l := driver.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{256, 1, 1}, Stream: s}
	l.Push(uint64(p))
	l.Push(n)
	l.Push(uint64(v))
	for range 5 {
		if err := d.Launch(l); err != nil {
			return err
		}
	}
	if err := d.BeginCapture(s); err != nil {
		return err
	}
	if err := d.Launch(l); err != nil {
		return err
	}
	g, err := d.EndCapture(s)
	if err != nil {
		return err
	}
	err = errors.Join(d.LaunchGraph(g, s), d.LaunchGraph(g, s), d.Record(to, s), d.CopyOutAsync(s, host, p), d.Sync(s))
	if want := bytes.Repeat([]byte{3 + 7*v}, n); err == nil && !bytes.Equal(host, want) {
		err = errors.New("the kernel's results are wrong")
	}
	ms, elapsedErr := d.Elapsed(from, to)
	if elapsedErr == nil && ms <= 0 {
		elapsedErr = errors.New("no time passed")
	}
	return errors.Join(err, elapsedErr, d.DestroyGraph(g), d.DestroyEvent(from), d.DestroyEvent(to), d.FreeHost(host), d.Free(p), d.DestroyStream(s))
}

func TestLaunchRefused(t *testing.T) {
	d := openDevice(t)
	m, err := d.LoadModule("add.ptx", addKernel)
	check0(t, err)
	f, err := d.Function(m, "add")
	check0(t, err)
	l := driver.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1 << 20, 1, 1}}
	l.Count = 3
	if err := d.Launch(l); !errors.Is(err, driver.ErrLaunch) {
		t.Errorf("a block of 2^20 threads: %v", err)
	}
}
