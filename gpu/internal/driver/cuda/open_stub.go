//go:build !cuda || !cgo

package cuda

import "blockfp8/gpu/internal/driver"

const reason = "built without CUDA: build with -tags cuda and cgo enabled"

// Count returns the number of devices: 0 and the reason in this build.
func Count() (int, error) { return 0, unavailable("count devices") }

// Open fails in this build, with the reason.
func Open(int) (driver.Device, error) { return nil, unavailable("open device") }

func unavailable(op string) error {
	return &driver.Error{Op: op, Kind: driver.ErrUnavailable, Text: reason}
}
