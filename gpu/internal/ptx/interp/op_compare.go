package interp

import "math"

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

func (c *call) relation() relation {
	if len(c.modifiers) == 0 {
		c.fail("a comparison is missing")
		return relations["eq"]
	}
	name := c.modifiers[0]
	if other, ok := unsignedNames[name]; ok {
		name = other
	}
	r, ok := relations[name]
	if !ok {
		c.fail("comparison %s is not supported", c.next())
		return relations["eq"]
	}
	c.modifiers = c.modifiers[1:]
	return r
}

// buildSetp compares, and may combine the result with a third operand.
func buildSetp(c *call) step {
	r := c.relation()
	combine := c.take("and", "or", "xor")
	flush := c.has("ftz")
	t := c.number("busf", 16, 32, 64)
	compare := t.comparison(r, flush)
	p, q := c.pdst(0)
	a, b := c.src(1, t), c.src(2, t)
	var with truth
	if combine != "" {
		with = c.psrc(3)
	}
	return func(w *warp, on uint32) {
		x, y := &w.registers[a], &w.registers[b]
		var v uint32
		for m := on; m != 0; m &= m - 1 {
			if i := first(m); compare(x[i], y[i]) {
				v |= 1 << i
			}
		}
		w.setPredicates(p, q, on, v, combine, with)
	}
}

// setPredicates stores a comparison and, in q, its opposite, each combined.
func (w *warp) setPredicates(p, q int, on, v uint32, combine string, with truth) {
	not := ^v
	if combine != "" {
		other := with.of(w)
		v, not = combined(combine, v, other), combined(combine, not, other)
	}
	w.setPredicate(p, on, v)
	w.setPredicate(q, on, not)
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

// comparison returns how two register contents of a type compare.
func (t number) comparison(r relation, flush bool) func(a, b uint64) bool {
	switch t.kind {
	case 's':
		return func(a, b uint64) bool { return r(t.signed(a) < t.signed(b), a == b, false) }
	case 'f':
		return func(a, b uint64) bool {
			x, y := t.value(a, flush), t.value(b, flush)
			return r(x < y, x == y, math.IsNaN(x) || math.IsNaN(y))
		}
	}
	return func(a, b uint64) bool { return r(a < b, a == b, false) }
}

func buildSelp(c *call) step {
	t := c.number("busf", 16, 32, 64)
	d, a, b, p := c.dst(0), c.src(1, t), c.src(2, t), c.psrc(3)
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
