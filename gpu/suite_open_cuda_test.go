//go:build cuda

package gpu

import (
	"flag"
	"testing"

	"blockfp8/gpu/internal/driver/cuda"
)

// guards is off under a memory checker, which finds more without them: they make
// what lies beside an allocation valid memory, and what is in it initialised.
var guards = flag.Bool("guards", true, "put poison around and into every allocation")

// openTest opens the device that the suite runs on: the first of the machine,
// with guards around every allocation unless the flag says otherwise. A machine
// without one is a failure: this build is made for machines with one.
func openTest(t testing.TB) *Device {
	t.Helper()
	drv, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if *guards {
		drv = &guarded{Device: drv, t: t}
	}
	d := newDevice(drv)
	t.Cleanup(func() { closeTest(t, d) })
	return d
}

// onDevices runs a test on that device.
func onDevices(t *testing.T, test func(t *testing.T, d *Device)) { test(t, openTest(t)) }

const onHardware = true
