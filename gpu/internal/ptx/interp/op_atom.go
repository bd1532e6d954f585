package interp

import (
	"math"
	"sync"

	"blockfp8/gpu/internal/ptx"
)

// atomics keeps the atomic operations and strong accesses of all blocks that run at
// once apart, whatever memory they are on.
var atomics sync.Mutex

// buildAtom is atom, which returns what was there before.
func buildAtom(c *call) step { return c.atomic(1) }

// buildRed is atom without a result.
func buildRed(c *call) step { return c.atomic(0) }

// atomicNames are the operations, those without a result first.
var atomicNames = []string{"add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas"}

const reductionCount = 8

// atomic is an atomic operation, whose address is operand at.
func (c *call) atomic(at int) step {
	if c.take("relaxed", "acquire", "release", "acq_rel") != "" || len(c.modifiers) > 0 {
		c.take("cta", "cluster", "gpu", "sys")
	}
	space := c.space()
	if space != ptx.NoSpace && space != ptx.Global && space != ptx.Shared {
		c.fail("an atomic operation on memory that is not shared")
	}
	known := atomicNames
	if at == 0 {
		known = known[:reductionCount]
	}
	name := c.need(known...)
	t := c.atomicType(name)
	op := atomicOp{access: access{space: space, size: t.bits / 8, write: true}, t: t, d: -1, compare: -1}
	if at == 1 {
		op.d = c.dst(0, t)
	}
	op.address = c.addressOf(at)
	if name == "cas" {
		op.compare = c.src(at+1, t)
		at++
	}
	op.value = c.src(at+1, t)
	op.combine = t.atomic(name)
	if t == f32 {
		op.combine = atomicFloatAdd(space)
	}
	c.to.flow = ownFlow
	return op.run
}

// atomicType takes the type of an operation.
func (c *call) atomicType(name string) number {
	types := map[string][]string{
		"add": {"u32", "s32", "u64", "f32"}, "min": {"u32", "s32", "u64", "s64"}, "max": {"u32", "s32", "u64", "s64"},
		"inc": {"u32"}, "dec": {"u32"},
	}[name]
	if types == nil {
		types = []string{"b32", "b64"}
	}
	return c.elements(types...).number
}

// atomic returns what memory holds after an operation.
func (t number) atomic(name string) func(old, v uint64) uint64 {
	switch name {
	case "exch", "cas":
		return func(_, v uint64) uint64 { return v }
	case "inc":
		return func(old, v uint64) uint64 {
			if old >= v {
				return 0
			}
			return old + 1
		}
	case "dec":
		return func(old, v uint64) uint64 {
			if old == 0 || old > v {
				return v
			}
			return old - 1
		}
	case "min", "max":
		return func(old, v uint64) uint64 {
			less := old < v
			if t.kind == 's' {
				less = t.signed(old) < t.signed(v)
			}
			if less == (name == "min") {
				return old
			}
			return v
		}
	}
	combine := reductions[name]
	return func(old, v uint64) uint64 { return t.cut(uint64(combine(int64(old), int64(v)))) }
}

// atomicFloatAdd rounds to nearest. Global memory flushes subnormals (PTX ISA, atom);
// a generic address is taken for one.
func atomicFloatAdd(space ptx.Space) func(old, v uint64) uint64 {
	a := arithmetic{elements: elements{number: f32}, rounding: math.RoundToEven, flush: space != ptx.Shared}
	return func(old, v uint64) uint64 { return a.sum(a.of(old), a.of(v)) }
}

// atomicOp is one atomic instruction.
type atomicOp struct {
	access
	address           address
	t                 number
	d, value, compare int // slots; -1 where there is none
	combine           func(old, v uint64) uint64
}

func (op *atomicOp) run(w *warp, on uint32) {
	if w.marked && !op.defined(w, on) {
		return
	}
	at := op.address.of(w, on)
	w.count(op.access, on, &at)
	atomics.Lock()
	defer atomics.Unlock()
	for m := on; m != 0; m &= m - 1 {
		lane := first(m)
		b := w.atomicView(op.access, lane, at[lane])
		if b == nil {
			return
		}
		old := op.t.read(b)
		if op.compare < 0 || old == w.registers[op.compare][lane] {
			op.t.write(b, op.combine(old, w.registers[op.value][lane]))
		}
		if op.d >= 0 {
			w.registers[op.d][lane] = old
		}
	}
	if op.d >= 0 {
		w.mark(op.d, on, 0)
	}
}

// defined checks the operands: what others see must not depend on undefined
// memory.
func (op *atomicOp) defined(w *warp, on uint32) bool {
	marks := w.marks[op.value]
	if op.compare >= 0 {
		marks |= w.marks[op.compare]
	}
	return w.decides(marks&on, "an atomic operation")
}

// atomicView returns the bytes of an operation, after all checks.
func (w *warp) atomicView(a access, lane int, address uint64) []byte {
	space, _ := resolve(a.space, address)
	if space == ptx.Local {
		w.fail(BadOperand, lane, "an atomic operation on local memory")
		return nil
	}
	a.atomic = true
	if space == ptx.Global && w.view(access{space: a.space, size: a.size}, lane, address) == nil {
		return nil
	}
	return w.view(a, lane, address)
}
