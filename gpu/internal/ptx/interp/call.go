package interp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"blockfp8/gpu/internal/ptx"
)

// call is one instruction while it is compiled: builders take its modifiers from
// left to right and its operands by number. The first thing that does not fit is
// kept as err; what is returned after that has no meaning but does no harm.
type call struct {
	*scope
	in        *ptx.Instruction
	modifiers []string // not taken yet
	to        *instruction
	err       error
	operands  int // how many the builder asked for
}

func (c *call) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// take takes the next modifier if it is one of these, and returns it; else "".
func (c *call) take(names ...string) string {
	if len(c.modifiers) > 0 && slices.Contains(names, c.modifiers[0]) {
		c.modifiers = c.modifiers[1:]
		return c.in.Modifiers[len(c.in.Modifiers)-len(c.modifiers)-1]
	}
	return ""
}

// has takes the next modifier if it is this one.
func (c *call) has(name string) bool { return c.take(name) != "" }

// need takes the next modifier, which has to be one of these.
func (c *call) need(names ...string) string {
	m := c.take(names...)
	if m == "" {
		c.fail("modifier %s is not supported here, only .%s", c.next(), strings.Join(names, ", ."))
	}
	return m
}

func (c *call) next() string {
	if len(c.modifiers) == 0 {
		return "(none)"
	}
	return "." + c.modifiers[0]
}

// end checks that nothing of the instruction was left out.
func (c *call) end() {
	if len(c.modifiers) > 0 {
		c.fail("modifier %s is not supported", c.next())
	}
	if len(c.in.Operands) > c.operands {
		c.fail("%d operands, %d are expected", len(c.in.Operands), c.operands)
	}
}

var errMissing = errors.New("operand missing")

// operand returns operand i.
func (c *call) operand(i int) ptx.Operand {
	c.operands = max(c.operands, i+1)
	if i >= len(c.in.Operands) {
		if c.err == nil {
			c.err = errMissing
		}
		return ptx.Operand{Kind: ptx.SinkOperand}
	}
	return c.in.Operands[i]
}

// given reports whether operand i is there.
func (c *call) given(i int) bool { return i < len(c.in.Operands) }

// dst returns the slot of a register of a type that is written. "_" is a slot
// nobody reads.
func (c *call) dst(i int, t number) int { return c.dstOf(c.operand(i), t) }

func (c *call) dstOf(o ptx.Operand, t number) int {
	if o.Second != "" {
		c.fail("a pair of destinations where one is expected")
	}
	return c.written(o, t.bits, t.bits).slot
}

// written returns a register that is written, of least to most bits.
func (c *call) written(o ptx.Operand, least, most int) register {
	switch {
	case o.Kind == ptx.RegisterOperand && o.Name != "_":
		r := c.register(o, least, most)
		c.to.writes = append(c.to.writes, r.slot)
		return r
	case o.Kind == ptx.SinkOperand, o.Kind == ptx.RegisterOperand:
		return register{c.slot(), most}
	}
	c.fail("a register is expected as destination")
	return register{bits: most}
}

// dstPair returns the destinations d|p: a register and the index of a predicate,
// which is -1 if it is not there.
func (c *call) dstPair(i int, t number) (slot, p int) {
	o := c.operand(i)
	p = c.writtenPredicate(o.Second)
	return c.written(o, t.bits, t.bits).slot, p
}

// register returns a register that has to have least to most bits.
func (c *call) register(o ptx.Operand, least, most int) register {
	r, ok := c.registers[o.Name]
	c.to.touches = append(c.to.touches, r.slot)
	switch {
	case !ok:
		c.fail("%s is no register for values", o.Name)
	case o.Negated:
		c.fail("a value cannot be negated with !")
	case r.bits < least || r.bits > most:
		c.fail("register %s has %d bits, %d are expected", o.Name, r.bits, least)
	}
	return r
}

// src returns the slot of a value of a type: a register of its size, a constant, a
// special register or the address of a variable.
func (c *call) src(i int, t number) int { return c.srcOf(c.operand(i), t) }

func (c *call) srcOf(o ptx.Operand, t number) int { return c.readOf(o, t, t.bits) }

// srcWide is src for the instructions that take the low bits of larger registers.
func (c *call) srcWide(i int, t number) int { return c.readOf(c.operand(i), t, 64) }

// readOf is the value of an operand that, if a register, has at most most bits.
func (c *call) readOf(o ptx.Operand, t number, most int) int {
	switch o.Kind {
	case ptx.RegisterOperand:
		slot := c.register(o, t.bits, most).slot
		if o.Second != "" {
			c.fail("a pair where one value is expected")
		}
		c.to.reads = append(c.to.reads, slot)
		return slot
	case ptx.IntegerOperand:
		return c.constant(t.cut(o.Bits))
	case ptx.Float32Operand, ptx.Float64Operand:
		return c.constant(c.float(o, t))
	case ptx.SpecialOperand:
		return c.special(o.Name)
	case ptx.SymbolOperand:
		return c.constant(c.scope.address(o.Name, c) + uint64(o.Offset))
	}
	c.fail("a value is expected")
	return 0
}

// list returns the slots of a vector operand, or of the one register.
func (c *call) list(o ptx.Operand, n int, slot func(ptx.Operand) int) []int {
	elements := []ptx.Operand{o}
	if o.Kind == ptx.VectorOperand {
		elements = o.Elements
	}
	if len(elements) != n {
		c.fail("%d registers, %d are expected", len(elements), n)
	}
	slots := make([]int, n)
	for i := range min(n, len(elements)) {
		slots[i] = slot(elements[i])
	}
	return slots
}

// dsts and srcs return the slots of the n registers of a vector operand.
func (c *call) dsts(i, n int, t number) []int {
	return c.list(c.operand(i), n, func(o ptx.Operand) int { return c.dstOf(o, t) })
}

func (c *call) srcs(i, n int, t number) []int {
	return c.list(c.operand(i), n, func(o ptx.Operand) int { return c.srcOf(o, t) })
}

// integer returns operand i, which has to be an immediate.
func (c *call) integer(i int) int64 {
	o := c.operand(i)
	if o.Kind != ptx.IntegerOperand {
		c.fail("operand %d has to be a constant", i)
	}
	return int64(o.Bits)
}

// predicate returns the index of a predicate register.
func (c *call) predicate(name string) int {
	p, ok := c.predicates[name]
	if !ok {
		c.fail("%s is no predicate", name)
	}
	return p
}

// truth is a predicate operand that is read.
type truth struct {
	index   int
	negated bool
	fixed   bool // not a register but an immediate, whose value is in negated: 1 is true
}

func (c *call) psrc(i int) truth {
	o := c.operand(i)
	switch o.Kind {
	case ptx.RegisterOperand:
		p := c.predicate(o.Name)
		c.to.readPredicates = append(c.to.readPredicates, p)
		return truth{index: p, negated: o.Negated}
	case ptx.IntegerOperand:
		return truth{fixed: true, negated: o.Bits != 0}
	}
	c.fail("operand %d has to be a predicate", i)
	return truth{}
}

// of returns the predicate for all lanes.
func (p truth) of(w *warp) uint32 {
	var v uint32
	if !p.fixed {
		v = w.predicates[p.index]
	}
	if p.negated {
		v = ^v
	}
	return v
}

// pdst returns the predicates that are written: the second is -1 unless operand i
// is a pair p|q; a sink is -1.
func (c *call) pdst(i int) (p, q int) {
	o := c.operand(i)
	switch o.Kind {
	case ptx.RegisterOperand:
		if o.Negated {
			c.fail("a destination cannot be negated")
		}
		return c.writtenPredicate(o.Name), c.writtenPredicate(o.Second)
	case ptx.SinkOperand:
		return -1, -1
	}
	c.fail("operand %d has to be a predicate", i)
	return -1, -1
}

func (c *call) writtenPredicate(name string) int {
	if name == "" || name == "_" {
		return -1
	}
	p := c.predicate(name)
	c.to.writePredicates = append(c.to.writePredicates, p)
	return p
}

// isPredicate reports whether operand i is a predicate register.
func (c *call) isPredicate(i int) bool {
	if !c.given(i) || c.in.Operands[i].Kind != ptx.RegisterOperand {
		return false
	}
	_, ok := c.predicates[c.in.Operands[i].Name]
	return ok
}

// target checks that the chip is of a compute capability, 10*major + minor, or a
// later one.
func (c *call) target(least int) {
	if c.kernel.chip.Target < least {
		c.fail("%s does not have this instruction; sm_%d and later chips do", c.kernel.chip.Name, least)
	}
}

// targetIs checks that the module is for a chip of that name alone.
func (c *call) targetIs(name string) {
	if c.moduleTarget != name {
		c.fail("an instruction of .target %s alone; the module is for %s", name, c.moduleTarget)
	}
}

// onePredicate is pdst for what writes no second one.
func (c *call) onePredicate(i int) int {
	p, q := c.pdst(i)
	if q >= 0 {
		c.fail("a second predicate where one is expected")
	}
	return p
}
