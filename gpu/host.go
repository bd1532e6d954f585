package gpu

import (
	"errors"
	"fmt"

	"blockfp8/gpu/internal/driver"
	"blockfp8/ref"
	"blockfp8/scale"
)

// HostOptions says how a multiplication of activations in host memory is done.
type HostOptions struct {
	// Style is how activations are quantised. It must be named, and for a weight with
	// E8M0Activations it must be scale.StyleDeepSeek.
	Style scale.ActivationStyle
	// Bias, if not nil, holds G*N numbers that are added to the float32 sums before
	// the output is rounded.
	Bias []float32
}

// MatMul multiplies activations in host memory: dst = x * B^T (+ bias), rounded
// once to the element type of dst. x [M, G*K] is quantised on the device in
// groups of the weight's block along K, with the bits of
// scale.QuantizeActivations on the same numbers.
//
// It is for callers that have their data on the host: it copies both ways and
// waits. dst [M, G*N] must not overlap x; memory of dst outside its elements is
// not touched. Any number of goroutines may call it; a few calls are on the
// device at one time.
//
// Errors: those of Weight.MatMul, and scale.ErrShape or ErrStride for dst, x and
// the bias.
func MatMul[C, A Element](dst Matrix[C], x Matrix[A], w *Weight, o HostOptions) error {
	if err := x.check("activations"); err != nil {
		return err
	}
	if err := checkStyle("activations", o.Style, w.options.E8M0Activations); err != nil {
		return err
	}
	h := hostCall{w: w, input: inputOf[A](), style: o.Style, bias: o.Bias, rows: x.Rows, cols: x.Cols}
	h.row = func(to []byte, i int) { copy(to, bytesOf(x.row(i))) }
	return matMul(dst, &h)
}

// MatMulCodes is MatMul for activations that are quantised already. Their scale
// blocks along K must be whole blocks of the weight; along M they may be any. They
// are E8M0 or float32; a weight with E8M0Activations takes only the former. For a
// grouped weight a is [M, G*K].
func MatMulCodes[C Element](dst Matrix[C], a ref.Operand, w *Weight, bias []float32) error {
	l := a.Grid().Layout()
	if !a.Grid().IsSet() {
		return &scale.Mismatch{Kind: scale.ErrUnsetScale, What: "activations", Want: "a grid of scales", Got: "the zero Operand"}
	}
	if l.BlockCols%w.shape.blockK != 0 && l.BlockCols < w.shape.k {
		return &scale.Mismatch{Kind: scale.ErrBlock, What: "activations", Want: fmt.Sprintf("a block along K of a multiple of %d", w.shape.blockK), Got: fmt.Sprint(l.BlockCols)}
	}
	if w.shape.groups > 1 && w.shape.k%l.BlockCols != 0 {
		return &scale.Mismatch{Kind: scale.ErrBlock, What: "activations of a grouped weight", Want: fmt.Sprintf("blocks that divide K = %d", w.shape.k), Got: fmt.Sprint(l.BlockCols)}
	}
	if w.options.E8M0Activations && !a.Grid().IsE8M0() {
		return &scale.Mismatch{Kind: scale.ErrInexact, What: "activations of a weight with E8M0Activations", Want: "E8M0 scales", Got: "float32 scales"}
	}
	h := hostCall{w: w, input: w.codesInput(), bias: bias, rows: a.Rows(), cols: a.K()}
	h.row = func(to []byte, i int) {
		codes := bytesOf(a.Row(i))
		for g := range w.shape.groups {
			copy(to[g*w.shape.pitch:], codes[g*w.shape.k:(g+1)*w.shape.k])
		}
	}
	h.scales = func(to []byte, i int) { copy(to, bytesOf(scalesOf(a, i, w.shape, a.Grid().At))) }
	if h.input == E8M0Input {
		codeAt := func(row, col int) scale.E8M0 { return a.Grid().Codes()[l.Index(row, col)] }
		h.scales = func(to []byte, i int) { copy(to, bytesOf(scalesOf(a, i, w.shape, codeAt))) }
	}
	return matMul(dst, &h)
}

// scalesOf returns the scales of a row, one for each group and block of the
// weight along K. at gives the scale of a block of a.
func scalesOf[T any](a ref.Operand, row int, s weightShape, at func(blockRow, blockCol int) T) []T {
	l := a.Grid().Layout()
	values := make([]T, 0, s.groups*s.gridColumns())
	for g := range s.groups {
		for b := range s.gridColumns() {
			values = append(values, at((l.RowOffset+row)/l.BlockRows, (g*s.k+b*s.blockK)/l.BlockCols))
		}
	}
	return values
}

// gridColumns is the number of blocks along K, also where N is 0.
func (s weightShape) gridColumns() int { return ceilDiv(s.k, s.blockK) }

// hostCall is a host multiplication without its element types.
type hostCall struct {
	w          *Weight
	input      Input
	style      scale.ActivationStyle
	bias       []float32
	rows, cols int
	row        func(to []byte, i int) // copies row i of the activations
	scales     func(to []byte, i int) // and its scales, if it comes as codes
}

// matMul checks the shapes and multiplies as many rows at a time as fit the
// staging memory. A row of the result does not depend on the others.
func matMul[C Element](dst Matrix[C], h *hostCall) error {
	if err := dst.check("result"); err != nil {
		return err
	}
	if err := h.check(dst.Rows, dst.Cols); err != nil {
		return err
	}
	dev := h.w.dev
	if err := dev.enter(); err != nil {
		return err
	}
	defer dev.leave()
	if dst.Rows == 0 || dst.Cols == 0 {
		return h.w.usable()
	}
	l, err := dev.lanes.take()
	if err != nil {
		return err
	}
	defer dev.lanes.put(l)
	format := formatOf[C]()
	at := h.layout(format)
	if err := l.reserve(at.host, at.device); err != nil {
		return err
	}
	for from := 0; from < dst.Rows; from += at.rows {
		rows := min(at.rows, dst.Rows-from)
		if err := h.piece(l, at, format, from, rows); err != nil {
			// Work that was given before the failure must not outlive the lane's use.
			return errors.Join(err, l.stream.wait())
		}
		width := dst.Cols * format.Width() / 8
		for i := range rows {
			copy(bytesOf(dst.row(from+i)), l.host[i*width:(i+1)*width])
		}
	}
	return nil
}

func (h *hostCall) check(rows, cols int) error {
	s := h.w.shape
	switch {
	case h.cols != s.groups*s.k:
		return &scale.Mismatch{Kind: scale.ErrShape, What: "activations", Want: fmt.Sprintf("%d columns for %v", s.groups*s.k, h.w), Got: fmt.Sprint(h.cols)}
	case rows != h.rows || cols != s.groups*s.n:
		return &scale.Mismatch{Kind: scale.ErrShape, What: "result", Want: fmt.Sprintf("[%d,%d]", h.rows, s.groups*s.n), Got: fmt.Sprintf("[%d,%d]", rows, cols)}
	case h.bias != nil && len(h.bias) != s.groups*s.n:
		return &scale.Mismatch{Kind: scale.ErrShape, What: "bias", Want: fmt.Sprint(s.groups * s.n), Got: fmt.Sprint(len(h.bias))}
	}
	_, err := choose(h.w.dev.Target(), h.w.problem(h.rows, h.input, scale.Float32))
	return err
}

// usable tells whether the weight could be used now.
func (w *Weight) usable() error {
	w.dev.life.RLock()
	defer w.dev.life.RUnlock()
	_, err := w.current()
	return err
}

// hostLayout is where the parts of a host call lie in a lane.
type hostLayout struct {
	rows                                 int // at a time
	stride, group                        int // elements from one row, and one group, to the next
	dataBytes, scaleBytes                int // of one row
	data, scales, bias, result, workArea int64
	host, device                         int64 // sizes
}

func (h *hostCall) layout(format scale.Format) hostLayout {
	s := h.w.shape
	at := hostLayout{stride: h.cols, group: s.k}
	if h.scales != nil {
		at.stride, at.group = s.groups*s.pitch, s.pitch
		at.scaleBytes = h.input.scaleBytes() * s.groups * s.gridColumns()
	}
	at.dataBytes = at.stride * h.input.elementBytes()
	resultBytes := s.groups * s.n * format.Width() / 8
	in := at.dataBytes + at.scaleBytes
	at.rows = max(1, min(h.rows, stagingBytes/max(in, resultBytes)))
	space := newWorkspace(h.w.problem(at.rows, h.input, format), h.w.family)
	for _, part := range []struct {
		offset *int64
		bytes  int
	}{
		{&at.data, at.rows * at.dataBytes},
		{&at.scales, at.rows * at.scaleBytes},
		{&at.bias, 4 * len(h.bias)},
		{&at.result, at.rows * resultBytes},
		{&at.workArea, int(space.bytes)},
	} {
		*part.offset = at.device
		at.device += alignBytes(int64(part.bytes), workspaceAlignment)
	}
	at.host = int64(max(at.rows*max(in, resultBytes), 4*len(h.bias)))
	return at
}

// piece multiplies rows of the activations from one on and waits until the
// results are at the start of the lane's host memory.
func (h *hostCall) piece(l *lane, at hostLayout, format scale.Format, from, rows int) error {
	if h.bias != nil {
		if err := l.stream.copyIn(l.device+driver.Ptr(at.bias), bytesOf(h.bias)); err != nil {
			return err
		}
	}
	data, scales := l.host[:rows*at.dataBytes], l.host[rows*at.dataBytes:rows*(at.dataBytes+at.scaleBytes)]
	for i := range rows {
		h.row(data[i*at.dataBytes:(i+1)*at.dataBytes], from+i)
		if h.scales != nil {
			h.scales(scales[i*at.scaleBytes:(i+1)*at.scaleBytes], from+i)
		}
	}
	for _, part := range []struct {
		to    int64
		bytes []byte
	}{{at.data, data}, {at.scales, scales}} {
		if len(part.bytes) > 0 {
			if err := l.stream.copyInAsync(l.device+driver.Ptr(part.to), part.bytes); err != nil {
				return err
			}
		}
	}
	if err := h.launch(l, at, format, rows); err != nil {
		return err
	}
	result := l.host[:rows*h.w.shape.groups*h.w.shape.n*format.Width()/8]
	if err := l.stream.copyOutAsync(result, l.device+driver.Ptr(at.result)); err != nil {
		return err
	}
	return l.stream.wait()
}

func (h *hostCall) launch(l *lane, at hostLayout, format scale.Format, rows int) error {
	w := h.w
	w.dev.life.RLock()
	defer w.dev.life.RUnlock()
	v, err := w.current()
	if err != nil {
		return err
	}
	p := w.problem(rows, h.input, format)
	target := w.dev.Target()
	chosen, err := choose(target, p)
	if err != nil {
		return err
	}
	a := addresses{
		input: h.input, style: h.style, strideA: at.stride, groupA: at.group, strideC: w.shape.groups * w.shape.n,
		scaleRow: max(1, at.scaleBytes/h.input.scaleBytes()), scaleCol: 1,
		data: l.device + driver.Ptr(at.data), scales: l.device + driver.Ptr(at.scales),
		result: l.device + driver.Ptr(at.result), work: l.device + driver.Ptr(at.workArea),
	}
	if h.bias != nil {
		a.bias = l.device + driver.Ptr(at.bias)
	}
	return w.run(l.stream, v, a, p, newWorkspace(p, w.family), chosen.form, target)
}
