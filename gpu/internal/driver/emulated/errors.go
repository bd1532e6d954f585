package emulated

import (
	"errors"
	"fmt"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/ptx/memory"
)

// refused is a call that does not fit the state of the device.
func refused(op, format string, args ...any) error {
	return &driver.Error{Op: op, Kind: driver.ErrFailed, Text: fmt.Sprintf(format, args...)}
}

func refusedLaunch(op, format string, args ...any) error {
	return &driver.Error{Op: op, Kind: driver.ErrLaunch, Text: fmt.Sprintf(format, args...)}
}

// failure turns an error into a *driver.Error: of memory that is not enough, or of
// that kind. nil stays nil.
func failure(op string, kind, err error) error {
	if err == nil {
		return nil
	}
	if full := (*memory.OutOfMemory)(nil); errors.As(err, &full) {
		kind = driver.ErrMemory
	}
	return &driver.Error{Op: op, Kind: kind, Text: err.Error()}
}

func closed(op string) error {
	return &driver.Error{Op: op, Kind: driver.ErrUnavailable, Text: "the device was closed"}
}
