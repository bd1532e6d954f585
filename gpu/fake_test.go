package gpu

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"blockfp8/gpu/internal/driver"
)

// fakeDriver is a device in host memory. Work really stays in its stream until
// somebody waits for it, so that memory which is freed too early, or bits that
// change under work in flight, are seen. Kernels are run by the oracle.
type fakeDriver struct {
	arch driver.Arch

	mu       sync.Mutex
	next     uint64
	memory   map[driver.Ptr][]byte
	names    map[driver.Function]string
	streams  map[driver.Stream]*fakeStream
	events   map[driver.Event]fakeMark
	graphs   map[driver.Graph][]fakeWork
	launched []fakeLaunch
	failJIT  bool
	closed   bool
}

type fakeStream struct {
	queue   []fakeWork
	last    string // the kernel that was given last, "" if something else was
	done    int
	capture *[]fakeWork
	failed  error
}

// fakeLaunch is a kernel or an allocation that was given to a stream.
type fakeLaunch struct {
	name  string
	early bool // it may start before the launch before it has ended
}

type fakeMark struct {
	stream *fakeStream
	at     int
}

func newFake(arch driver.Arch) *fakeDriver {
	return &fakeDriver{
		arch: arch, next: 1 << 20, memory: map[driver.Ptr][]byte{}, names: map[driver.Function]string{},
		streams: map[driver.Stream]*fakeStream{0: {}}, events: map[driver.Event]fakeMark{}, graphs: map[driver.Graph][]fakeWork{},
	}
}

var errFake = errors.New("fake device")

func (d *fakeDriver) Name() string         { return "fake" }
func (d *fakeDriver) Arch() driver.Arch    { return d.arch }
func (d *fakeDriver) Multiprocessors() int { return 4 }
func (d *fakeDriver) Version() int         { return 0 }

func (d *fakeDriver) MemoryInfo() (free, total int64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.memory {
		free -= int64(len(m))
	}
	return free + 1<<30, 1 << 30, nil
}

func (d *fakeDriver) handle() uint64 { d.next++; return d.next }

func (d *fakeDriver) Alloc(bytes int64) (driver.Ptr, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if bytes <= 0 {
		return 0, fmt.Errorf("%w: allocation of %d bytes", errFake, bytes)
	}
	p := d.address(bytes)
	d.appear(p, bytes)
	return p, nil
}

// address returns one that was never used before.
func (d *fakeDriver) address(bytes int64) driver.Ptr {
	d.next = (d.next+4095)/4096*4096 + 4096
	p := driver.Ptr(d.next)
	d.next += uint64(bytes)
	return p
}

func (d *fakeDriver) appear(p driver.Ptr, bytes int64) {
	m := make([]byte, bytes)
	for i := range m {
		m[i] = 0xA5
	}
	d.memory[p] = m
}

func (d *fakeDriver) Free(p driver.Ptr) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.freeLocked(p)
}

func (d *fakeDriver) freeLocked(p driver.Ptr) error {
	if _, ok := d.memory[p]; !ok {
		return fmt.Errorf("%w: free of %#x", errFake, p)
	}
	delete(d.memory, p)
	return nil
}

func (d *fakeDriver) AllocAsync(s driver.Stream, bytes int64) (driver.Ptr, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.launched = append(d.launched, fakeLaunch{name: "alloc"})
	p := d.address(bytes)
	return p, d.giveLocked(s, fakeWork{do: func() error { d.appear(p, bytes); return nil }})
}

func (d *fakeDriver) FreeAsync(s driver.Stream, p driver.Ptr) error {
	return d.give(s, func() error { return d.freeLocked(p) })
}

func (d *fakeDriver) AllocHost(bytes int) ([]byte, error) { return make([]byte, bytes), nil }
func (d *fakeDriver) FreeHost([]byte) error               { return nil }

// at returns memory of the device; d.mu is held.
func (d *fakeDriver) at(p driver.Ptr, n int64) ([]byte, error) {
	for base, m := range d.memory {
		if p >= base && p <= base+driver.Ptr(len(m)) && int64(p-base)+n <= int64(len(m)) {
			return m[p-base : int64(p-base)+n], nil
		}
	}
	return nil, fmt.Errorf("%w: access to %d bytes at %#x, which are not allocated", errFake, n, p)
}

// give puts work into a stream.
func (d *fakeDriver) give(s driver.Stream, work func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.giveLocked(s, fakeWork{do: work})
}

func (d *fakeDriver) giveLocked(s driver.Stream, work fakeWork) error {
	stream, ok := d.streams[s]
	if !ok {
		return fmt.Errorf("%w: no stream %d", errFake, s)
	}
	stream.last = ""
	if stream.capture != nil {
		*stream.capture = append(*stream.capture, work)
		return nil
	}
	stream.queue = append(stream.queue, work)
	return nil
}

// finish does the stream's work up to a place in its queue.
func (s *fakeStream) finish(upTo int) error {
	for s.done < upTo {
		s.done++
		if err := perform(s.queue, s.done-1); err != nil && s.failed == nil {
			s.failed = err
		}
	}
	return s.failed
}

func (d *fakeDriver) Sync(s driver.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	stream, ok := d.streams[s]
	if !ok || stream.capture != nil {
		return fmt.Errorf("%w: sync of stream %d", errFake, s)
	}
	return stream.finish(len(stream.queue))
}

func (d *fakeDriver) CopyIn(s driver.Stream, dst driver.Ptr, src []byte) error {
	return errors.Join(d.CopyInAsync(s, dst, src), d.Sync(s))
}

func (d *fakeDriver) CopyOut(s driver.Stream, dst []byte, src driver.Ptr) error {
	return errors.Join(d.CopyOutAsync(s, dst, src), d.Sync(s))
}

func (d *fakeDriver) CopyInAsync(s driver.Stream, dst driver.Ptr, src []byte) error {
	return d.give(s, func() error {
		m, err := d.at(dst, int64(len(src)))
		copy(m, src)
		return err
	})
}

func (d *fakeDriver) CopyOutAsync(s driver.Stream, dst []byte, src driver.Ptr) error {
	return d.give(s, func() error {
		m, err := d.at(src, int64(len(dst)))
		copy(dst, m)
		return err
	})
}

func (d *fakeDriver) Copy(s driver.Stream, dst, src driver.Ptr, bytes int64) error {
	return d.give(s, func() error {
		to, err := d.at(dst, bytes)
		from, err2 := d.at(src, bytes)
		copy(to, from)
		return errors.Join(err, err2)
	})
}

func (d *fakeDriver) Fill(s driver.Stream, dst driver.Ptr, value byte, bytes int64) error {
	return d.give(s, func() error {
		m, err := d.at(dst, bytes)
		for i := range m {
			m[i] = value
		}
		return err
	})
}

func (d *fakeDriver) LoadModule(name, ptx string) (driver.Module, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failJIT {
		return 0, &driver.JITError{File: name, Device: d.Name(), Arch: d.arch, Target: driver.Target(ptx), Log: "line 1: fault", Cause: errFake}
	}
	return driver.Module(d.handle()), nil
}

func (d *fakeDriver) UnloadModule(driver.Module) error { return nil }

func (d *fakeDriver) Function(_ driver.Module, name string) (driver.Function, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := driver.Function(d.handle())
	d.names[f] = name
	return f, nil
}

func (d *fakeDriver) SetMaxDynamicShared(driver.Function, int) error { return nil }

func (d *fakeDriver) Launch(l driver.Launch) error {
	if err := l.Check(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	name := d.names[l.Function]
	d.launched = append(d.launched, fakeLaunch{name, l.Overlap})
	if err := d.checkEarly(&l); err != nil {
		return err
	}
	if err := d.giveLocked(l.Stream, d.work(name, &l)); err != nil {
		return err
	}
	d.streams[l.Stream].last = name
	return nil
}

// launches returns the names of what was started since the last call.
func (d *fakeDriver) launches() []string {
	var names []string
	for _, l := range d.starts() {
		names = append(names, l.name)
	}
	return names
}

// starts returns what was started since the last call, and how.
func (d *fakeDriver) starts() []fakeLaunch {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.launched
	d.launched = nil
	return all
}

func (d *fakeDriver) NewStream() (driver.Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := driver.Stream(d.handle())
	d.streams[s] = &fakeStream{}
	return s, nil
}

func (d *fakeDriver) DestroyStream(s driver.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.streams, s)
	return nil
}

func (d *fakeDriver) NewEvent() (driver.Event, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := driver.Event(d.handle())
	d.events[e] = fakeMark{}
	return e, nil
}

func (d *fakeDriver) DestroyEvent(e driver.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.events, e)
	return nil
}

func (d *fakeDriver) Record(e driver.Event, s driver.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	stream := d.streams[s]
	if stream == nil || stream.capture != nil {
		return fmt.Errorf("%w: record in stream %d", errFake, s)
	}
	stream.last = ""
	d.events[e] = fakeMark{stream, len(stream.queue)}
	return nil
}

func (d *fakeDriver) Wait(s driver.Stream, e driver.Event) error {
	return d.give(s, func() error { return d.events[e].finish() })
}

func (d *fakeDriver) SyncEvent(e driver.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.events[e].finish()
}

func (m fakeMark) finish() error {
	if m.stream == nil {
		return nil
	}
	return m.stream.finish(m.at)
}

func (d *fakeDriver) Elapsed(driver.Event, driver.Event) (float64, error) { return 1, nil }

func (d *fakeDriver) BeginCapture(s driver.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.streams[s].capture, d.streams[s].last = &[]fakeWork{}, ""
	return nil
}

func (d *fakeDriver) EndCapture(s driver.Stream) (driver.Graph, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := driver.Graph(d.handle())
	d.graphs[g] = *d.streams[s].capture
	d.streams[s].capture, d.streams[s].last = nil, ""
	return g, nil
}

func (d *fakeDriver) LaunchGraph(g driver.Graph, s driver.Stream) error {
	return d.give(s, func() error {
		var errs []error
		work := slices.Clone(d.graphs[g])
		for i := range work {
			errs = append(errs, perform(work, i))
		}
		return errors.Join(errs...)
	})
}

func (d *fakeDriver) DestroyGraph(g driver.Graph) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.graphs, g)
	return nil
}

func (d *fakeDriver) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if len(d.memory) > 0 {
		return fmt.Errorf("%w: %d allocations left", errFake, len(d.memory))
	}
	return nil
}
