//go:build !cuda

package gpu

import (
	"testing"

	"blockfp8/gpu/internal/driver/emulated"
)

// openTest opens a device for tests that need only one: in this build the fake one.
func openTest(t testing.TB) *Device {
	t.Helper()
	d := newDevice(newFake(Arch{Major: 9, Minor: 0}))
	t.Cleanup(func() { closeTest(t, d) })
	return d
}

// onDevices runs a test on every chip that can be emulated, or on one where time is
// short. Two of them are lazy: work stays in its stream until somebody waits for it,
// so that memory which is freed too early, or bits that change under work in flight,
// are seen.
func onDevices(t *testing.T, test func(t *testing.T, d *Device)) {
	for i, arch := range emulated.Archs() {
		if testing.Short() && arch != (Arch{Major: 12, Minor: 0}) {
			continue
		}
		t.Run(arch.String(), func(t *testing.T) {
			drv, err := emulated.Open(arch, emulated.Options{Check: true, Lazy: i%2 == 1})
			noError(t, err)
			d := newDevice(leakless{drv, t})
			t.Cleanup(func() { closeTest(t, d) })
			test(t, d)
		})
	}
}

// leakless is an emulated device on which memory that was not given back is an
// error.
type leakless struct {
	*emulated.Device
	t testing.TB
}

func (d leakless) Close() error {
	if free, total, err := d.MemoryInfo(); free != total || err != nil {
		d.t.Errorf("%d of %d bytes are free when the device closes, %v", free, total, err)
	}
	return d.Device.Close()
}

const onHardware = false
