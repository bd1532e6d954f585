package gpu

import "blockfp8/gpu/internal/driver"

// Event is a mark in a stream, for timing on the device's clock. It is safe for
// concurrent use, but two goroutines that record the same event overwrite each
// other's mark.
type Event struct {
	dev    *Device
	handle driver.Event
	closed bool // guarded by dev.life
}

// NewEvent makes an event.
func (d *Device) NewEvent() (*Event, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	h, err := d.drv.NewEvent()
	if err != nil {
		return nil, err
	}
	return &Event{dev: d, handle: h}, nil
}

// Record marks the work that the stream has been given so far. It allocates
// nothing and does not wait.
func (e *Event) Record(s *Stream) error {
	e.dev.life.RLock()
	defer e.dev.life.RUnlock()
	if err := s.check(); err != nil {
		return err
	}
	if e.closed {
		return e.closedError()
	}
	return s.record(e.handle)
}

// Since waits for both marks and returns the milliseconds from the other to this.
func (e *Event) Since(other *Event) (float64, error) {
	if err := e.enter(); err != nil {
		return 0, err
	}
	defer e.dev.leave()
	if err := other.enter(); err != nil {
		return 0, err
	}
	defer other.dev.leave()
	if other.dev != e.dev {
		return 0, &handleError{what: "event", kind: ErrUnsupported, why: "the other event belongs to another device"}
	}
	for _, h := range []driver.Event{other.handle, e.handle} {
		if err := e.dev.drv.SyncEvent(h); err != nil {
			return 0, err
		}
	}
	return e.dev.drv.Elapsed(other.handle, e.handle)
}

// Close destroys the event.
func (e *Event) Close() error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.dev.leave()
	wasClosed := false
	e.dev.fall(func() { wasClosed, e.closed = e.closed, true })
	if wasClosed {
		return e.closedError()
	}
	return e.dev.drv.DestroyEvent(e.handle)
}

func (e *Event) enter() error {
	e.dev.life.RLock()
	defer e.dev.life.RUnlock()
	switch {
	case e.dev.closed:
		return e.dev.closedError()
	case e.closed:
		return e.closedError()
	}
	e.dev.users.Add(1)
	return nil
}

func (e *Event) closedError() error { return &handleError{what: "event", kind: ErrClosed} }
