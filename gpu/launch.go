package gpu

import (
	"blockfp8/gpu/internal/driver"
	"blockfp8/scale"
)

// The functions of this file start kernels; the parameters are those of
// kernels/README.md. They allocate nothing once the kernel is compiled.

// gemm is the operands of one launch, in device memory. Their scales are those that
// the form's family takes.
type gemm struct {
	c, a, b, as, bs, bias driver.Ptr
	m, n, k, groups       int
	strideA, strideB      int // bytes
	strideC               int // elements
	asRow, asCol          int
	bsRow                 int
	blockK, blockN        int
	rowOffset             int
	output                scale.Format
	groupA, groupB        int // bytes
	groupC                int // elements
	groupAs, groupBs      int
}

// launchGEMM multiplies in as many launches as the grid needs, one for all but
// enormous M.
func (d *Device) launchGEMM(s *Stream, g gemm, form int, t Target) error {
	function, err := d.formFunction(form)
	if err != nil {
		return err
	}
	f := &forms[form]
	for g.m > 0 {
		geometry, ok := f.geometry(t, g.m, g.n, g.k, g.groups)
		if !ok {
			return &handleError{what: f.name, kind: ErrUnsupported}
		}
		part := g
		part.m = min(g.m, geometry.rowsAtOnce)
		if err := d.launchPart(s, function, f, part, geometry); err != nil {
			return err
		}
		g.m -= part.m
		g.c += driver.Ptr(part.m * g.strideC * g.output.Width() / 8)
		g.a += driver.Ptr(part.m * g.strideA)
		g.as += driver.Ptr(part.m * g.asRow * f.family.scaleBytes())
	}
	return nil
}

// launchPart starts the kernel of a form once.
func (d *Device) launchPart(s *Stream, function driver.Function, f *form, g gemm, geometry geometry) error {
	l := driver.Launch{Function: function, Grid: geometry.grid, Block: geometry.block, Shared: geometry.shared}
	if f.mapsChunks(&g) {
		geometry.tune[1]++
	}
	g.push(&l, geometry)
	if f.takesMaps() {
		if err := d.pushMaps(&l, f, &g); err != nil {
			return err
		}
	}
	return s.launch(l, families[f.family].order)
}

// push appends the parameters that all levels of all families take.
func (g *gemm) push(l *driver.Launch, geometry geometry) {
	for _, p := range [...]driver.Ptr{g.c, g.a, g.b, g.as, g.bs, g.bias} {
		l.Push(uint64(p))
	}
	groupBias := g.n
	for _, v := range [...]int{
		g.m, g.n, g.k, g.strideA, g.strideB, g.strideC, g.asRow, g.asCol, g.bsRow, 1, g.blockK, g.blockN, g.rowOffset,
		outputCode(g.output), g.groupA, g.groupB, g.groupC, g.groupAs, g.groupBs, groupBias,
	} {
		l.Push(uint64(v))
	}
	l.Push(geometry.tune[0])
	l.Push(geometry.tune[1])
}

// outputCode numbers the output formats as the kernels do.
func outputCode(f scale.Format) int {
	switch f {
	case scale.BFloat16:
		return 1
	case scale.Float16:
		return 2
	}
	return 0
}

// helperLaunch returns the launch of a helper with one thread, or one warp of
// eight, for each of count items.
func (d *Device) helperLaunch(h helper, count int64) (driver.Launch, error) {
	f, err := d.helperFunction(h)
	if err != nil {
		return driver.Launch{}, err
	}
	perBlock := int64(helperThreads)
	if h >= quantizeF32Helper {
		perBlock = helperThreads / 32
	}
	blocks := uint32((count + perBlock - 1) / perBlock)
	return driver.Launch{Function: f, Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{helperThreads, 1, 1}}, nil
}

// upcast converts count E8M0 codes to float32 in one launch.
func (d *Device) upcast(s *Stream, to, codes driver.Ptr, count int64, mode scale.UpcastMode) error {
	return d.upcastGrid(s, to, codes, [4]int64{1, count, count, 1}, mode)
}

// upcastGrid converts a grid of E8M0 codes of any strides to a dense row-major
// float32 grid. shape is rows, columns, row stride, column stride.
func (d *Device) upcastGrid(s *Stream, to, codes driver.Ptr, shape [4]int64, mode scale.UpcastMode) error {
	l, err := d.helperLaunch(upcastHelper, shape[0]*shape[1])
	if err != nil {
		return err
	}
	l.Push(uint64(to))
	l.Push(uint64(codes))
	for _, v := range shape {
		l.Push(uint64(v))
	}
	l.Push(upcastCode(mode))
	return s.launch(l, helpers[upcastHelper].order)
}

// upcastAgain does the same as two launches, widening and shifting.
func (d *Device) upcastAgain(s *Stream, to, codes driver.Ptr, count int64, mode scale.UpcastMode) error {
	l, err := d.helperLaunch(widenHelper, count)
	if err != nil {
		return err
	}
	for _, v := range [...]uint64{uint64(to), uint64(codes), 1, uint64(count), uint64(count), 1} {
		l.Push(v)
	}
	if err := s.launch(l, helpers[widenHelper].order); err != nil {
		return err
	}
	if l, err = d.helperLaunch(shiftHelper, count); err != nil {
		return err
	}
	for _, v := range [...]uint64{uint64(to), uint64(count), upcastCode(mode)} {
		l.Push(v)
	}
	return s.launch(l, helpers[shiftHelper].order)
}

func upcastCode(m scale.UpcastMode) uint64 {
	if m == scale.Shift {
		return 1
	}
	return 0
}

// quantization is the operands of one launch of the quantiser, which writes the
// scales that a family takes.
type quantization struct {
	family            family
	codes, scales, x  driver.Ptr
	rows, cols, group int
	codesStride       int // bytes
	xStride           int // elements
	scaleRow          int
	input             Input
	style             scale.ActivationStyle
}

func (d *Device) quantize(s *Stream, q quantization) error {
	h := q.input.helper(q.family)
	l, err := d.helperLaunch(h, int64(q.rows)*int64(ceilDiv(q.cols, q.group)))
	if err != nil {
		return err
	}
	scales, e8m0 := q.scales, driver.Ptr(0)
	if !q.family.prefersFP32Scale() {
		scales, e8m0 = 0, q.scales
	}
	deepseek := uint64(0)
	if q.style == scale.StyleDeepSeek {
		deepseek = 1
	}
	for _, v := range [...]uint64{
		uint64(q.codes), uint64(scales), uint64(e8m0), uint64(q.x), uint64(q.rows), uint64(q.cols), uint64(q.group),
		uint64(q.codesStride), uint64(q.xStride), uint64(q.scaleRow), 1, deepseek,
	} {
		l.Push(v)
	}
	return s.launch(l, helpers[h].order)
}
