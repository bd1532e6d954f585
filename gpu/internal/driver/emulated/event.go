package emulated

import (
	"time"

	"blockfp8/gpu/internal/driver"
)

// event is a name for the last mark that was recorded for it. mark is guarded by
// the device's lock, nil until the first record.
type event struct{ mark *mark }

// mark is a place in a stream, or in what a stream captures.
type mark struct {
	done     chan struct{} // closed when the work before it is done
	at       time.Time     // when that was; to be read after done
	stream   *stream
	position uint64   // in the stream
	capture  *capture // instead of all the above
}

func (m *mark) happen() {
	m.at = time.Now()
	close(m.done)
}

func (m *mark) happened() bool {
	if m == nil || m.capture != nil {
		return false
	}
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

// wait waits for the mark, whose work it asks for.
func (m *mark) wait() {
	d := m.stream.device
	d.mu.Lock()
	m.stream.want(m.position)
	d.mu.Unlock()
	<-m.done
}

// await is wait for a caller of the device, who learns of faults.
func (m *mark) await(op string) error {
	m.wait()
	d := m.stream.device
	if err := d.begin(op); err != nil {
		return err
	}
	d.mu.Unlock()
	return nil
}

// NewEvent implements driver.Device.
func (d *Device) NewEvent() (driver.Event, error) {
	if err := d.begin("make event"); err != nil {
		return 0, err
	}
	defer d.mu.Unlock()
	h := newHandle[driver.Event]()
	d.events[h] = &event{}
	return h, nil
}

// DestroyEvent implements driver.Device.
func (d *Device) DestroyEvent(h driver.Event) error {
	const op = "destroy event"
	if err := d.enter(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	if _, err := d.event(h, op); err != nil {
		return err
	}
	delete(d.events, h)
	return nil
}

// event returns the event of a handle. d.mu is held.
func (d *Device) event(h driver.Event, op string) (*event, error) {
	e, ok := d.events[h]
	if !ok {
		return nil, refused(op, "there is no event %d", h)
	}
	return e, nil
}

// Record implements driver.Device. A mark in a stream that is being captured can
// be waited for in the same capture only.
func (d *Device) Record(h driver.Event, in driver.Stream) error {
	const op = "record event"
	if err := d.begin(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	e, err := d.event(h, op)
	if err != nil {
		return err
	}
	s, err := d.stream(in, op)
	if err != nil {
		return err
	}
	if s.capture != nil {
		e.mark = &mark{capture: s.capture}
		return nil
	}
	e.mark = s.newMark()
	return nil
}

// Wait implements driver.Device. An event that was never recorded is not waited
// for. A capture cannot wait for work outside of it, nor that for a capture.
func (d *Device) Wait(in driver.Stream, h driver.Event) error {
	const op = "wait for event"
	if err := d.begin(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	s, err := d.stream(in, op)
	if err != nil {
		return err
	}
	e, err := d.event(h, op)
	if err != nil || e.mark == nil {
		return err
	}
	if s.capture != e.mark.capture {
		return refused(op, "the event was recorded in another capture, or in none")
	}
	if s.capture == nil {
		s.waitFor(e.mark)
	}
	return nil
}

// waitFor makes later work of the stream wait for a mark.
func (s *stream) waitFor(m *mark) {
	s.add(operation{name: "wait for event", do: func() error { m.wait(); return nil }})
}

// SyncEvent implements driver.Device. An event that was never recorded is not
// waited for.
func (d *Device) SyncEvent(h driver.Event) error {
	const op = "wait for event"
	m, err := d.recorded(h, op)
	if err != nil || m == nil {
		return err
	}
	return m.await(op)
}

// recorded returns the mark of an event, which a captured one does not have.
func (d *Device) recorded(h driver.Event, op string) (*mark, error) {
	if err := d.begin(op); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	e, err := d.event(h, op)
	if err != nil {
		return nil, err
	}
	if e.mark != nil && e.mark.capture != nil {
		return nil, refused(op, "the event was recorded in a capture")
	}
	return e.mark, nil
}

// Elapsed implements driver.Device, with the host's clock.
func (d *Device) Elapsed(from, to driver.Event) (float64, error) {
	const op = "time events"
	first, err := d.recorded(from, op)
	if err != nil {
		return 0, err
	}
	last, err := d.recorded(to, op)
	if err != nil {
		return 0, err
	}
	if !first.happened() || !last.happened() {
		return 0, refused(op, "an event has not happened yet")
	}
	return float64(last.at.Sub(first.at)) / float64(time.Millisecond), nil
}
