package gpu

import (
	"errors"

	"blockfp8/gpu/internal/driver"
)

// Graph is work that a stream collected, to be launched as one. It remembers the
// weights and buffers that the work uses: when one was updated, dropped or closed
// since, launching the graph is an error instead of old bits or a fault.
type Graph struct {
	dev    *Device
	handle driver.Graph
	uses   []dependency
	closed bool // guarded by dev.life
}

// dependency is something that captured work uses. check is called with dev.life
// held.
type dependency interface{ check() error }

// capture collects the dependencies of a graph in the making.
type capture struct{ uses map[dependency]struct{} }

func (c *capture) use(d dependency) { c.uses[d] = struct{}{} }

// Capture runs record, which gives work to the stream that is collected and not
// done, and returns that work as a graph. It waits for the stream's earlier work.
// If record fails, what it collected is thrown away and its error returned.
//
// Device calls of this package can be captured; host calls, Sync, Read and Write
// on this stream cannot (ErrCapture).
func (s *Stream) Capture(record func() error) (*Graph, error) {
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	c := &capture{uses: map[dependency]struct{}{}}
	if err := s.begin(c); err != nil {
		return nil, err
	}
	recordErr := record()
	handle, err := s.end()
	if recordErr != nil {
		if err == nil {
			err = s.dev.drv.DestroyGraph(handle)
		}
		return nil, errors.Join(recordErr, err)
	}
	if err != nil {
		return nil, err
	}
	g := &Graph{dev: s.dev, handle: handle}
	for d := range c.uses {
		g.uses = append(g.uses, d)
	}
	s.dev.registry.addGraph(handle)
	return g, nil
}

func (s *Stream) begin(c *capture) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.capture.Load() != nil {
		return &handleError{what: "stream", kind: ErrCapture, why: "a capture is in progress"}
	}
	if err := s.wait(); err != nil {
		return err
	}
	if err := s.beginCapture(); err != nil {
		return err
	}
	s.capture.Store(c)
	return nil
}

func (s *Stream) end() (driver.Graph, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capture.Store(nil)
	return s.endCapture()
}

// abandonCapture ends a capture that is in progress and throws it away.
func (s *Stream) abandonCapture() error {
	if s.capture.Load() == nil {
		return nil
	}
	g, err := s.end()
	if err != nil {
		return err
	}
	return s.dev.drv.DestroyGraph(g)
}

// Launch gives the graph's work to a stream. It allocates nothing and does not
// wait. Errors: ErrStale if a weight was updated or dropped since the capture,
// ErrClosed if something that the work uses was closed.
func (g *Graph) Launch(s *Stream) error {
	g.dev.life.RLock()
	defer g.dev.life.RUnlock()
	if err := g.check(s); err != nil {
		return err
	}
	return s.launchGraph(g.handle)
}

func (g *Graph) check(s *Stream) error {
	if err := s.check(); err != nil {
		return err
	}
	if s.dev != g.dev {
		return &handleError{what: "stream", kind: ErrUnsupported, why: "it belongs to another device than the graph"}
	}
	if g.closed {
		return &handleError{what: "graph", kind: ErrClosed}
	}
	for _, d := range g.uses {
		if err := d.check(); err != nil {
			return err
		}
	}
	return nil
}

// Close waits until the graph does not run any more and destroys it.
func (g *Graph) Close() error {
	if err := g.dev.enter(); err != nil {
		return err
	}
	defer g.dev.leave()
	wasClosed := false
	g.dev.fall(func() { wasClosed, g.closed = g.closed, true })
	if wasClosed {
		return &handleError{what: "graph", kind: ErrClosed}
	}
	err := g.dev.quiesce()
	g.dev.registry.removeGraph(g.handle)
	return errors.Join(err, g.dev.drv.DestroyGraph(g.handle))
}
