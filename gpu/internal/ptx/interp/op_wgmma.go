package interp

import (
	"strconv"
	"strings"

	"blockfp8/ref"
)

// The extents of a wgmma of e4m3, but for its columns.
const (
	wgmmaRows       = 64
	wgmmaMaxColumns = 256
)

// buildWgmma is wgmma.mma_async of e4m3 with float32 accumulators and both operands in
// shared memory, and what orders it.
func buildWgmma(c *call) step {
	c.targetIs("sm_90a")
	what := c.need("fence", "commit_group", "wait_group", "mma_async")
	c.need("sync")
	c.need("aligned")
	if what == "mma_async" {
		return c.wgmma()
	}
	c.to.class = Synchronise
	switch what {
	case "fence":
		return func(w *warp, on uint32) {
			if w.together(on, "wgmma.fence") {
				w.accumulators.fences++
			}
		}
	case "commit_group":
		return func(w *warp, on uint32) {
			if w.together(on, "wgmma.commit_group") {
				w.accumulators.committed++
			}
		}
	}
	newest := c.integer(0)
	if newest < 0 {
		c.fail("a wait for all but %d groups", newest)
	}
	return func(w *warp, on uint32) {
		if w.together(on, "wgmma.wait_group") {
			w.finishMultiplies(uint32(min(newest, int64(w.accumulators.committed))))
		}
	}
}

// finishMultiplies ends all groups of wgmma but the newest: their registers are free,
// and they no longer read shared memory.
func (w *warp) finishMultiplies(newest uint32) {
	a := &w.accumulators
	a.completed = max(a.completed, a.committed-newest)
	o := &w.block.shared.order
	o.warps[w.index].seen.raise(o.multipliesOf(w.index), a.completed+1)
}

// wgmmaOp is one wgmma: 64 rows of A and some of B, 32 codes of each.
type wgmmaOp struct {
	d        []int
	a, b     int // registers of the descriptors
	add      truth
	columns  int
	datapath ref.Datapath
}

func (c *call) wgmma() step {
	op := &wgmmaOp{columns: c.wgmmaColumns(), datapath: c.kernel.chip.WGMMA}
	for _, t := range []string{"f32", "e4m3", "e4m3"} {
		c.need(t)
	}
	op.d = c.dsts(0, op.columns/2, f32)
	op.a, op.b, op.add = c.src(1, b64), c.src(2, b64), c.psrc(3)
	for i := 4; i <= 5; i++ {
		if c.integer(i) != 1 {
			c.fail("operand %d has to be 1", i)
		}
	}
	if op.datapath.Name == "" {
		c.fail("%s does not have this instruction", c.kernel.chip.Name)
	}
	c.to.flow, c.to.accumulators = ownFlow, op.d
	return op.run
}

// wgmmaColumns takes the shape.
func (c *call) wgmmaColumns() int {
	if len(c.modifiers) == 0 {
		c.fail("a shape is missing")
		return 8
	}
	text, after := strings.CutPrefix(c.modifiers[0], "m64n")
	text, before := strings.CutSuffix(text, "k32")
	n, err := strconv.Atoi(text)
	if !after || !before || err != nil || n < 8 || n > wgmmaMaxColumns || n%8 != 0 {
		c.fail("shape %s; m64nNk32 is supported, N a multiple of 8 up to %d", c.next(), wgmmaMaxColumns)
		return 8
	}
	c.modifiers = c.modifiers[1:]
	return n
}

// run multiplies the 16 rows that belong to the warp. A chip does so at any time up to
// the wait, so that nothing may change until then.
func (op *wgmmaOp) run(w *warp, on uint32) {
	if !w.together(on, "wgmma") {
		return
	}
	m, ok := op.operands(w)
	if !ok || !w.joins(m) || w.block.kernel.check && !w.accumulate(op.d, op.columns) {
		return
	}
	t := w.tileOf(op.columns)
	if !w.fetch(&t.a, m.a, w.index%groupWarps*mmaM) || !w.fetch(&t.b, m.b, 0) {
		return
	}
	op.count(w)
	op.accumulators(func(lane, i, at int) {
		t.out[at] = 0
		if m.add {
			t.out[at] = f32Of(w.registers[op.d[i]][lane])
		}
	})
	op.datapath.MMATile(t.out, t.a.rows, t.b.rows, nil, nil)
	op.accumulators(func(lane, i, at int) { w.registers[op.d[i]][lane] = f32Bits(t.out[at]) })
	op.pass(w, t, m.add)
}

// operands returns what the warp multiplies: all lanes have to agree.
func (op *wgmmaOp) operands(w *warp) (m multiply, ok bool) {
	steering := w.marks[op.a] | w.marks[op.b]
	if !op.add.fixed {
		steering |= w.predicateMarks[op.add.index]
	}
	if w.marked && !w.decides(steering, "an operand of wgmma") {
		return m, false
	}
	add := op.add.of(w)
	m = multiply{at: w.at(), warp: w.index, a: w.registers[op.a][0], b: w.registers[op.b][0], add: add&1 == 1}
	for lane := range lanes {
		if w.registers[op.a][lane] != m.a || w.registers[op.b][lane] != m.b || add>>lane&1 != add&1 {
			w.fail(BadOperand, lane, "descriptors and scale-d of wgmma have to be the same in all threads")
			return m, false
		}
	}
	return m, true
}

// count counts the work of a warp; what all four share is counted once.
func (op *wgmmaOp) count(w *warp) {
	c := &w.block.counters
	c.MMAs += uint64(op.columns / mmaN)
	c.MatrixRead += mmaM * mmaK
	if w.index%groupWarps == 0 {
		c.MatrixRead += uint64(op.columns * mmaK)
	}
}

// accumulators calls do for register i of every lane; at is its element among 16 rows.
func (op *wgmmaOp) accumulators(do func(lane, i, at int)) {
	for i := range op.d {
		for lane := range lanes {
			row, column := lane/4+i/2%2*8, i/4*8+lane%4*2+i%2
			do(lane, i, row*op.columns+column)
		}
	}
}

// pass marks the elements whose row of A, row of B or accumulator depends on undefined
// memory.
func (op *wgmmaOp) pass(w *warp, t *wgmmaTile, add bool) {
	if !w.marked && !t.a.holes && !t.b.holes {
		return
	}
	for i, d := range op.d {
		u := uint32(0)
		if add {
			u = w.marks[d]
		}
		for lane := range lanes {
			if t.a.undefined[lane/4+i/2%2*8] || t.b.undefined[i/4*8+lane%4*2+i%2] {
				u |= 1 << lane
			}
		}
		w.mark(d, ^uint32(0), u)
	}
}
