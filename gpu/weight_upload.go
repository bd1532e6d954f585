package gpu

import (
	"errors"

	"blockfp8/gpu/internal/driver"
	"blockfp8/ref"
	"blockfp8/scale"
)

// upload makes a version of the operands in new memory and waits until it is
// there. Nothing uses it yet.
func (w *Weight) upload(groups []ref.Operand) (*version, error) {
	lane, err := w.dev.lanes.take()
	if err != nil {
		return nil, err
	}
	defer w.dev.lanes.put(lane)
	v := &version{weight: w, generation: 1}
	err = errors.Join(w.uploadCodes(v, lane, groups), w.uploadScales(v, lane, groups))
	if err == nil {
		err = w.fillCache(v, lane)
	}
	if err != nil {
		return nil, errors.Join(err, lane.stream.wait(), w.dev.free(v.codes, v.e8m0, v.fp32))
	}
	return v, nil
}

// paddingCode fills what lies between the rows in device memory. Kernels never
// read it; one that did would give NaN.
const paddingCode = byte(scale.NaNE4M3)

// uploadCodes copies the codes in pieces of whole rows.
func (w *Weight) uploadCodes(v *version, l *lane, groups []ref.Operand) (err error) {
	if v.codes, err = w.dev.alloc(w.shape.codeBytes()); err != nil || v.codes == 0 {
		return err
	}
	at := v.codes
	rowsAtOnce := max(1, stagingBytes/w.shape.pitch)
	piece := make([]byte, 0, min(rowsAtOnce, w.shape.n)*w.shape.pitch)
	for _, g := range groups {
		for from := 0; from < w.shape.n; from += rowsAtOnce {
			piece = appendRows(piece[:0], g, from, min(from+rowsAtOnce, w.shape.n), w.shape.pitch)
			if err := l.stream.copyIn(at, piece); err != nil {
				return err
			}
			at += driver.Ptr(len(piece))
		}
	}
	return nil
}

// appendRows appends rows [from, to) of an operand, each padded to pitch bytes.
func appendRows(dst []byte, o ref.Operand, from, to, pitch int) []byte {
	for row := from; row < to; row++ {
		codes := o.Row(row)
		dst = append(dst, bytesOf(codes)...)
		for range pitch - len(codes) {
			dst = append(dst, paddingCode)
		}
	}
	return dst
}

// uploadScales copies the scales, dense and row-major, group after group.
func (w *Weight) uploadScales(v *version, l *lane, groups []ref.Operand) (err error) {
	if w.shape.scales() == 0 {
		return nil
	}
	if w.shape.e8m0 {
		for _, g := range groups {
			v.host = appendScales(v.host, g.Grid().Layout(), g.Grid().Codes())
		}
		return w.uploadTo(&v.e8m0, l, bytesOf(v.host))
	}
	var values []float32
	for _, g := range groups {
		values = appendScales(values, g.Grid().Layout(), g.Grid().Values())
	}
	return w.uploadTo(&v.fp32, l, bytesOf(values))
}

func appendScales[T any](dst []T, l scale.Layout, src []T) []T {
	for i := range l.GridRows() {
		for j := range l.GridCols() {
			dst = append(dst, src[l.Index(i, j)])
		}
	}
	return dst
}

func (w *Weight) uploadTo(p *driver.Ptr, l *lane, b []byte) (err error) {
	if *p, err = w.dev.alloc(int64(len(b))); err != nil {
		return err
	}
	return l.stream.copyIn(*p, b)
}

// fillCache upcasts the scales once, if the kernel prefers float32 and is to be
// served from a cache.
func (w *Weight) fillCache(v *version, l *lane) (err error) {
	if v.e8m0 == 0 || w.options.UncachedUpcast || !w.family.prefersFP32Scale() {
		return nil
	}
	if v.fp32, err = w.dev.alloc(4 * w.shape.scales()); err != nil {
		return err
	}
	if err := w.dev.upcast(l.stream, v.fp32, v.e8m0, w.shape.scales(), w.options.Upcast); err != nil {
		return err
	}
	return l.stream.wait()
}
