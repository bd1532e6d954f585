package gpu

import (
	"errors"
	"fmt"
	"sync"

	"blockfp8/gpu/internal/driver"
	"blockfp8/scale"
)

// Buffer is device memory. It is safe for concurrent use; what two streams do to
// the same bytes at once is for the caller to order.
type Buffer struct {
	dev    *Device
	ptr    driver.Ptr
	bytes  int64
	owned  bool
	closed bool           // guarded by dev.life
	users  sync.WaitGroup // copies in progress
}

// NewBuffer allocates device memory. Its contents are undefined. 0 bytes are a
// valid buffer. Errors: scale.ErrShape for a negative size, ErrMemory.
func (d *Device) NewBuffer(bytes int64) (*Buffer, error) {
	if bytes < 0 {
		return nil, &scale.Mismatch{Kind: scale.ErrShape, What: "buffer", Want: "at least 0 bytes", Got: fmt.Sprint(bytes)}
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	p, err := d.alloc(bytes)
	if err != nil {
		return nil, err
	}
	return &Buffer{dev: d, ptr: p, bytes: bytes, owned: true}, nil
}

// WrapBuffer makes a Buffer of device memory that another library owns: bytes
// bytes at an address. Close the Buffer before that memory is freed.
func (d *Device) WrapBuffer(address uint64, bytes int64) (*Buffer, error) {
	if bytes < 0 || address == 0 && bytes > 0 {
		return nil, &scale.Mismatch{Kind: scale.ErrShape, What: "buffer", Want: "an address and at least 0 bytes", Got: fmt.Sprintf("%d bytes at %#x", bytes, address)}
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	return &Buffer{dev: d, ptr: driver.Ptr(address), bytes: bytes}, nil
}

// Address returns the address in device memory. It is valid until Close.
func (b *Buffer) Address() uint64 { return uint64(b.ptr) }

// Bytes returns the size.
func (b *Buffer) Bytes() int64 { return b.bytes }

// Write copies src to the buffer from byte offset on, in the order of the stream,
// and waits until src may be changed.
func (b *Buffer) Write(s *Stream, offset int64, src []byte) error {
	leave, err := b.enter(s, offset, int64(len(src)))
	if err != nil {
		return err
	}
	defer leave()
	if len(src) == 0 {
		return nil
	}
	return s.copyIn(b.ptr+driver.Ptr(offset), src)
}

// Read copies from the buffer to dst in the order of the stream and waits for it.
func (b *Buffer) Read(s *Stream, dst []byte, offset int64) error {
	leave, err := b.enter(s, offset, int64(len(dst)))
	if err != nil {
		return err
	}
	defer leave()
	if len(dst) == 0 {
		return nil
	}
	return s.copyOut(dst, b.ptr+driver.Ptr(offset))
}

// Copy gives the copy of bytes bytes of another buffer of the same device, or of
// another part of this one, to the stream and does not wait for it.
func (b *Buffer) Copy(s *Stream, offset int64, from *Buffer, fromOffset, bytes int64) error {
	leave, err := b.enter(s, offset, bytes)
	if err != nil {
		return err
	}
	defer leave()
	leaveFrom, err := from.enter(s, fromOffset, bytes)
	if err != nil {
		return err
	}
	defer leaveFrom()
	to, source := b.ptr+driver.Ptr(offset), from.ptr+driver.Ptr(fromOffset)
	if apart := max(to, source) - min(to, source); int64(apart) < bytes {
		return &scale.Mismatch{
			Kind: scale.ErrShape, What: "copy", Want: "ranges that do not overlap",
			Got: fmt.Sprintf("%d bytes at %#x and %#x", bytes, source, to),
		}
	}
	if bytes == 0 {
		return nil
	}
	return s.copy(to, source, bytes)
}

// Close waits until no work of the device's streams uses the memory and frees it,
// unless another library owns it.
func (b *Buffer) Close() error {
	if err := b.dev.enter(); err != nil {
		return err
	}
	defer b.dev.leave()
	wasClosed := false
	b.dev.fall(func() { wasClosed, b.closed = b.closed, true })
	if wasClosed {
		return b.closedError()
	}
	b.users.Wait()
	if !b.owned {
		return nil
	}
	return errors.Join(b.dev.quiesce(), b.dev.free(b.ptr))
}

func (b *Buffer) closedError() error {
	return &handleError{what: fmt.Sprintf("buffer of %d bytes", b.bytes), kind: ErrClosed}
}

// check tells whether work may use the buffer. dev.life is held.
func (b *Buffer) check() error {
	if b.closed {
		return b.closedError()
	}
	return nil
}

// enter lets a copy in a stream use n bytes from offset on until leave.
func (b *Buffer) enter(s *Stream, offset, n int64) (leave func(), err error) {
	b.dev.life.RLock()
	defer b.dev.life.RUnlock()
	if err := errors.Join(s.check(), b.check()); err != nil {
		return nil, err
	}
	if s.dev != b.dev {
		return nil, &handleError{what: "stream", kind: ErrUnsupported, why: "it belongs to another device than the buffer"}
	}
	if s.capture.Load() != nil {
		return nil, &handleError{what: "copy", kind: ErrCapture}
	}
	if offset < 0 || n < 0 || n > b.bytes-offset {
		return nil, &scale.Mismatch{
			Kind: scale.ErrShape, What: "copy", Want: fmt.Sprintf("bytes within the buffer's %d", b.bytes),
			Got: fmt.Sprintf("%d bytes from byte %d", n, offset),
		}
	}
	b.dev.users.Add(1)
	b.users.Add(1)
	return func() { b.users.Done(); b.dev.leave() }, nil
}
