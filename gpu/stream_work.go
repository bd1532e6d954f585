package gpu

import "blockfp8/gpu/internal/driver"

// The methods of this file are the only ones that give a stream work, so that its
// order knows all of it. They allocate nothing beyond what the driver does.

// launch starts a kernel of the given ordering.
func (s *Stream) launch(l driver.Launch, k ordering) error {
	o := &s.order
	o.mu.Lock()
	defer o.mu.Unlock()
	l.Stream = s.handle
	l.Overlap = k == waitsInside && s.owned && o.early && o.others == 0
	err := s.dev.drv.Launch(l)
	o.early = err == nil && k != writesScales
	return err
}

func (s *Stream) copyIn(dst driver.Ptr, src []byte) error {
	s.order.begin()
	defer s.order.end()
	return s.dev.drv.CopyIn(s.handle, dst, src)
}

func (s *Stream) copyOut(dst []byte, src driver.Ptr) error {
	s.order.begin()
	defer s.order.end()
	return s.dev.drv.CopyOut(s.handle, dst, src)
}

func (s *Stream) copyInAsync(dst driver.Ptr, src []byte) error {
	s.order.begin()
	defer s.order.end()
	return s.dev.drv.CopyInAsync(s.handle, dst, src)
}

func (s *Stream) copyOutAsync(dst []byte, src driver.Ptr) error {
	s.order.begin()
	defer s.order.end()
	return s.dev.drv.CopyOutAsync(s.handle, dst, src)
}

func (s *Stream) copy(dst, src driver.Ptr, bytes int64) error {
	s.order.begin()
	defer s.order.end()
	return s.dev.drv.Copy(s.handle, dst, src, bytes)
}

// alloc returns memory that lives in the order of the stream, until free. It counts
// as an allocation, not as bytes that the device holds.
func (s *Stream) alloc(bytes int64) (driver.Ptr, error) {
	s.order.begin()
	defer s.order.end()
	p, err := s.dev.drv.AllocAsync(s.handle, bytes)
	if err == nil {
		s.dev.registry.count()
	}
	return p, err
}

func (s *Stream) free(p driver.Ptr) error {
	s.order.begin()
	defer s.order.end()
	return s.dev.drv.FreeAsync(s.handle, p)
}

func (s *Stream) record(e driver.Event) error {
	s.order.begin()
	defer s.order.end()
	return s.dev.drv.Record(e, s.handle)
}

func (s *Stream) launchGraph(g driver.Graph) error {
	s.order.begin()
	defer s.order.end()
	return s.dev.drv.LaunchGraph(g, s.handle)
}

func (s *Stream) beginCapture() error {
	s.order.begin()
	defer s.order.end()
	return s.dev.drv.BeginCapture(s.handle)
}

func (s *Stream) endCapture() (driver.Graph, error) {
	s.order.begin()
	defer s.order.end()
	return s.dev.drv.EndCapture(s.handle)
}

// wait waits for all work of the stream. It gives none.
func (s *Stream) wait() error { return s.dev.drv.Sync(s.handle) }
