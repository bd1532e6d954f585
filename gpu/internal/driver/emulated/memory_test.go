package emulated

import (
	"errors"
	"math"
	"testing"

	"blockfp8/gpu/internal/driver"
)

// Copies and fills in every direction, with the bytes beside them left alone.
func TestCopies(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		b := newBench(t, Options{Check: true, Lazy: lazy}, nil)
		s := b.stream()
		p, q := b.memory(6), b.memory(6)
		in, err := b.AllocHost(6)
		b.ok(err)
		out, err := b.AllocHost(6)
		b.ok(err)
		copy(in, "abcdef")
		b.ok(b.Fill(s, p, 0x11, 6))
		b.ok(b.CopyInAsync(s, p+1, in[2:4]))
		b.ok(b.Fill(s, q, 0x22, 6))
		b.ok(b.Copy(s, q+3, p, 3))
		b.ok(b.Copy(s, q, p+4, 2))
		b.ok(b.CopyOutAsync(s, out[1:], q+1))
		b.ok(b.Sync(s))
		if want := "\x00\x11\x22\x11cd"; string(out) != want {
			t.Errorf("got %q, want %q", out, want)
		}
		if got, want := b.bytes(s, p, 6), "11 63 64 11 11 11"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		b.ok(b.CopyIn(s, p+5, []byte{9}))
		if got, want := b.bytes(s, p+4, 2), "11 09"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		b.ok(b.FreeHost(in))
		b.refused(b.FreeHost(in), driver.ErrFailed, "none that AllocHost returned")
		b.refused(b.FreeHost(out[1:]), driver.ErrFailed, "none that AllocHost returned")
		b.refused(b.FreeHost(nil), driver.ErrFailed, "none that AllocHost returned")
	}
}

// Ranges that are not there are refused at once and do the device no harm.
func TestCopiesOutOfRange(t *testing.T) {
	b := newBench(t, Options{}, nil)
	p := b.memory(8)
	pinned, err := b.AllocHost(9)
	b.ok(err)
	for _, err := range []error{
		b.CopyIn(0, p, make([]byte, 9)), b.CopyOut(0, make([]byte, 1), p+8), b.CopyInAsync(0, p, pinned), b.CopyOutAsync(0, pinned, p),
		b.Copy(0, p+1000, p, 1), b.Copy(0, p, p+1000, 1), b.Fill(0, p, 0, 9), b.Fill(0, p, 0, -1), b.Fill(0, 0, 0, 1), b.Fill(0, p, 0, math.MaxInt64),
		b.FreeAsync(0, p+512),
	} {
		b.refused(err, driver.ErrFailed, "are not allocated")
	}
	b.refused(b.FreeAsync(0, p+4), driver.ErrFailed, "0x700000004 lies in the allocation at 0x700000000")
	b.refused(b.Free(p+4), driver.ErrFailed, "no allocation")
	b.refused(b.Copy(0, p, p+3, 4), driver.ErrFailed, "overlap")
	b.refused(b.CopyInAsync(0, p, make([]byte, 8)), driver.ErrFailed, "none that AllocHost returned")
	b.refused(b.CopyOutAsync(0, make([]byte, 8), p), driver.ErrFailed, "none that AllocHost returned")
	for _, err := range []error{b.CopyIn(99, p, pinned[:1]), b.Fill(99, p, 0, 1), b.FreeAsync(99, p)} {
		b.refused(err, driver.ErrFailed, "there is no stream 99")
	}
	for _, err := range []error{ // nothing may come from anywhere
		b.CopyIn(0, 0, nil), b.CopyOut(0, nil, 0), b.CopyInAsync(0, 0, nil), b.CopyOutAsync(0, nil, 0), b.Copy(0, 0, 0, 0), b.Fill(0, 0, 0, 0),
		b.Sync(0),
	} {
		b.ok(err)
	}
}

func TestAllocations(t *testing.T) {
	b := newBench(t, Options{}, nil)
	for _, n := range []int64{0, -1} {
		_, err := b.Alloc(n)
		b.refused(err, driver.ErrFailed, "a positive number")
		_, err = b.AllocAsync(0, n)
		b.refused(err, driver.ErrFailed, "a positive number")
		_, err = b.AllocHost(int(n))
		b.refused(err, driver.ErrFailed, "a positive number")
	}
	_, err := b.Alloc(1 << 50)
	b.refused(err, driver.ErrMemory, "1125899906842624 bytes do not fit in the 4294967296 that are free")
	_, err = b.AllocAsync(0, 1<<50)
	b.refused(err, driver.ErrMemory, "1125899906842624 bytes do not fit")
	_, err = b.AllocHost(1 << 50)
	b.refused(err, driver.ErrMemory, "more than a device has")
	_, err = b.AllocAsync(99, 1)
	b.refused(err, driver.ErrFailed, "there is no stream 99")
	p := b.memory(100)
	if p%256 != 0 {
		t.Errorf("memory at %#x", p)
	}
	if free, total, err := b.MemoryInfo(); free != 4<<30-100 || total != 4<<30 || err != nil {
		t.Errorf("%d of %d bytes free, %v", free, total, err)
	}
	b.ok(b.Free(p))
	b.refused(b.Free(p), driver.ErrFailed, "100 that were freed")
}

// Memory in stream order is not there before its stream gets to it, and may be
// promised to work all the same.
func TestMemoryThatIsPromised(t *testing.T) {
	b := newBench(t, Options{Lazy: true}, nil)
	p, err := b.AllocAsync(0, 8)
	b.ok(err)
	b.refused(b.Free(p), driver.ErrFailed, "no allocation")
	b.ok(b.Fill(0, p+2, 5, 6))
	b.refused(b.Fill(0, p+2, 5, 7), driver.ErrFailed, "not allocated")
	if got := b.bytes(0, p+2, 6); got != "05 05 05 05 05 05" {
		t.Errorf("got %s", got)
	}
	b.ok(b.FreeAsync(0, p))
	b.ok(b.Fill(0, p, 5, 8)) // it is still there: the stream has not got to the free
	b.refused(b.Sync(0), driver.ErrFault, "8 that were freed")
}

// Memory that is freed under work is a fault where the work gets to it. A device
// with a fault does no more work and still gives everything back.
func TestFaultsLeaveTheDeviceClosable(t *testing.T) {
	ran := 0
	b := newBench(t, Options{Lazy: true}, func([]uint64) error { ran++; return errors.New("k.ptx:3: mine") })
	s, e, p := b.stream(), b.event(), b.memory(8)
	other := b.stream()
	host, err := b.AllocHost(8)
	b.ok(err)
	b.ok(b.BeginCapture(other))
	b.launch(s, 0)
	b.launch(s, 0)
	b.ok(b.Record(e, s))
	fault := b.SyncEvent(e)
	b.refused(fault, driver.ErrFault, "k.ptx:3: mine")
	if want := "launch k: device fault: k.ptx:3: mine"; fault.Error() != want {
		t.Errorf("got %q, want %q", fault, want)
	}
	if ran != 1 {
		t.Errorf("%d launches ran", ran)
	}
	_, allocErr := b.Alloc(1)
	_, asyncErr := b.AllocAsync(s, 1)
	_, hostErr := b.AllocHost(1)
	_, streamErr := b.NewStream()
	_, eventErr := b.NewEvent()
	_, loadErr := b.LoadModule("k.ptx", "")
	_, functionErr := b.Function(1, "k")
	_, elapsedErr := b.Elapsed(e, e)
	for i, err := range []error{
		allocErr, asyncErr, hostErr, streamErr, eventErr, loadErr, functionErr, elapsedErr, b.Sync(s), b.Record(e, s), b.Wait(s, e), b.SyncEvent(e),
		b.CopyIn(s, p, host), b.CopyOut(s, host, p), b.CopyInAsync(s, p, host), b.Fill(s, p, 0, 8), b.BeginCapture(s), b.LaunchGraph(1, s),
		b.Launch(driver.Launch{Function: b.kernel, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Count: 1}),
		b.FreeAsync(s, p), b.SetMaxDynamicShared(b.kernel, 1),
	} {
		if err != fault {
			t.Errorf("call %d after a fault: %v", i, err)
		}
	}
	g, err := b.EndCapture(other)
	b.ok(err)
	for _, err := range []error{b.DestroyGraph(g), b.DestroyEvent(e), b.DestroyStream(s), b.DestroyStream(other), b.FreeHost(host), b.Free(p)} {
		b.ok(err)
	}
	if free, total, err := b.MemoryInfo(); free != total || err != nil {
		t.Errorf("%d of %d bytes free, %v", free, total, err)
	}
	b.ok(b.Close())
	if c := b.Counters(); len(c) != 1 || c[0].Launches != 1 || c[0].Blocks != 1 {
		t.Errorf("counted %+v, want the launch that failed", c)
	}
}
