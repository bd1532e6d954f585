//go:build !cuda

package gpu

import "testing"

// openTest opens the device that the suite runs on: in this build the fake one.
func openTest(t testing.TB) *Device {
	t.Helper()
	d := newDevice(newFake(Arch{Major: 9, Minor: 0}))
	t.Cleanup(func() { closeTest(t, d) })
	return d
}

const onHardware = false
