package emulated

import (
	"slices"
	"sync"
	"testing"
	"time"

	"blockfp8/gpu/internal/driver"
)

// A launch returns while its kernel still runs, and the streams run beside each
// other: the kernel of one ends when that of the other has begun, and the other
// way round.
func TestStreamsRunBesideEachOther(t *testing.T) {
	begun := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	b := newBench(t, Options{}, func(p []uint64) error {
		close(begun[p[0]])
		<-begun[1-p[0]]
		return nil
	})
	first, second := b.stream(), b.stream()
	b.launch(first, 0)
	soon(t, "the kernel of the first stream", begun[0])
	b.launch(second, 1)
	b.ok(b.Sync(first))
	b.ok(b.Sync(second))
}

// Lazy streams begin nothing before somebody waits, and then no more than is
// waited for.
func TestLazyStreamsWait(t *testing.T) {
	var ran []uint64
	b := newBench(t, Options{Lazy: true}, func(p []uint64) error { ran = append(ran, p[0]); return nil })
	s, other, e := b.stream(), b.stream(), b.event()
	b.launch(s, 1)
	b.ok(b.Record(e, s))
	b.launch(s, 2)
	b.launch(other, 3)
	b.ok(b.Wait(other, e))
	b.launch(other, 4)
	b.ok(b.SyncEvent(e))
	if want := []uint64{1}; !slices.Equal(ran, want) {
		t.Errorf("waiting for the event ran %v, want %v", ran, want)
	}
	b.ok(b.Sync(other))
	if want := []uint64{1, 3, 4}; !slices.Equal(ran, want) {
		t.Errorf("waiting for the other stream ran %v, want %v", ran, want)
	}
	b.ok(b.Sync(s))
	if want := []uint64{1, 3, 4, 2}; !slices.Equal(ran, want) {
		t.Errorf("all ran as %v, want %v", ran, want)
	}
}

// A stream that waits for an event in a lazy stream makes that do its work.
func TestWaitingReachesLazyStreams(t *testing.T) {
	var ran []uint64
	b := newBench(t, Options{Lazy: true}, func(p []uint64) error { ran = append(ran, p[0]); return nil })
	s, other, e := b.stream(), b.stream(), b.event()
	b.launch(s, 1)
	b.ok(b.Record(e, s))
	b.ok(b.Wait(other, e))
	b.launch(other, 2)
	b.ok(b.Sync(other))
	if want := []uint64{1, 2}; !slices.Equal(ran, want) {
		t.Errorf("ran %v, want %v", ran, want)
	}
}

// Destroying a stream does not wait, and its work still gets done.
func TestDestroyedStreamsFinish(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		open, done := make(chan struct{}), make(chan struct{})
		b := newBench(t, Options{Lazy: lazy}, func(p []uint64) error {
			if p[0] == 1 {
				<-open
			} else {
				close(done)
			}
			return nil
		})
		s := b.stream()
		b.launch(s, 1)
		b.launch(s, 2)
		b.ok(b.DestroyStream(s))
		b.refused(b.Sync(s), driver.ErrFailed, "there is no stream")
		close(open)
		soon(t, "the work of a destroyed stream", done)
	}
	b := newBench(t, Options{}, nil)
	b.refused(b.DestroyStream(0), driver.ErrFailed, "default stream")
}

// An event is its last mark. Marks have happened when the work before them has.
func TestEvents(t *testing.T) {
	open := make(chan struct{})
	b := newBench(t, Options{}, func([]uint64) error { <-open; return nil })
	s, other := b.stream(), b.stream()
	never, from, to := b.event(), b.event(), b.event()
	b.ok(b.SyncEvent(never))
	b.ok(b.Wait(s, never))
	b.ok(b.Record(from, s))
	b.ok(b.SyncEvent(from))
	b.launch(s, 0)
	b.ok(b.Record(to, s))
	_, err := b.Elapsed(from, to)
	b.refused(err, driver.ErrFailed, "not happened")
	_, err = b.Elapsed(never, from)
	b.refused(err, driver.ErrFailed, "not happened")
	close(open)
	b.ok(b.SyncEvent(to))
	forth, err := b.Elapsed(from, to)
	b.ok(err)
	back, err := b.Elapsed(to, from)
	b.ok(err)
	if forth <= 0 || back != -forth {
		t.Errorf("%g ms forth and %g back", forth, back)
	}
	b.ok(b.Record(from, other)) // the mark moves behind the other event's
	b.ok(b.SyncEvent(from))
	if ms, err := b.Elapsed(to, from); err != nil || ms < 0 {
		t.Errorf("%g ms, %v after the mark moved", ms, err)
	}
	for _, err := range []error{b.Record(99, s), b.Wait(s, 99), b.SyncEvent(99), b.DestroyEvent(99)} {
		b.refused(err, driver.ErrFailed, "there is no event 99")
	}
	for _, err := range []error{b.Record(from, 99), b.Wait(99, from), b.BeginCapture(99)} {
		b.refused(err, driver.ErrFailed, "there is no stream 99")
	}
	_, err = b.Elapsed(99, from)
	b.refused(err, driver.ErrFailed, "there is no event 99")
	_, err = b.Elapsed(from, 99)
	b.refused(err, driver.ErrFailed, "there is no event 99")
}

// What waits, and what reaches out of a capture, is no part of it.
func TestCaptureIsAlone(t *testing.T) {
	b := newBench(t, Options{}, func([]uint64) error { return nil })
	s, other := b.stream(), b.stream()
	outside, inside := b.event(), b.event()
	p := b.memory(8)
	b.ok(b.Record(outside, other))
	b.ok(b.BeginCapture(s))
	b.ok(b.Record(inside, s))
	b.ok(b.Wait(s, inside))
	for _, err := range []error{
		b.BeginCapture(s), b.Sync(s), b.DestroyStream(s), b.CopyIn(s, p, make([]byte, 8)), b.CopyOut(s, make([]byte, 8), p),
	} {
		b.refused(err, driver.ErrFailed, "being captured")
	}
	b.refused(b.Wait(s, outside), driver.ErrFailed, "another capture, or in none")
	b.refused(b.Wait(other, inside), driver.ErrFailed, "another capture, or in none")
	b.refused(b.SyncEvent(inside), driver.ErrFailed, "in a capture")
	_, err := b.Elapsed(outside, inside)
	b.refused(err, driver.ErrFailed, "in a capture")
	_, err = b.EndCapture(other)
	b.refused(err, driver.ErrFailed, "not being captured")
	_, err = b.EndCapture(99)
	b.refused(err, driver.ErrFailed, "there is no stream 99")
	g, err := b.EndCapture(s)
	b.ok(err)
	b.refused(b.LaunchGraph(g, 99), driver.ErrFailed, "there is no stream 99")
	b.refused(b.LaunchGraph(99, s), driver.ErrFailed, "there is no graph 99")
	b.ok(b.Sync(s))
}

// A graph in a graph is its work, and a graph that allocates can run again and
// again, in two streams too: its launches wait for each other.
func TestGraphsWithMemory(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		b := newBench(t, Options{Check: true, Lazy: lazy}, nil)
		s, other := b.stream(), b.stream()
		b.ok(b.BeginCapture(s))
		p, err := b.AllocAsync(s, 64)
		b.ok(err)
		b.ok(b.Fill(s, p, 7, 64))
		b.ok(b.FreeAsync(s, p))
		inner, err := b.EndCapture(s)
		b.ok(err)
		b.ok(b.BeginCapture(s))
		b.ok(b.LaunchGraph(inner, s))
		b.ok(b.LaunchGraph(inner, s))
		outer, err := b.EndCapture(s)
		b.ok(err)
		for range 20 {
			b.ok(b.LaunchGraph(outer, s))
			b.ok(b.LaunchGraph(outer, other))
		}
		b.ok(b.Sync(s))
		b.ok(b.Sync(other))
		if free, total, err := b.MemoryInfo(); err != nil || free != total {
			t.Errorf("%d of %d bytes free, %v", free, total, err)
		}
		b.ok(b.DestroyGraph(inner))
		b.ok(b.DestroyGraph(outer))
		b.refused(b.DestroyGraph(outer), driver.ErrFailed, "there is no graph")
	}
}

// Close throws work away that has not begun, waits for what has, and answers
// whoever still waits.
func TestCloseEndsWaiting(t *testing.T) {
	begun, open := make(chan struct{}), make(chan struct{})
	ended := false
	b := newBench(t, Options{}, func(p []uint64) error {
		if p[0] == 2 {
			t.Error("work began after Close")
		}
		close(begun)
		<-open
		ended = true
		return nil
	})
	s := b.stream()
	b.launch(s, 1)
	b.launch(s, 2)
	m, err := b.mark(s, "wait")
	b.ok(err)
	var all sync.WaitGroup
	all.Go(func() { b.refused(m.await("wait"), driver.ErrUnavailable, "closed") })
	soon(t, "the kernel", begun)
	all.Go(func() {
		for b.works() {
			time.Sleep(time.Millisecond)
		}
		close(open)
	})
	b.ok(b.Close())
	if !ended {
		t.Error("Close did not wait for the kernel")
	}
	all.Wait()
}
