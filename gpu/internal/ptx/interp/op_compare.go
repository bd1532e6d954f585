package interp

import (
	"math"
	"strings"
)

// relation decides from how two numbers lie.
type relation func(less, equal, unordered bool) bool

var relations = map[string]relation{
	"eq":  func(_, eq, un bool) bool { return eq && !un },
	"ne":  func(_, eq, un bool) bool { return !eq && !un },
	"lt":  func(lt, _, un bool) bool { return lt && !un },
	"le":  func(lt, eq, un bool) bool { return (lt || eq) && !un },
	"gt":  func(lt, eq, un bool) bool { return !lt && !eq && !un },
	"ge":  func(lt, _, un bool) bool { return !lt && !un },
	"equ": func(_, eq, un bool) bool { return eq || un },
	"neu": func(_, eq, un bool) bool { return !eq || un },
	"ltu": func(lt, _, un bool) bool { return lt || un },
	"leu": func(lt, eq, un bool) bool { return lt || eq || un },
	"gtu": func(lt, eq, un bool) bool { return !lt && !eq || un },
	"geu": func(lt, _, un bool) bool { return !lt || un },
	"num": func(_, _, un bool) bool { return !un },
	"nan": func(_, _, un bool) bool { return un },
}

// unsignedNames are other names of relations, for unsigned integers.
var unsignedNames = map[string]string{"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}

// relationsOf lists the relations of each kind of type.
var relationsOf = map[byte]string{
	'b': "eq ne",
	's': "eq ne lt le gt ge",
	'u': "eq ne lt le gt ge lo ls hi hs",
	'f': "eq ne lt le gt ge equ neu ltu leu gtu geu num nan",
	'h': "eq ne lt le gt ge equ neu ltu leu gtu geu num nan",
}

// comparison is what setp and set have in common.
type comparison struct {
	holds   func(a, b uint64) bool
	combine string // with a third operand
	result  elements
	operand elements
}

// comparison takes the modifiers; results are the types that set may have.
func (c *call) comparison(results ...string) comparison {
	if len(c.modifiers) == 0 {
		c.fail("a comparison is missing")
		return comparison{}
	}
	name := c.modifiers[0]
	c.modifiers = c.modifiers[1:]
	v := comparison{combine: c.take("and", "or", "xor")}
	flush := c.has("ftz")
	if len(results) > 0 {
		v.result = c.elements(results...)
	}
	v.operand = c.elements("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f16", "f16x2", "bf16", "bf16x2")
	t := v.operand.number
	if !strings.Contains(" "+relationsOf[t.kind]+" ", " "+name+" ") {
		c.fail("comparison .%s does not go with %v", name, t)
		return v
	}
	if flush && (!t.isFloat() || t.kind == 'h') {
		c.fail("modifier .ftz does not go with %v", t)
	}
	if other, ok := unsignedNames[name]; ok {
		name = other
	}
	v.holds = t.compares(relations[name], flush)
	return v
}

// compares returns how two register contents of a type compare.
func (t number) compares(r relation, flush bool) func(a, b uint64) bool {
	switch t.kind {
	case 's':
		return func(a, b uint64) bool { return r(t.signed(a) < t.signed(b), a == b, false) }
	case 'f', 'h':
		return func(a, b uint64) bool {
			x, y := t.value(a, flush), t.value(b, flush)
			return r(x < y, x == y, math.IsNaN(x) || math.IsNaN(y))
		}
	}
	return func(a, b uint64) bool { return r(a < b, a == b, false) }
}

// buildSetp compares, and may combine the result with a third operand. Of a packed
// type, p is the result of the lower halves and q that of the upper; else q is the
// opposite of p.
func buildSetp(c *call) step {
	v := c.comparison()
	p, q := c.pdst(0)
	if q >= 0 && v.operand.bits == 16 && v.operand.isFloat() && !v.operand.packed {
		c.fail("%v has no second result", v.operand.number)
	}
	a, b := c.src(1, v.operand.held()), c.src(2, v.operand.held())
	var with truth
	if v.combine != "" {
		with = c.psrc(3)
	}
	return func(w *warp, on uint32) {
		x, y := &w.registers[a], &w.registers[b]
		low := lanesWhere(on, func(i int) bool { return v.holds(v.operand.cut(x[i]), v.operand.cut(y[i])) })
		other := ^low
		if v.operand.packed {
			other = lanesWhere(on, func(i int) bool { return v.holds(x[i]>>v.operand.bits, y[i]>>v.operand.bits) })
		}
		if v.combine != "" {
			third := with.of(w)
			low, other = combined(v.combine, low, third), combined(v.combine, other, third)
		}
		w.setPredicate(p, on, low)
		w.setPredicate(q, on, other)
	}
}

// lanesWhere returns the lanes of on for which something holds.
func lanesWhere(on uint32, holds func(lane int) bool) (v uint32) {
	for m := on; m != 0; m &= m - 1 {
		if i := first(m); holds(i) {
			v |= 1 << i
		}
	}
	return v
}

func combined(how string, a, b uint32) uint32 {
	switch how {
	case "and":
		return a & b
	case "or":
		return a | b
	}
	return a ^ b
}

// buildSet compares to a register: 1.0 or all ones for true.
func buildSet(c *call) step {
	v := c.comparison("u32", "s32", "f32", "u16", "s16", "f16", "bf16", "f16x2", "bf16x2")
	// Each half of a packed comparison has its own result, also in an integer.
	yes := v.result.cut(^uint64(0))
	if v.operand.packed && !v.result.packed {
		if v.result.number != u32 && v.result.number != s32 {
			c.fail("a result %v of a comparison of %vx2", v.result.number, v.operand.number)
		}
		yes = 0xFFFF
	}
	if v.result.isFloat() {
		yes = v.result.encode(1)
	}
	if v.result.packed && !v.operand.packed || v.result.bits == 16 && v.result.isFloat() && !v.operand.isFloat() {
		c.fail("a result %v of a comparison of %v", v.result.number, v.operand.number)
	}
	d, a, b := c.dst(0, v.result.held()), c.src(1, v.operand.held()), c.src(2, v.operand.held())
	var with truth
	if v.combine != "" {
		with = c.psrc(3)
	}
	return func(w *warp, on uint32) {
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			chosen := v.operand.binary(func(x, y uint64) uint64 {
				holds := v.holds(x, y)
				if v.combine != "" {
					holds = combined(v.combine, bit(holds), with.of(w)>>i&1) == 1
				}
				if holds {
					return yes
				}
				return 0
			})
			w.registers[d][i] = chosen(w.registers[a][i], w.registers[b][i])
		}
	}
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func buildSelp(c *call) step {
	t := c.bits()
	d, a, b, p := c.dst(0, t), c.src(1, t), c.src(2, t), c.psrc(3)
	return func(w *warp, on uint32) {
		to, x, y := &w.registers[d], &w.registers[a], &w.registers[b]
		v := p.of(w)
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			if v>>i&1 == 1 {
				to[i] = x[i]
			} else {
				to[i] = y[i]
			}
		}
	}
}

// buildSlct selects by the sign of the third operand; a NaN selects the second.
func buildSlct(c *call) step {
	flush := c.has("ftz")
	t := c.bits()
	by := c.elements("s32", "f32").number
	if flush && by != f32 {
		c.fail("modifier .ftz does not go with s32")
	}
	return c.ternaryOf(t, t, t, by, func(a, b, x uint64) uint64 {
		// A negative subnormal that is flushed is -0, which is not less than 0.
		if by == f32 && f32.value(x, flush) >= 0 || by == s32 && s32.signed(x) >= 0 {
			return a
		}
		return b
	})
}
