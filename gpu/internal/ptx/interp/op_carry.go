package interp

import "math/bits"

// carryName is a predicate that no text can name: the condition code's carry flag,
// which add.cc and its kin leave for addc and its kin. After a subtraction it is
// the borrow.
const carryName = "CC.CF"

func (c *call) carry() int {
	p, ok := c.predicates[carryName]
	if !ok {
		p = c.kernel.predicates
		c.kernel.predicates++
		c.predicates[carryName] = p
	}
	return p
}

func buildAddc(c *call) step { return c.carryAdd(true, c.has("cc")) }

func buildSubc(c *call) step { return c.carrySub(true, c.has("cc")) }

func buildMadc(c *call) step { return c.carryMad(true) }

func (c *call) carryAdd(in, out bool) step {
	t := c.number("us", 32, 64)
	return c.withCarry(in, out, 2, t, func(x [3]uint64, carry uint64) (uint64, uint64) {
		return t.addCarry(x[0], x[1], carry)
	})
}

func (c *call) carrySub(in, out bool) step {
	t := c.number("us", 32, 64)
	return c.withCarry(in, out, 2, t, func(x [3]uint64, borrow uint64) (uint64, uint64) {
		d, out := bits.Sub64(x[0], x[1], borrow)
		return t.cut(d), out
	})
}

func (c *call) carryMad(in bool) step {
	high := c.need("lo", "hi") == "hi"
	out := c.has("cc")
	t := c.number("us", 32, 64)
	return c.withCarry(in, out, 3, t, func(x [3]uint64, carry uint64) (uint64, uint64) {
		product := t.cut(x[0] * x[1])
		if high {
			product = t.high(x[0], x[1])
		}
		return t.addCarry(product, x[2], carry)
	})
}

// addCarry returns a sum and its carry.
func (t number) addCarry(a, b, carry uint64) (sum, out uint64) {
	sum, out = bits.Add64(a, b, carry)
	if t.bits == 32 {
		out = sum >> 32
	}
	return t.cut(sum), out
}

// withCarry is a step of some operands that reads the flag, which is 0 otherwise,
// or writes it, or both.
func (c *call) withCarry(in, out bool, operands int, t number, f func(x [3]uint64, carry uint64) (result, out uint64)) step {
	flag := c.carry()
	if in {
		c.to.readPredicates = append(c.to.readPredicates, flag)
	}
	if out {
		c.to.writePredicates = append(c.to.writePredicates, flag)
	}
	d := c.dst(0, t)
	var slots []int
	for i := range operands {
		slots = append(slots, c.src(i+1, t))
	}
	return func(w *warp, on uint32) {
		var carries uint32
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			var x [3]uint64
			for j, s := range slots {
				x[j] = w.registers[s][i]
			}
			var carry uint64
			if in {
				carry = uint64(w.predicates[flag] >> i & 1)
			}
			result, over := f(x, carry)
			w.registers[d][i] = result
			carries |= uint32(over) << i
		}
		if out {
			w.setPredicate(flag, on, carries)
		}
	}
}
