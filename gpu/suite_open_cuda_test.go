//go:build cuda

package gpu

import (
	"testing"

	"blockfp8/gpu/internal/driver/cuda"
)

// openTest opens the device that the suite runs on: the first of the machine,
// with guards around every allocation. A machine without one is a failure: this
// build is made for machines with one.
func openTest(t testing.TB) *Device {
	t.Helper()
	drv, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(&guarded{Device: drv, t: t})
	t.Cleanup(func() { closeTest(t, d) })
	return d
}

const onHardware = true
