package gpu

import (
	"fmt"

	"blockfp8/gpu/internal/driver"
	"blockfp8/ref"
	"blockfp8/scale"
)

// Region is the part of a buffer from a byte offset on. The zero value is no
// memory.
type Region struct {
	Buffer *Buffer
	Offset int64
}

// Activations is A [M, G*K] in device memory, row after row. Codes whose rows all
// begin at multiples of 16 bytes are fastest.
type Activations struct {
	Input  Input
	Data   Region
	Stride int // elements from one row to the next, at least G*K
	// For CodesInput and E8M0Input: the scales [M, G*ceil(K/BlockK)], of row m and
	// block b at m*ScaleRow + b*ScaleCol; groups follow each other along b.
	Scales             Region
	ScaleRow, ScaleCol int
	// For the others: how they are quantised.
	Style scale.ActivationStyle
}

// Result is C [M, G*N] in device memory, row after row. What lies between and
// after the rows is not touched.
type Result struct {
	Format scale.Format
	Data   Region
	Stride int // elements from one row to the next, at least G*N
}

// Call is one multiplication of activations in device memory. Bias and Workspace
// may be no memory.
type Call struct {
	M    int
	A    Activations
	C    Result
	Bias Region // float32 [G*N], added to the float32 sum before the output is rounded
	// Workspace holds what the call makes of the activations: Plan.Workspace bytes
	// at an address that is a multiple of 16, for this call alone until the stream
	// has done it.
	Workspace Region
}

// Plan returns how the weight multiplies m aligned rows: see NewPlan.
func (w *Weight) Plan(m int, in Input, out scale.Format) (Plan, error) {
	return NewPlan(w.dev.Target(), w.problem(m, in, out))
}

// Recipe returns all that decides the bits of the weight's results.
func (w *Weight) Recipe(out scale.Format) (ref.Recipe, error) {
	p, err := w.Plan(1, w.codesInput(), out)
	return p.Recipe, err
}

func (w *Weight) problem(m int, in Input, out scale.Format) Problem {
	s := &w.shape
	return Problem{
		M: m, N: s.n, K: s.k, Groups: s.groups, BlockN: s.blockN, BlockK: s.blockK, RowOffset: s.rowOffset, E8M0: s.e8m0,
		Input: in, Output: out,
		E8M0Activations: w.options.E8M0Activations, UncachedUpcast: w.options.UncachedUpcast, Kernel: w.options.Kernel,
	}
}

// codesInput is how the weight takes activations that are quantised already.
func (w *Weight) codesInput() Input {
	if w.options.E8M0Activations {
		return E8M0Input
	}
	return CodesInput
}

// Prepare compiles what a multiplication of m rows needs, so that the first one
// costs no more than the others. It takes up to a second and gives no work.
func (w *Weight) Prepare(m int, in Input) error {
	chosen, err := choose(w.dev.Target(), w.problem(m, in, scale.Float32))
	if err != nil {
		return err
	}
	if err := w.dev.enter(); err != nil {
		return err
	}
	defer w.dev.leave()
	if h := in.helper(w.family); h != noHelper {
		if _, err := w.dev.helperFunction(h); err != nil {
			return err
		}
	}
	_, err = w.dev.formFunction(chosen.form)
	return err
}

// MatMul gives C = A * B^T (+ bias) to a stream and returns. Once the weight's
// kernel is compiled it allocates nothing on host or device, waits for nothing
// and reads nothing back, so that it can be captured in a graph; only a weight
// with UncachedUpcast allocates, in stream order.
//
// Group g of a grouped weight multiplies columns [g*K, (g+1)*K) of A and gives
// columns [g*N, (g+1)*N) of C. M = 0 and N = 0 give no work after all checks,
// K = 0 gives +0 (plus bias). C must overlap neither A nor the workspace.
//
// Errors: ErrClosed, ErrStale; scale.ErrShape, ErrStride and ErrOption for
// arguments that do not fit, naming what does; ErrUnsupported. Nothing was given
// to the stream then, unless the driver itself fails.
func (w *Weight) MatMul(s *Stream, c Call) error {
	w.dev.life.RLock()
	defer w.dev.life.RUnlock()
	v, err := w.current()
	if err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if s.dev != w.dev {
		return &handleError{what: "stream", kind: ErrUnsupported, why: "it belongs to another device than the weight"}
	}
	p := w.problem(c.M, c.A.Input, c.C.Format)
	p.Unaligned = c.A.unaligned(p)
	target := w.dev.Target()
	chosen, err := choose(target, p)
	if err != nil {
		return err
	}
	space := newWorkspace(p, w.family)
	if err := c.checkDevice(w.dev); err != nil {
		return err
	}
	if err := c.check(p, space); err != nil {
		return err
	}
	if c.M == 0 || p.N == 0 {
		return nil
	}
	if capturing := s.capture.Load(); capturing != nil {
		c.note(capturing, v)
	}
	return w.run(s, v, c.addresses(p.K), p, space, chosen.form, target)
}

// addresses are the operands of a checked call.
type addresses struct {
	input                            Input
	style                            scale.ActivationStyle
	strideA, groupA                  int
	scaleRow, scaleCol, strideC      int
	data, scales, result, bias, work driver.Ptr
}

func (c *Call) addresses(groupA int) addresses {
	return addresses{
		input: c.A.Input, style: c.A.Style, strideA: c.A.Stride, groupA: groupA, scaleRow: c.A.ScaleRow, scaleCol: c.A.ScaleCol, strideC: c.C.Stride,
		data: c.A.Data.address(), scales: c.A.Scales.address(), result: c.C.Data.address(), bias: c.Bias.address(), work: c.Workspace.address(),
	}
}

func (r Region) address() driver.Ptr {
	if r.Buffer == nil {
		return 0
	}
	return r.Buffer.ptr + driver.Ptr(r.Offset)
}

// run launches a multiplication that has outputs.
func (w *Weight) run(s *Stream, v *version, a addresses, p Problem, space workspace, form int, t Target) error {
	g := w.gemm(v, a, p)
	if p.K > 0 {
		if err := w.prepare(s, &g, a, p, space); err != nil {
			return err
		}
	}
	if p.upcastsEachCall(w.family) {
		return w.runUncached(s, v, g, form, t)
	}
	return w.dev.launchGEMM(s, g, form, t)
}

// gemm returns the operands of the kernel for activations that come as codes.
func (w *Weight) gemm(v *version, a addresses, p Problem) gemm {
	blocks := ceilDiv(p.K, p.BlockK)
	return gemm{
		c: a.result, a: a.data, b: v.codes, as: a.scales, bs: v.scales(w.family), bias: a.bias,
		m: p.M, n: p.N, k: p.K, groups: p.groups(),
		strideA: a.strideA, strideB: w.shape.pitch, strideC: a.strideC, asRow: a.scaleRow, asCol: a.scaleCol, bsRow: w.shape.gridCols,
		blockK: p.columnsOfBlock(), blockN: p.BlockN, rowOffset: w.shape.rowOffset, output: p.Output,
		groupA: a.groupA, groupB: int(w.shape.codesOfGroup()), groupC: p.N,
		groupAs: blocks * a.scaleCol, groupBs: int(w.shape.scalesOfGroup()),
	}
}

// prepare makes codes or scales of the activations in the workspace, if they do
// not come as the kernel takes them.
func (w *Weight) prepare(s *Stream, g *gemm, a addresses, p Problem, space workspace) error {
	if p.Input.helper(w.family) == noHelper {
		return nil
	}
	perRow := p.groups() * space.blocks
	scales := a.work + driver.Ptr(space.scales)
	g.as, g.asRow, g.asCol, g.groupAs = scales, perRow, 1, space.blocks
	if p.Input == E8M0Input {
		shape := [4]int64{int64(p.M), int64(perRow), int64(a.scaleRow), int64(a.scaleCol)}
		return w.dev.upcastGrid(s, scales, a.scales, shape, scale.OCP)
	}
	g.a, g.strideA, g.groupA = a.work, p.groups()*space.pitch, space.pitch
	q := quantization{
		family: w.family, codes: a.work, scales: scales, x: a.data, rows: p.M, cols: p.groups() * p.K, group: p.BlockK,
		codesStride: g.strideA, xStride: a.strideA, scaleRow: perRow, input: p.Input, style: a.style,
	}
	if p.quantiserLaunches() == 1 {
		return w.dev.quantize(s, q)
	}
	q.cols = p.K
	for range p.groups() {
		if err := w.dev.quantize(s, q); err != nil {
			return err
		}
		q.codes += driver.Ptr(space.pitch)
		q.scales += driver.Ptr(w.family.scaleBytes() * space.blocks)
		q.x += driver.Ptr(p.K * p.Input.elementBytes())
	}
	return nil
}

// runUncached upcasts the weight's scales for this call alone.
func (w *Weight) runUncached(s *Stream, v *version, g gemm, form int, t Target) (err error) {
	n := w.shape.scales()
	if g.bs, err = s.alloc(4 * n); err != nil {
		return err
	}
	if err = w.dev.upcastAgain(s, g.bs, v.e8m0, n, w.options.Upcast); err == nil {
		err = w.dev.launchGEMM(s, g, form, t)
	}
	if freeErr := s.free(g.bs); err == nil {
		err = freeErr
	}
	return err
}

// unaligned reports whether a row of the codes begins at no multiple of 16 bytes.
func (a *Activations) unaligned(p Problem) bool {
	if p.Input.quantizes() {
		return false
	}
	bits := int64(a.Data.address()) | int64(a.Stride)
	if p.groups() > 1 {
		bits |= int64(p.K)
	}
	return bits%rowAlignment != 0
}

// note tells a capture what the call uses.
func (c *Call) note(to *capture, v *version) {
	to.use(v)
	for _, r := range c.regions() {
		if r.Buffer != nil {
			to.use(r.Buffer)
		}
	}
}

func (c *Call) regions() [5]Region {
	return [...]Region{c.A.Data, c.A.Scales, c.C.Data, c.Bias, c.Workspace}
}

func (c *Call) checkDevice(dev *Device) error {
	for _, r := range c.regions() {
		if r.Buffer != nil && r.Buffer.dev != dev {
			return &handleError{what: "buffer", kind: ErrUnsupported, why: "it belongs to another device than the weight"}
		}
	}
	return nil
}

// check tells whether the arguments fit the problem. dev.life is held.
func (c *Call) check(p Problem, space workspace) error {
	width := p.groups() * p.K
	if err := c.A.Data.check("activations", c.M, width, c.A.Stride, p.Input.elementBytes()); err != nil {
		return err
	}
	if err := c.checkScales(p); err != nil {
		return err
	}
	if err := c.C.Data.check("result", c.M, p.groups()*p.N, c.C.Stride, c.C.Format.Width()/8); err != nil {
		return err
	}
	if c.Bias.Buffer != nil {
		if err := c.Bias.check("bias", 1, p.groups()*p.N, p.groups()*p.N, 4); err != nil {
			return err
		}
	}
	if space.bytes == 0 {
		return nil
	}
	return c.Workspace.checkBytes("workspace", space.bytes, rowAlignment)
}

func (c *Call) checkScales(p Problem) error {
	if p.Input.quantizes() {
		return checkStyle("activations", c.A.Style, p.E8M0Activations)
	}
	blocks := p.groups() * ceilDiv(p.K, p.BlockK)
	if c.M == 0 || blocks == 0 {
		return nil
	}
	if c.A.ScaleRow < 1 || c.A.ScaleCol < 1 || c.A.ScaleRow > maxExtent || c.A.ScaleCol > maxExtent {
		return &scale.Mismatch{Kind: scale.ErrStride, What: "activation scales", Want: "strides from 1 to 2^31-1", Got: fmt.Sprintf("[%d %d]", c.A.ScaleRow, c.A.ScaleCol)}
	}
	size := int64(p.Input.scaleBytes())
	last := int64(c.M-1)*int64(c.A.ScaleRow) + int64(blocks-1)*int64(c.A.ScaleCol)
	return c.A.Scales.checkBytes("activation scales", (last+1)*size, size)
}

// checkStyle tells whether numbers that a weight is multiplied by may be quantised
// in a style.
func checkStyle(what string, s scale.ActivationStyle, e8m0Activations bool) error {
	switch {
	case s != scale.StyleVLLM && s != scale.StyleDeepSeek:
		return &scale.Mismatch{Kind: scale.ErrOption, What: what, Want: "scale.StyleVLLM or scale.StyleDeepSeek", Got: s.String()}
	case s != scale.StyleDeepSeek && e8m0Activations:
		return &scale.Mismatch{Kind: scale.ErrInexact, What: what + " of a weight with E8M0Activations", Want: "scale.StyleDeepSeek, whose scales are powers of two", Got: s.String()}
	}
	return nil
}

// check tells whether the region holds rows of width elements.
func (r Region) check(what string, rows, width, stride, size int) error {
	if rows == 0 || width == 0 {
		return r.checkOpen()
	}
	if stride < width || stride > maxExtent {
		return &scale.Mismatch{Kind: scale.ErrStride, What: what, Want: fmt.Sprintf("a stride of at least %d elements and below 2^31", width), Got: fmt.Sprint(stride)}
	}
	return r.checkBytes(what, (int64(rows-1)*int64(stride)+int64(width))*int64(size), int64(size))
}

func (r Region) checkOpen() error {
	if r.Buffer == nil {
		return nil
	}
	return r.Buffer.check()
}

// checkBytes tells whether the region has that many bytes at an aligned address.
func (r Region) checkBytes(what string, bytes, alignment int64) error {
	if r.Buffer == nil {
		return &scale.Mismatch{Kind: scale.ErrShape, What: what, Want: fmt.Sprintf("%d bytes", bytes), Got: "no memory"}
	}
	if err := r.Buffer.check(); err != nil {
		return err
	}
	if r.Offset < 0 || bytes > r.Buffer.bytes-r.Offset {
		return &scale.Mismatch{Kind: scale.ErrShape, What: what, Want: fmt.Sprintf("%d bytes", bytes), Got: fmt.Sprintf("a buffer of %d bytes from byte %d", r.Buffer.bytes, r.Offset)}
	}
	if int64(r.address())%alignment != 0 {
		return &scale.Mismatch{Kind: scale.ErrStride, What: what, Want: fmt.Sprintf("an address that is a multiple of %d", alignment), Got: fmt.Sprintf("%#x", r.address())}
	}
	return nil
}
