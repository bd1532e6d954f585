package gpu

import (
	"errors"
	"sync"

	"blockfp8/gpu/internal/driver"
)

// registry knows the memory and the streams of a device: the first to free what
// is left when the device closes, the second to wait for work that may still use
// memory that is being given back.
type registry struct {
	mu          sync.Mutex
	memory      map[driver.Ptr]int64
	pinned      map[*byte][]byte
	streams     map[*Stream]struct{}
	graphs      map[driver.Graph]struct{}
	bytes       int64
	allocations int64
}

func (r *registry) allocated() (bytes, allocations int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes, r.allocations
}

// alloc returns device memory. 0 bytes are no memory and no allocation.
func (d *Device) alloc(bytes int64) (driver.Ptr, error) {
	if bytes == 0 {
		return 0, nil
	}
	p, err := d.drv.Alloc(bytes)
	if err != nil {
		return 0, err
	}
	r := &d.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.memory == nil {
		r.memory = map[driver.Ptr]int64{}
	}
	r.memory[p] = bytes
	r.bytes += bytes
	r.allocations++
	return p, nil
}

// count counts an allocation of memory that the registry does not hold.
func (r *registry) count() {
	r.mu.Lock()
	r.allocations++
	r.mu.Unlock()
}

// free gives memory of alloc back that no work uses any more.
func (d *Device) free(pointers ...driver.Ptr) error {
	var errs []error
	for _, p := range pointers {
		if p != 0 {
			d.registry.forget(p)
			errs = append(errs, d.drv.Free(p))
		}
	}
	return errors.Join(errs...)
}

func (r *registry) forget(p driver.Ptr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes -= r.memory[p]
	delete(r.memory, p)
}

// allocHost returns host memory for asynchronous copies.
func (d *Device) allocHost(bytes int) ([]byte, error) {
	b, err := d.drv.AllocHost(bytes)
	if err != nil {
		return nil, err
	}
	r := &d.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pinned == nil {
		r.pinned = map[*byte][]byte{}
	}
	r.pinned[&b[0]] = b
	return b, nil
}

func (d *Device) freeHost(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	r := &d.registry
	r.mu.Lock()
	delete(r.pinned, &b[0])
	r.mu.Unlock()
	return d.drv.FreeHost(b)
}

func (r *registry) addStream(s *Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streams == nil {
		r.streams = map[*Stream]struct{}{}
	}
	r.streams[s] = struct{}{}
}

func (r *registry) removeStream(s *Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.streams, s)
}

func (r *registry) addGraph(g driver.Graph) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.graphs == nil {
		r.graphs = map[driver.Graph]struct{}{}
	}
	r.graphs[g] = struct{}{}
}

func (r *registry) removeGraph(g driver.Graph) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.graphs, g)
}

func (r *registry) allStreams() []*Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	streams := make([]*Stream, 0, len(r.streams))
	for s := range r.streams {
		streams = append(streams, s)
	}
	return streams
}

// quiesce waits for all work that is in the device's streams now. Work that comes
// later is not waited for, so a busy stream cannot hold it up.
func (d *Device) quiesce() error {
	var errs []error
	var marks []driver.Event
	for _, s := range d.registry.allStreams() {
		e, err := s.mark()
		if err != nil {
			errs = append(errs, err)
		} else if e != 0 {
			marks = append(marks, e)
		}
	}
	for _, e := range marks {
		errs = append(errs, d.drv.SyncEvent(e), d.drv.DestroyEvent(e))
	}
	return errors.Join(errs...)
}

// releaseAll waits for every stream and frees everything.
func (r *registry) releaseAll(drv driver.Device) error {
	var errs []error
	for _, s := range r.allStreams() {
		errs = append(errs, s.abandonCapture(), s.wait(), s.destroy())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for g := range r.graphs {
		errs = append(errs, drv.DestroyGraph(g))
	}
	for p := range r.memory {
		errs = append(errs, drv.Free(p))
	}
	for _, b := range r.pinned {
		errs = append(errs, drv.FreeHost(b))
	}
	r.memory, r.pinned, r.streams, r.graphs, r.bytes = nil, nil, nil, nil, 0
	return errors.Join(errs...)
}
