package gpu

import (
	"fmt"
	"strings"

	"blockfp8/gpu/internal/driver"
)

// checkEarly refuses a launch that starts early and must not, so that every test on
// a fake device is one of that. d.mu is held.
func (d *fakeDriver) checkEarly(l *driver.Launch) error {
	stream, ok := d.streams[l.Stream]
	if !ok || !l.Overlap {
		return nil
	}
	if name := d.names[l.Function]; !strings.HasPrefix(name, "w8a8_f32scale_wgmma_") {
		return fmt.Errorf("%w: %s starts early and does not wait inside", errFake, name)
	}
	if !strings.HasPrefix(stream.last, "w8a8_") && !strings.HasPrefix(stream.last, "quantize_activations_") {
		return fmt.Errorf("%w: a launch starts early after %q", errFake, stream.last)
	}
	return nil
}
