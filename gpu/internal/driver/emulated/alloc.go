package emulated

import (
	"fmt"

	"blockfp8/gpu/internal/driver"
)

// Alloc implements driver.Device.
func (d *Device) Alloc(bytes int64) (driver.Ptr, error) {
	op := fmt.Sprintf("allocate %d bytes", bytes)
	if err := d.begin(op); err != nil {
		return 0, err
	}
	d.mu.Unlock() // making memory takes its time
	if bytes <= 0 {
		return 0, refused(op, "a positive number is needed")
	}
	p, err := d.space.Alloc(bytes)
	return driver.Ptr(p), failure(op, driver.ErrFailed, err)
}

// Free implements driver.Device. Work that still uses the memory is a fault when
// it gets there.
func (d *Device) Free(p driver.Ptr) error {
	const op = "free memory"
	if err := d.enter(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	if err := d.space.Free(uint64(p)); err != nil {
		return failure(op, driver.ErrFailed, err)
	}
	delete(d.promised, p)
	return nil
}

// AllocAsync implements driver.Device. A graph that does it has the same address
// in every launch.
func (d *Device) AllocAsync(h driver.Stream, bytes int64) (driver.Ptr, error) {
	op := fmt.Sprintf("allocate %d bytes in stream order", bytes)
	if err := d.begin(op); err != nil {
		return 0, err
	}
	defer d.mu.Unlock()
	s, err := d.stream(h, op)
	if err != nil {
		return 0, err
	}
	if bytes <= 0 {
		return 0, refused(op, "a positive number is needed")
	}
	p, err := d.space.Reserve(bytes)
	if err != nil {
		return 0, failure(op, driver.ErrFailed, err)
	}
	d.promised[driver.Ptr(p)] = bytes
	s.add(operation{name: op, do: func() error { return d.space.Provide(p, bytes) }})
	return driver.Ptr(p), nil
}

// FreeAsync implements driver.Device.
func (d *Device) FreeAsync(h driver.Stream, p driver.Ptr) error {
	const op = "free memory in stream order"
	if err := d.begin(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	s, err := d.stream(h, op)
	if err != nil {
		return err
	}
	if err := d.freeable(op, p); err != nil {
		return err
	}
	delete(d.promised, p)
	s.add(operation{name: op, do: func() error { return d.space.Free(uint64(p)) }})
	return nil
}

// freeable tells whether an allocation begins there, or may when work that is given
// now gets to it. d.mu is held.
func (d *Device) freeable(op string, p driver.Ptr) error {
	if _, ok := d.promised[p]; ok {
		return nil
	}
	a, err := d.space.Find(uint64(p), 1)
	if err == nil && a.Base != uint64(p) {
		err = fmt.Errorf("%#x lies in the allocation at %#x", p, a.Base)
	}
	return failure(op, driver.ErrFailed, err)
}

// reachable tells whether bytes are there, or may be when work that is given now
// gets to them. d.mu is held.
func (d *Device) reachable(op string, p driver.Ptr, bytes int64) error {
	_, err := d.space.Find(uint64(p), int(bytes))
	if err == nil {
		return nil
	}
	for base, size := range d.promised {
		if p >= base && bytes >= 0 && bytes <= size && uint64(p-base) <= uint64(size-bytes) {
			return nil
		}
	}
	return failure(op, driver.ErrFailed, err)
}

// AllocHost implements driver.Device.
func (d *Device) AllocHost(bytes int) ([]byte, error) {
	op := fmt.Sprintf("allocate %d bytes of host memory", bytes)
	if err := d.begin(op); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	if bytes <= 0 {
		return nil, refused(op, "a positive number is needed")
	}
	if bytes > memoryBytes {
		return nil, &driver.Error{Op: op, Kind: driver.ErrMemory, Text: "more than a device has"}
	}
	b := make([]byte, bytes)
	d.pinned[&b[0]] = bytes
	return b, nil
}

// FreeHost implements driver.Device.
func (d *Device) FreeHost(b []byte) error {
	const op = "free host memory"
	if err := d.enter(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	if len(b) == 0 || d.pinned[&b[0]] == 0 {
		return refused(op, "it is none that AllocHost returned")
	}
	delete(d.pinned, &b[0])
	return nil
}
