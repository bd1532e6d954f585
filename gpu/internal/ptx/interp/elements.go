package interp

import "strings"

// elements is what the registers of an instruction hold: one number, or two of
// half a register each, the x2 types.
type elements struct {
	number
	packed bool
}

// elements takes a type of one of these names.
func (c *call) elements(names ...string) elements {
	name, packed := strings.CutSuffix(c.need(names...), "x2")
	t, ok := numberNamed(name)
	if !ok {
		return elements{number: b32}
	}
	return elements{t, packed}
}

// held is the type of the registers.
func (e elements) held() number {
	if e.packed {
		return number{'b', 2 * e.bits}
	}
	return e.number
}

// unary, binary and ternary make functions of registers of functions of numbers.

func (e elements) unary(f func(a uint64) uint64) func(a uint64) uint64 {
	if !e.packed {
		return f
	}
	return func(a uint64) uint64 {
		return f(a>>e.bits)<<e.bits | f(e.cut(a))
	}
}

func (e elements) binary(f func(a, b uint64) uint64) func(a, b uint64) uint64 {
	if !e.packed {
		return f
	}
	return func(a, b uint64) uint64 {
		return f(a>>e.bits, b>>e.bits)<<e.bits | f(e.cut(a), e.cut(b))
	}
}

func (e elements) ternary(f func(a, b, x uint64) uint64) func(a, b, x uint64) uint64 {
	if !e.packed {
		return f
	}
	return func(a, b, x uint64) uint64 {
		return f(a>>e.bits, b>>e.bits, x>>e.bits)<<e.bits | f(e.cut(a), e.cut(b), e.cut(x))
	}
}
