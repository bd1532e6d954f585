package gpu

import (
	"errors"

	"blockfp8/gpu/internal/driver"
)

// Sentinels for errors.Is, next to those of package scale: a wrong shape, stride,
// block or scale is a *scale.Mismatch here too.
var (
	// ErrUnavailable: there is no such device, no driver, or the program was
	// built without the tag cuda. The error's text says which.
	ErrUnavailable = driver.ErrUnavailable
	// ErrClosed: the device, weight, buffer, stream or graph was closed.
	ErrClosed = errors.New("closed")
	// ErrStale: the weight's memory was dropped, or was updated after what is used
	// here was taken from it (a graph, or an earlier generation's view).
	ErrStale = errors.New("stale")
	// ErrUnsupported: no kernel of this module does that on that device.
	ErrUnsupported = driver.ErrUnsupported
	// ErrCapture: the call cannot be part of a graph, or the stream is not in the
	// state that it needs.
	ErrCapture = errors.New("not possible during capture")
	// ErrMemory: the device has not enough memory.
	ErrMemory = driver.ErrMemory
	// ErrFault: a kernel did what it must not. On an emulated device the error says
	// what, and where in the kernel's source. The device does no more work: close it.
	ErrFault = driver.ErrFault
	// ErrJIT: the driver does not accept a kernel's PTX; see JITError.
	ErrJIT = driver.ErrJIT
)

// JITError is a kernel that the driver could not compile, with its log, the
// device and the PTX target.
type JITError = driver.JITError

// DriverError is a call that the driver refused.
type DriverError = driver.Error

// handleError is a handle that cannot be used.
type handleError struct {
	what string // the handle, e.g. "weight [4096,1024]"
	kind error  // one of the sentinels
	why  string // may be empty
}

func (e *handleError) Error() string {
	text := e.what + ": " + e.kind.Error()
	if e.why != "" {
		text += ": " + e.why
	}
	return text
}

func (e *handleError) Unwrap() error { return e.kind }
