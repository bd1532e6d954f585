package emulated

import (
	"unsafe"

	"blockfp8/gpu/internal/driver"
)

const (
	copyIn  = "copy to device"
	copyOut = "copy from device"
)

// CopyIn implements driver.Device. It waits for the copy.
func (d *Device) CopyIn(h driver.Stream, dst driver.Ptr, src []byte) error {
	return d.copyAndWait(h, copyIn, dst, len(src), func() error { return d.space.Write(uint64(dst), src) })
}

// CopyOut implements driver.Device.
func (d *Device) CopyOut(h driver.Stream, dst []byte, src driver.Ptr) error {
	return d.copyAndWait(h, copyOut, src, len(dst), func() error { return d.space.Read(dst, uint64(src)) })
}

func (d *Device) copyAndWait(h driver.Stream, op string, p driver.Ptr, bytes int, do func() error) error {
	m, err := d.giveMarked(h, op, p, bytes, do)
	if err != nil {
		return err
	}
	return m.await(op)
}

// giveMarked puts a copy and a mark into a stream.
func (d *Device) giveMarked(h driver.Stream, op string, p driver.Ptr, bytes int, do func() error) (*mark, error) {
	if err := d.begin(op); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	s, err := d.workingStream(h, op)
	if err != nil {
		return nil, err
	}
	if bytes > 0 {
		if err := d.reachable(op, p, int64(bytes)); err != nil {
			return nil, err
		}
		s.add(operation{name: op, do: do})
	}
	return s.newMark(), nil
}

// CopyInAsync implements driver.Device. Host memory that AllocHost did not return
// is an error.
func (d *Device) CopyInAsync(h driver.Stream, dst driver.Ptr, src []byte) error {
	return d.copyAsync(h, copyIn, dst, src, func() error { return d.space.Write(uint64(dst), src) })
}

// CopyOutAsync implements driver.Device, with host memory as CopyInAsync.
func (d *Device) CopyOutAsync(h driver.Stream, dst []byte, src driver.Ptr) error {
	return d.copyAsync(h, copyOut, src, dst, func() error { return d.space.Read(dst, uint64(src)) })
}

func (d *Device) copyAsync(h driver.Stream, op string, p driver.Ptr, host []byte, do func() error) error {
	return d.giveCopy(h, op, int64(len(host)), do, func() error {
		if !d.isPinned(host) {
			return refused(op, "the host memory is none that AllocHost returned")
		}
		return d.reachable(op, p, int64(len(host)))
	})
}

// giveCopy puts a copy into a stream that passes a check, which is made with d.mu
// held. A copy of nothing is none.
func (d *Device) giveCopy(h driver.Stream, op string, bytes int64, do, check func() error) error {
	if err := d.begin(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	s, err := d.stream(h, op)
	if err != nil || bytes == 0 {
		return err
	}
	if err := check(); err != nil {
		return err
	}
	s.add(operation{name: op, do: do})
	return nil
}

// isPinned reports whether all of b lies in memory of AllocHost. d.mu is held.
func (d *Device) isPinned(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	for first, bytes := range d.pinned {
		base := uintptr(unsafe.Pointer(first))
		if at >= base && at-base <= uintptr(bytes) && uintptr(len(b)) <= uintptr(bytes)-(at-base) {
			return true
		}
	}
	return false
}

// Copy implements driver.Device. Ranges that overlap are an error.
func (d *Device) Copy(h driver.Stream, dst, src driver.Ptr, bytes int64) error {
	const op = "copy"
	do := func() error { return d.space.Copy(uint64(dst), uint64(src), int(bytes)) }
	return d.giveCopy(h, op, bytes, do, func() error {
		if err := d.reachable(op, src, bytes); err != nil {
			return err
		}
		if err := d.reachable(op, dst, bytes); err != nil {
			return err
		}
		if apart := max(dst, src) - min(dst, src); apart < driver.Ptr(bytes) {
			return refused(op, "%d bytes at %#x and at %#x overlap", bytes, src, dst)
		}
		return nil
	})
}

// Fill implements driver.Device.
func (d *Device) Fill(h driver.Stream, dst driver.Ptr, value byte, bytes int64) error {
	const op = "fill"
	do := func() error { return d.space.Fill(uint64(dst), value, int(bytes)) }
	return d.giveCopy(h, op, bytes, do, func() error { return d.reachable(op, dst, bytes) })
}
