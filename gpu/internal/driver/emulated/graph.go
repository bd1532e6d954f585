package emulated

import (
	"blockfp8/gpu/internal/driver"
)

// capture is the work that a stream collects.
type capture struct{ operations []operation }

// graph is captured work. It does not run beside itself: a launch waits for the
// one before it, as on a device.
type graph struct {
	operations []operation
	last       *mark // the end of the last launch, nil before the first
}

// BeginCapture implements driver.Device. One stream is captured at a time into one
// graph: other streams cannot join.
func (d *Device) BeginCapture(h driver.Stream) error {
	const op = "begin capture"
	if err := d.begin(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	s, err := d.workingStream(h, op)
	if err != nil {
		return err
	}
	s.capture = &capture{}
	return nil
}

// EndCapture implements driver.Device. It works after a fault, so that a capture
// can be ended.
func (d *Device) EndCapture(h driver.Stream) (driver.Graph, error) {
	const op = "end capture"
	if err := d.enter(op); err != nil {
		return 0, err
	}
	defer d.mu.Unlock()
	s, err := d.stream(h, op)
	if err != nil {
		return 0, err
	}
	if s.capture == nil {
		return 0, refused(op, "the stream is not being captured")
	}
	g := newHandle[driver.Graph]()
	d.graphs[g] = &graph{operations: s.capture.operations}
	s.capture = nil
	return g, nil
}

// LaunchGraph implements driver.Device.
func (d *Device) LaunchGraph(g driver.Graph, in driver.Stream) error {
	const op = "launch graph"
	if err := d.begin(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	s, err := d.stream(in, op)
	if err != nil {
		return err
	}
	launched, ok := d.graphs[g]
	if !ok {
		return refused(op, "there is no graph %d", g)
	}
	if s.capture != nil {
		s.add(launched.operations...)
		return nil
	}
	if launched.last != nil {
		s.waitFor(launched.last)
	}
	s.add(launched.operations...)
	launched.last = s.newMark()
	return nil
}

// DestroyGraph implements driver.Device.
func (d *Device) DestroyGraph(g driver.Graph) error {
	const op = "destroy graph"
	if err := d.enter(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	if _, ok := d.graphs[g]; !ok {
		return refused(op, "there is no graph %d", g)
	}
	delete(d.graphs, g)
	return nil
}
