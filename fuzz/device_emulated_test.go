package fuzz_test

import (
	"fmt"
	"testing"

	"blockfp8/fuzz"
	"blockfp8/gpu"
)

// chips are those that can be emulated.
var chips = []gpu.Arch{{Major: 8, Minor: 9}, {Major: 9, Minor: 0}, {Major: 12, Minor: 0}, {Major: 12, Minor: 1}}

func emulate(t testing.TB, arch gpu.Arch) *gpu.Device {
	t.Helper()
	dev, err := gpu.Emulate(arch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// The kernels of package gpu, instruction by instruction, on every chip.
func TestSuiteOnEmulatedDevices(t *testing.T) {
	small := fuzz.Limits{MaxM: 20, MaxN: 40, MaxK: 400}
	for i := 0; i < len(chips); i += every(1, 3) {
		arch := chips[i]
		t.Run(fmt.Sprint(arch), func(t *testing.T) {
			onEmulated(t, arch, gpu.WeightOptions{}, small)
		})
		t.Run(fmt.Sprint(arch, "/uncached"), func(t *testing.T) {
			onEmulated(t, arch, gpu.WeightOptions{UncachedUpcast: true}, small)
		})
	}
}

// E8M0 scales inside the MMA, on the chips that have that.
func TestSuiteOnEmulatedMX(t *testing.T) {
	small := fuzz.Limits{MaxM: 20, MaxN: 40, MaxK: 400}
	for _, arch := range chips[2:] {
		t.Run(fmt.Sprint(arch), func(t *testing.T) {
			onEmulated(t, arch, gpu.WeightOptions{E8M0Activations: true}, small)
		})
	}
}

func onEmulated(t *testing.T, arch gpu.Arch, options gpu.WeightOptions, l fuzz.Limits) {
	fuzz.RunWith(t, device{emulate(t, arch), options, l}, fuzz.Options{Draws: 30, Seed: uint64(arch.Major), Dir: "testdata/conformance"})
}
