package interp

import (
	"blockfp8/gpu/internal/ptx"
	"blockfp8/ref"
	"blockfp8/scale"
)

// The extents of an FP8 mma.
const (
	mmaM = 16
	mmaN = 8
	mmaK = 32
)

// buildMma is mma.sync with float32 accumulators: m16n8k16 of float16 or bfloat16,
// or m16n8k32 of e4m3.
func buildMma(c *call) step {
	c.need("sync")
	c.need("aligned")
	if c.has("m16n8k16") {
		return c.halfMMA()
	}
	return c.smallMMA()
}

// smallMMA multiplies e4m3, plain or with E8M0 scales of both operands (PTX ISA,
// "Matrix fragments for mma.m16n8k32").
func (c *call) smallMMA() step {
	scaled := c.mmaKind()
	c.need("m16n8k32")
	c.need("row")
	c.need("col")
	for _, t := range []string{"f32", "e4m3", "e4m3", "f32"} {
		c.need(t)
	}
	if scaled {
		c.need("ue8m0")
	}
	op := mmaOp{d: c.dsts(0, 4, f32), a: c.srcs(1, 4, b32), b: c.srcs(2, 2, b32), c: c.srcs(3, 4, f32), datapath: c.kernel.chip.MMA}
	if scaled {
		op.datapath = c.kernel.chip.MMAScaled
		op.scaleA, op.scaleB = c.scaleOperand(4, 1), c.scaleOperand(6, 3)
	}
	c.to.flow = ownFlow
	if op.datapath.Name == "" {
		c.fail("%s does not have this instruction", c.kernel.chip.Name)
	}
	return op.run
}

// mmaKind takes the modifiers that say whether scales are given.
func (c *call) mmaKind() (scaled bool) {
	switch c.take("kind::f8f6f4", "kind::mxf8f6f4") {
	case "kind::mxf8f6f4":
		c.need("block_scale")
		c.need("scale_vec::1X")
		return true
	case "kind::f8f6f4":
		if c.kernel.chip.MMAScaled.Name == "" {
			c.fail("%s does not have this instruction", c.kernel.chip.Name)
		}
	}
	return false
}

// mmaOp is one mma instruction.
type mmaOp struct {
	d, a, b, c     []int
	scaleA, scaleB scaleSource
	datapath       ref.Datapath
}

// scaleSource is where the scales of an operand lie: byte of a register, of the
// lanes that the thread selector names.
type scaleSource struct {
	slot         int
	byte, thread int
}

// scaleOperand takes a register and its {byte, thread} selectors, of which the
// second is at most thread.
func (c *call) scaleOperand(i int, thread uint64) scaleSource {
	return scaleSource{slot: c.src(i, b32), byte: c.selector(i+1, 0, 3), thread: c.selector(i+1, 1, thread)}
}

// selector takes element j of a pair of selectors. PTX allows registers, which a
// chip's instruction has no place for; constants are what compilers write.
func (c *call) selector(i, j int, most uint64) int {
	o := c.operand(i)
	if o.Kind != ptx.VectorOperand || len(o.Elements) != 2 || o.Elements[j].Kind != ptx.IntegerOperand {
		c.fail("operand %d has to be {byte, thread}, constants", i)
		return 0
	}
	v := o.Elements[j].Bits
	if v > most {
		c.fail("selector %d of operand %d; at most %d", v, i, most)
	}
	return int(v)
}

// fragments holds an mma's operands as matrices.
type fragments struct {
	a      [mmaM][mmaK]scale.E4M3
	b      [mmaN][mmaK]scale.E4M3
	scaleA [mmaM]scale.E8M0
	scaleB [mmaN]scale.E8M0
	c      [mmaM * mmaN]float32
}

// accumulators calls do for every accumulator: register i of a lane.
func (op *mmaOp) accumulators(do func(lane, i int, c *float32), f *fragments) {
	for lane := range lanes {
		for i := range 4 {
			m, n := lane/4+i/2*8, lane%4*2+i%2
			do(lane, i, &f.c[m*mmaN+n])
		}
	}
}

func (op *mmaOp) run(w *warp, on uint32) {
	if !w.together(on, "mma") {
		return
	}
	w.block.counters.MMAs++
	var f fragments
	for lane := range lanes {
		row, k := lane/4, lane%4*4
		f.load(w, op, lane, row, k)
	}
	if op.datapath.TakesScales {
		f.loadScales(w, op)
	}
	op.accumulators(func(lane, i int, c *float32) { *c = f32Of(w.registers[op.c[i]][lane]) }, &f)
	op.datapath.MMATile(f.c[:], f.a[:], f.b[:], f.scaleA[:], f.scaleB[:])
	op.accumulators(func(lane, i int, c *float32) { w.registers[op.d[i]][lane] = f32Bits(*c) }, &f)
	if w.marked {
		op.pass(w)
	}
}

// pass marks the elements whose row of A, column of B or c depends on undefined
// memory.
func (op *mmaOp) pass(w *warp) {
	rows, columns := op.markedRows(w), op.markedColumns(w)
	for i, d := range op.d {
		u := w.marks[op.c[i]]
		for lane := range lanes {
			m, n := lane/4+i/2*8, lane%4*2+i%2
			u |= (rows>>m | columns>>n) & 1 << lane
		}
		w.marks[d] = u
	}
}

func (op *mmaOp) markedRows(w *warp) (rows uint32) {
	for i, slot := range op.a {
		rows |= quads(w.marks[slot]) << (i % 2 * 8)
	}
	if op.datapath.TakesScales {
		for m := range mmaM {
			rows |= w.marks[op.scaleA.slot] >> op.scaleA.laneOfRow(m) & 1 << m
		}
	}
	return rows
}

func (op *mmaOp) markedColumns(w *warp) (columns uint32) {
	for _, slot := range op.b {
		columns |= quads(w.marks[slot])
	}
	if op.datapath.TakesScales {
		for n := range mmaN {
			columns |= w.marks[op.scaleB.slot] >> op.scaleB.laneOfColumn(n) & 1 << n
		}
	}
	return columns
}

// quads returns which groups of four lanes have a mark.
func quads(marks uint32) (u uint32) {
	for i := range 8 {
		if marks>>(4*i)&0xF != 0 {
			u |= 1 << i
		}
	}
	return u
}

// load spreads a lane's registers over the matrices.
func (f *fragments) load(w *warp, op *mmaOp, lane, row, k int) {
	for i, slot := range op.a {
		spread(f.a[row+i%2*8][k+i/2*16:], w.registers[slot][lane])
	}
	for i, slot := range op.b {
		spread(f.b[row][k+i*16:], w.registers[slot][lane])
	}
}

func spread(to []scale.E4M3, v uint64) {
	for i := range 4 {
		to[i] = scale.E4M3(v >> (8 * i))
	}
}

// laneOfRow and laneOfColumn say which lane holds the scale of a row of A and of a
// column of B.
func (s scaleSource) laneOfRow(m int) int    { return 4*(m%8) + 2*s.thread + m/8 }
func (s scaleSource) laneOfColumn(n int) int { return 4*n + s.thread }

func (f *fragments) loadScales(w *warp, op *mmaOp) {
	for m := range f.scaleA {
		lane := op.scaleA.laneOfRow(m)
		f.scaleA[m] = scale.E8M0(w.registers[op.scaleA.slot][lane] >> (8 * op.scaleA.byte))
	}
	for n := range f.scaleB {
		lane := op.scaleB.laneOfColumn(n)
		f.scaleB[n] = scale.E8M0(w.registers[op.scaleB.slot][lane] >> (8 * op.scaleB.byte))
	}
}
