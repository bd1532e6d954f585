//go:build cuda

package fuzz_test

import (
	"testing"

	"blockfp8/fuzz"
	"blockfp8/gpu"
)

// The first device of this machine. A machine without one is a failure: this build
// is made for machines with one.
func TestSuiteOnDevice(t *testing.T) {
	dev, err := gpu.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("cached", func(t *testing.T) { fuzz.Run(t, device{dev: dev}) })
	t.Run("uncached", func(t *testing.T) { fuzz.Run(t, device{dev: dev, options: gpu.WeightOptions{UncachedUpcast: true}}) })
	for _, form := range gpu.Forms() {
		if form.E8M0Activations && dev.Arch().Major != 12 {
			continue // an MMA with E8M0 scales begins there
		}
		t.Run(form.Name, func(t *testing.T) {
			options := gpu.WeightOptions{Kernel: form.Name, E8M0Activations: form.E8M0Activations}
			fuzz.RunWith(t, device{dev: dev, options: options}, fuzz.Options{Draws: 500, Properties: []string{"bits"}})
		})
	}
}
