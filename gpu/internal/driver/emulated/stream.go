package emulated

import (
	"blockfp8/gpu/internal/driver"
)

// stream is a queue of work. Its fields are guarded by device.mu.
type stream struct {
	device  *Device
	queue   []operation // what was given and is not begun
	given   uint64      // operations, ever
	begun   uint64
	wanted  uint64 // how many of them may be begun
	running bool
	capture *capture // nil while work is done
}

// operation is work for a stream.
type operation struct {
	name string // for errors
	do   func() error
	mark *mark // instead of do
}

// add puts work at the end of the stream, or into what it captures.
func (s *stream) add(ops ...operation) {
	if s.capture != nil {
		s.capture.operations = append(s.capture.operations, ops...)
		return
	}
	s.queue = append(s.queue, ops...)
	s.given += uint64(len(ops))
	if !s.device.options.Lazy {
		s.want(s.given)
	}
}

// want lets the stream begin its first n operations.
func (s *stream) want(n uint64) {
	s.wanted = max(s.wanted, n)
	if s.running || s.begun == s.wanted {
		return
	}
	s.running = true
	s.device.active.Add(1)
	go s.work()
}

// work does operations until none may be begun.
func (s *stream) work() {
	defer s.device.active.Done()
	for {
		o, ok := s.next()
		if !ok {
			return
		}
		s.perform(o)
	}
}

func (s *stream) next() (operation, bool) {
	s.device.mu.Lock()
	defer s.device.mu.Unlock()
	if s.begun == s.wanted {
		s.running = false
		return operation{}, false
	}
	o := s.queue[0]
	s.queue[0] = operation{}
	s.queue = s.queue[1:]
	s.begun++
	return o, true
}

// perform does an operation. After a fault only marks are made, for those who wait
// for them.
func (s *stream) perform(o operation) {
	if o.mark != nil {
		o.mark.happen()
		return
	}
	if !s.device.works() {
		return
	}
	if err := o.do(); err != nil {
		s.device.fail(o.name, err)
	}
}

// newMark puts a mark at the end of a stream that captures nothing.
func (s *stream) newMark() *mark {
	m := &mark{done: make(chan struct{}), stream: s}
	s.add(operation{mark: m})
	m.position = s.given
	return m
}

// stream returns the stream of a handle. device.mu is held.
func (d *Device) stream(h driver.Stream, op string) (*stream, error) {
	s, ok := d.streams[h]
	if !ok {
		return nil, refused(op, "there is no stream %d", h)
	}
	return s, nil
}

// workingStream is stream for calls that wait and cannot be captured.
func (d *Device) workingStream(h driver.Stream, op string) (*stream, error) {
	s, err := d.stream(h, op)
	if err == nil && s.capture != nil {
		return nil, refused(op, "the stream is being captured")
	}
	return s, err
}

// NewStream implements driver.Device.
func (d *Device) NewStream() (driver.Stream, error) {
	if err := d.begin("make stream"); err != nil {
		return 0, err
	}
	defer d.mu.Unlock()
	h := newHandle[driver.Stream]()
	d.streams[h] = &stream{device: d}
	return h, nil
}

// DestroyStream implements driver.Device.
func (d *Device) DestroyStream(h driver.Stream) error {
	const op = "destroy stream"
	if err := d.enter(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	s, err := d.workingStream(h, op)
	if err != nil {
		return err
	}
	if h == 0 {
		return refused(op, "it is the default stream")
	}
	s.want(s.given)
	delete(d.streams, h)
	return nil
}

// Sync implements driver.Device. After a fault it returns that, without waiting.
func (d *Device) Sync(h driver.Stream) error {
	m, err := d.mark(h, "wait for stream")
	if err != nil {
		return err
	}
	return m.await("wait for stream")
}

// mark puts a new mark into a stream.
func (d *Device) mark(h driver.Stream, op string) (*mark, error) {
	if err := d.begin(op); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	s, err := d.workingStream(h, op)
	if err != nil {
		return nil, err
	}
	return s.newMark(), nil
}
