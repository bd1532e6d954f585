package driver

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels for errors.Is.
var (
	// ErrUnavailable: there is no such device, or no way to reach devices.
	ErrUnavailable = errors.New("device unavailable")
	// ErrMemory: the device has not enough memory.
	ErrMemory = errors.New("out of device memory")
	// ErrLaunch: the device does not accept the launch.
	ErrLaunch = errors.New("invalid launch")
	// ErrTensorMap: no device can encode the tensor map.
	ErrTensorMap = errors.New("invalid tensor map")
	// ErrUnsupported: this device, or its driver, has no such thing.
	ErrUnsupported = errors.New("unsupported")
	// ErrJIT: the device does not accept the PTX.
	ErrJIT = errors.New("PTX was not accepted")
	// ErrFault: a kernel did what it must not, such as an access out of bounds. The
	// device does no more work.
	ErrFault = errors.New("device fault")
	// ErrFailed: any other failure that a device reports.
	ErrFailed = errors.New("device call failed")
)

// Error is a call that a device refused.
type Error struct {
	Op   string // what was asked, e.g. "allocate 4096 bytes"
	Kind error  // one of the sentinels
	Code int    // the device's own number of the error, 0 for none
	Text string // the device's own words
}

func (e *Error) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("%s: %v: %s", e.Op, e.Kind, e.Text)
	}
	return fmt.Sprintf("%s: %v: %s (%d)", e.Op, e.Kind, e.Text, e.Code)
}

func (e *Error) Unwrap() error { return e.Kind }

// JITError is PTX that a device could not compile: too new a version, a target
// that the device does not have, or a fault in the text.
type JITError struct {
	File   string // the PTX, such as upcast_e8m0.ptx
	Device string // the device's name
	Arch   Arch
	Target string // the .target of the PTX, e.g. sm_120f
	Log    string // the compiler's log, may be empty
	Cause  error  // what the driver answered
}

func (e *JITError) Error() string {
	text := fmt.Sprintf("%s: PTX for %s on %s (%v): %v", e.File, e.Target, e.Device, e.Arch, e.Cause)
	if log := strings.TrimSpace(e.Log); log != "" {
		text += ": " + log
	}
	return text
}

// Unwrap gives ErrJIT and the cause.
func (e *JITError) Unwrap() []error { return []error{ErrJIT, e.Cause} }
