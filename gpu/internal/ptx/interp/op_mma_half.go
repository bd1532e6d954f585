package interp

// halfK is the number of products of an m16n8k16 instruction.
const halfK = 16

// halfMMA is mma.sync m16n8k16 of float16 or bfloat16 with float32 accumulators,
// on the chips whose arithmetic is known, HMMA.16816's (PTX ISA, "Matrix fragments
// for mma.m16n8k16").
func (c *call) halfMMA() step {
	c.need("row")
	c.need("col")
	c.need("f32")
	t := c.elements("f16", "bf16").number
	c.need(t.String())
	c.need("f32")
	if target := c.kernel.chip.Target; target != 90 && target != 100 {
		c.fail("how %s multiplies %v is not known", c.kernel.chip.Name, t)
	}
	op := halfOp{t: t, d: c.dsts(0, 4, f32), a: c.srcs(1, 4, b32), b: c.srcs(2, 2, b32), c: c.srcs(3, 4, f32)}
	return op.run
}

type halfOp struct {
	t          number
	d, a, b, c []int
}

func (op *halfOp) run(w *warp, on uint32) {
	if !w.together(on, "mma") {
		return
	}
	w.block.counters.MMAs++
	var a [mmaM][halfK]term
	var b [mmaN][halfK]term
	for lane := range lanes {
		row, k := lane/4, lane%4*2
		for i, slot := range op.a {
			op.spread(a[row+i%2*8][k+i/2*8:], w.registers[slot][lane])
		}
		for i, slot := range op.b {
			op.spread(b[row][k+i*8:], w.registers[slot][lane])
		}
	}
	var c [4]vector // the registers of d may be among those of c
	for i, slot := range op.c {
		c[i] = w.registers[slot]
	}
	for i, slot := range op.d {
		for lane := range lanes {
			m, n := lane/4+i/2*8, lane%4*2+i%2
			w.registers[slot][lane] = fuse(&a[m], &b[n], c[i][lane])
		}
	}
}

// spread puts the two numbers of a register into a row.
func (op *halfOp) spread(to []term, v uint64) {
	to[0], to[1] = op.t.term(v&0xFFFF), op.t.term(v>>16)
}
