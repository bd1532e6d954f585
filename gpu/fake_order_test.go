package gpu

import (
	"fmt"
	"strings"

	"blockfp8/gpu/internal/driver"
	"blockfp8/ref"
)

// fakeWork is something that a stream was given. begin is not nil for a launch that
// starts early: what it does before it waits, which is to read weights.
type fakeWork struct {
	do    func() error
	begin func()
	began bool
}

// perform does one thing of a queue. With it begin the launches that start early and
// follow it one after the other: as soon as they may.
func perform(queue []fakeWork, i int) error {
	for j := i; j < len(queue) && (j == i || queue[j].begin != nil); j++ {
		if w := &queue[j]; w.begin != nil && !w.began {
			w.began = true
			w.begin()
		}
	}
	do := queue[i].do
	queue[i] = fakeWork{}
	return do()
}

// work returns a launch. One that starts early multiplies by the weights that were
// there when it began.
func (d *fakeDriver) work(name string, l *driver.Launch) fakeWork {
	if !l.Overlap {
		return fakeWork{do: func() error { return d.execute(name, l) }}
	}
	f := &forms[formNamed(name)]
	var weights []ref.Operand
	var err error
	return fakeWork{
		begin: func() { weights, err = d.weights(f, l) },
		do: func() error {
			if err != nil {
				return err
			}
			return d.multiply(f.family, l.Params[:l.Count], weights)
		},
	}
}

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
