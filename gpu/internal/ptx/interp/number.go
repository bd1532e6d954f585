package interp

import (
	"math"
	"strconv"

	"blockfp8/gpu/internal/ptx"
)

// number is a PTX type of values.
type number struct {
	kind byte // b, u, s, f (float), h (bf16)
	bits int
}

// The types that builders ask for by name.
var (
	b16 = number{'b', 16}
	b32 = number{'b', 32}
	b64 = number{'b', 64}
	u32 = number{'u', 32}
	s32 = number{'s', 32}
	f32 = number{'f', 32}
	u64 = number{'u', 64}
)

// numberNamed reads a type such as "s32".
func numberNamed(name string) (number, bool) {
	if name == "bf16" {
		return number{'h', 16}, true
	}
	if len(name) < 2 {
		return number{}, false
	}
	n, err := strconv.Atoi(name[1:])
	if err != nil {
		return number{}, false
	}
	switch name[0] {
	case 'b', 'u', 's':
		return number{name[0], n}, n == 8 || n == 16 || n == 32 || n == 64
	case 'f':
		return number{'f', n}, n == 16 || n == 32 || n == 64
	}
	return number{}, false
}

func (t number) String() string {
	if t.kind == 'h' {
		return "bf16"
	}
	return string(t.kind) + strconv.Itoa(t.bits)
}

// number takes the next modifier, which has to be a type of one of these kinds
// ("bus" stands for integers and bits) and sizes.
func (c *call) number(kinds string, sizes ...int) number {
	if len(c.modifiers) == 0 {
		c.fail("a type is missing")
		return b32
	}
	t, ok := numberNamed(c.modifiers[0])
	if !ok || !t.oneOf(kinds, sizes) {
		c.fail("type %s is not supported here", c.next())
		return b32
	}
	c.modifiers = c.modifiers[1:]
	return t
}

func (t number) oneOf(kinds string, sizes []int) bool {
	kind := false
	for i := range kinds {
		kind = kind || kinds[i] == t.kind
	}
	size := len(sizes) == 0
	for _, s := range sizes {
		size = size || s == t.bits
	}
	return kind && size
}

// cut returns the value's low bits, as a register of the type holds them.
func (t number) cut(v uint64) uint64 {
	if t.bits == 64 {
		return v
	}
	return v & (1<<t.bits - 1)
}

// signed returns the value of bits as a signed integer.
func (t number) signed(v uint64) int64 {
	return int64(v<<(64-t.bits)) >> (64 - t.bits)
}

// wide returns the integer that the bits are, for the type: sign-extended for s,
// zero-extended for u and b.
func (t number) wide(v uint64) int64 {
	if t.kind == 's' {
		return t.signed(v)
	}
	return int64(t.cut(v))
}

func f32Of(v uint64) float32   { return math.Float32frombits(uint32(v)) }
func f32Bits(v float32) uint64 { return uint64(math.Float32bits(v)) }

// float returns the bits of a floating-point constant for a type.
func (c *call) float(o ptx.Operand, t number) uint64 {
	fits := t.kind == 'f' || t.kind == 'b'
	switch {
	case fits && t.bits == 32 && o.Kind == ptx.Float32Operand, fits && t.bits == 64 && o.Kind == ptx.Float64Operand:
		return o.Bits
	case t == f32:
		return f32Bits(float32(math.Float64frombits(o.Bits)))
	}
	c.fail("a floating-point constant does not fit type %v", t)
	return 0
}
