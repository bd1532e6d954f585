package gpu

import (
	"errors"

	"blockfp8/ref"
	"blockfp8/scale"
)

// Update replaces the bits of the weight by those of b, which must have the same
// shape, blocks and kind of scales, and rebuilds the cache. It works beside the
// old bits, so for its duration the weight takes its memory twice.
//
// Work that is in a stream when Update returns, or was given while it ran, has
// the old bits or the new ones, never a mixture; work given later has the new
// ones. Graphs captured before must be captured again: launching them is
// ErrStale. On an error the weight keeps its old bits.
func (w *Weight) Update(b ref.Operand) error { return w.UpdateGroups([]ref.Operand{b}) }

// UpdateGroups is Update for a grouped weight, of all groups.
func (w *Weight) UpdateGroups(groups []ref.Operand) error {
	shape, err := shapeOf(groups)
	if err != nil {
		return err
	}
	if shape != w.shape {
		return &scale.Mismatch{Kind: scale.ErrShape, What: "update of a weight", Want: w.shape.String(), Got: shape.String()}
	}
	w.changing.Lock()
	defer w.changing.Unlock()
	if err := w.enterUnlessClosed(); err != nil {
		return err
	}
	defer w.dev.leave()
	v, err := w.upload(groups)
	if err != nil {
		return err
	}
	return w.replace(func() {
		w.generation++
		v.generation = w.generation
		w.live = v
	})
}

// Drop frees the weight's device memory and keeps the handle: use is ErrStale
// until an Update. Work that is in a stream already is waited for.
func (w *Weight) Drop() error {
	w.changing.Lock()
	defer w.changing.Unlock()
	if err := w.enterUnlessClosed(); err != nil {
		return err
	}
	defer w.dev.leave()
	return w.replace(func() { w.live = nil })
}

// Close frees the weight. Later use is ErrClosed, and so is closing it twice.
// Work that is in a stream already is waited for.
func (w *Weight) Close() error {
	w.changing.Lock()
	defer w.changing.Unlock()
	if err := w.enterUnlessClosed(); err != nil {
		return err
	}
	defer w.dev.leave()
	return w.replace(func() { w.live, w.closed = nil, true })
}

// replace runs change, which puts other bits in place of the live ones, and frees
// those as soon as no work uses them.
func (w *Weight) replace(change func()) error {
	var old *version
	w.dev.fall(func() {
		old = w.live
		change()
	})
	if old == nil {
		return nil
	}
	return errors.Join(w.dev.quiesce(), w.dev.free(old.codes, old.e8m0, old.fp32))
}

func (w *Weight) enterUnlessClosed() error {
	w.dev.life.RLock()
	defer w.dev.life.RUnlock()
	if _, err := w.current(); err != nil && !errors.Is(err, ErrStale) {
		return err
	}
	w.dev.users.Add(1)
	return nil
}
