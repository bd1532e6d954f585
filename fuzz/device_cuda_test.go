//go:build cuda

package fuzz_test

import (
	"errors"
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
		p := gpu.Problem{M: 1, N: 128, K: 128, BlockN: 128, BlockK: 128, E8M0: true, E8M0Activations: form.E8M0Activations, Kernel: form.Name}
		if form.E8M0Activations {
			p.Input = gpu.E8M0Input
		}
		if _, err := gpu.NewPlan(dev.Target(), p); errors.Is(err, gpu.ErrUnsupported) {
			continue // not on this chip
		}
		t.Run(form.Name, func(t *testing.T) {
			options := gpu.WeightOptions{Kernel: form.Name, E8M0Activations: form.E8M0Activations}
			fuzz.RunWith(t, device{dev: dev, options: options}, fuzz.Options{Draws: 500, Properties: []string{"bits"}})
		})
	}
}
