package gpu

import (
	"errors"
	"sync"
	"sync/atomic"

	"blockfp8/gpu/internal/driver"
)

// Stream is a queue of work: what is given to it happens in that order, and
// nothing waits for it but Sync. It is safe for concurrent use, except that work
// may be given to a stream that is being captured only by the function that
// Capture runs.
type Stream struct {
	dev    *Device
	handle driver.Stream
	owned  bool
	closed bool // guarded by dev.life
	order  order

	// mu is held to begin and end a capture, to mark the stream and to destroy it.
	mu        sync.Mutex
	destroyed bool
	capture   atomic.Pointer[capture]
}

// NewStream makes a stream.
func (d *Device) NewStream() (*Stream, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	h, err := d.drv.NewStream()
	if err != nil {
		return nil, err
	}
	return d.addStream(h, true), nil
}

// WrapStream makes a Stream of one that another library made on this device (a
// CUstream as a number; 0 is the default stream). The device waits for it before
// it frees memory, so close the Stream before the other library destroys its own.
//
// Multiplications in it do not overlap with each other, as they do in a stream of
// NewStream where the kernels can: what that library gives it between them is not
// known here.
//
// Work that is given to a wrapped stream while the other library captures it goes
// into that library's graph. This package cannot tell when such a graph has
// become stale: capture it again after Update.
func (d *Device) WrapStream(handle uint64) (*Stream, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	return d.addStream(driver.Stream(handle), false), nil
}

func (d *Device) addStream(h driver.Stream, owned bool) *Stream {
	s := &Stream{dev: d, handle: h, owned: owned}
	d.registry.addStream(s)
	return s
}

// Handle returns the number by which the driver knows the stream, a CUstream. A kernel
// that another library starts in it before earlier work has ended (programmatic
// dependent launch) must itself wait for that work.
func (s *Stream) Handle() uint64 { return uint64(s.handle) }

// Sync waits for all work of the stream.
func (s *Stream) Sync() error {
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	return s.wait()
}

// Close waits for the stream's work and destroys the stream, unless another
// library owns it. Work must not be given to it meanwhile.
func (s *Stream) Close() error {
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	wasClosed := false
	s.dev.fall(func() { wasClosed, s.closed = s.closed, true })
	if wasClosed {
		return s.closedError()
	}
	err = errors.Join(s.abandonCapture(), s.wait())
	s.dev.registry.removeStream(s)
	return errors.Join(err, s.destroy())
}

func (s *Stream) destroy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.destroyed = true
	if !s.owned {
		return nil
	}
	return s.dev.drv.DestroyStream(s.handle)
}

// check tells whether work can be given to the stream. dev.life is held.
func (s *Stream) check() error {
	switch {
	case s == nil:
		return &handleError{what: "stream", kind: ErrClosed, why: "it is nil"}
	case s.dev.closed:
		return s.dev.closedError()
	case s.closed:
		return s.closedError()
	}
	return nil
}

func (s *Stream) closedError() error { return &handleError{what: "stream", kind: ErrClosed} }

// enter lets a call that may wait use the stream until leave.
func (s *Stream) enter() (leave func(), err error) {
	s.dev.life.RLock()
	defer s.dev.life.RUnlock()
	if err := s.check(); err != nil {
		return nil, err
	}
	s.dev.users.Add(1)
	return s.dev.leave, nil
}

// mark records a new event in the stream. A stream that is being captured or was
// destroyed does no work, and what it did before was waited for: it gets none.
func (s *Stream) mark() (driver.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.destroyed || s.capture.Load() != nil {
		return 0, nil
	}
	e, err := s.dev.drv.NewEvent()
	if err != nil {
		return 0, err
	}
	if err := s.record(e); err != nil {
		return 0, errors.Join(err, s.dev.drv.DestroyEvent(e))
	}
	return e, nil
}
