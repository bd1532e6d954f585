package ptx

import (
	"encoding/binary"
	"math"
)

// initial is an initial value while it is read.
type initial struct {
	element   element
	data      []byte
	addresses []Address
}

// initialiser takes the initial value of a variable. The first dimension can be
// open: then the list says how many elements there are.
func (p *parser) initialiser(e element, dimensions []int, open bool) initial {
	p.advance()
	if e.lanes > 1 {
		dimensions = append(dimensions, e.lanes)
	}
	v := initial{element: e, data: []byte{}}
	switch {
	case len(dimensions) == 0:
		v.value(p)
	case open:
		v.list(p, dimensions, math.MaxInt)
	default:
		v.list(p, dimensions, dimensions[0])
	}
	return v
}

// list takes a list in curly brackets of at most that many elements, which
// themselves have the further dimensions. What the list leaves out is zero.
func (v *initial) list(p *parser, dimensions []int, most int) {
	size := v.element.size
	for _, n := range dimensions[1:] {
		size *= n
	}
	start := len(v.data)
	p.expect("{")
	for n := 0; !p.accept("}"); n++ {
		if n == most {
			p.fail(p.tok.line, "expected } after %d elements, found %s", most, p.tok)
		}
		if p.tok.kind == endToken {
			p.unexpected("an element")
			return
		}
		if len(dimensions) > 1 {
			v.list(p, dimensions[1:], dimensions[1])
		} else {
			v.value(p)
		}
		if !p.at("}") && !p.accept(",") {
			p.unexpected(", or }")
		}
	}
	if most != math.MaxInt {
		v.zeros(p, start+most*size-len(v.data))
	}
}

// zeros adds n bytes that no text stands for.
func (v *initial) zeros(p *parser, n int) {
	p.spend(&p.budget.initial, n, p.tok.line, "bytes of initial values")
	if p.err == nil {
		v.data = append(v.data, make([]byte, n)...)
	}
}

// value takes one element.
func (v *initial) value(p *parser) {
	first := p.tok
	var bits uint64
	if first.kind == wordToken && !p.at("WARP_SZ") {
		v.address(p)
	} else {
		bits = p.bitsOf(p.constant(anyOperator), v.element, first)
	}
	var full [16]byte // as large as a .b128
	binary.LittleEndian.PutUint64(full[:], bits)
	v.data = append(v.data, full[:v.element.size]...)
}

// address takes the address of a variable or function, or generic(address).
func (v *initial) address(p *parser) {
	a := Address{At: len(v.data)}
	if a.Generic = p.accept("generic"); a.Generic {
		p.expect("(")
	}
	name := p.take(wordToken, "a name")
	if _, ok := p.global.symbols[name.text]; !ok {
		p.fail(name.line, "undeclared name %s", name)
	}
	if v.element.size != 4 && v.element.size != 8 {
		p.fail(name.line, "expected an initial value of type .%s, found the address %s", v.element.name, name)
	}
	a.Name, a.Offset = name.text, p.offset()
	if a.Generic {
		p.expect(")")
		a.Offset += p.offset()
	}
	v.addresses = append(v.addresses, a)
}

// bitsOf returns a number as an element of the variable, which has to hold it.
func (p *parser) bitsOf(v Operand, e element, first token) uint64 {
	float := e.name[0] == 'f' || e.name[0] == 'b'
	switch {
	case v.Kind == IntegerOperand && e.name[0] != 'f' && fits(v.Bits, e.size):
		return v.Bits
	case v.Kind == Float32Operand && float && e.size == 4,
		v.Kind == Float64Operand && float && e.size == 8:
		return v.Bits
	case v.Kind == Float64Operand && e.name == "f32":
		return uint64(math.Float32bits(float32(math.Float64frombits(v.Bits))))
	}
	p.fail(first.line, "expected an initial value of type .%s, found %s", e.name, first)
	return 0
}

// fits says whether an integer has size bytes, as a signed or an unsigned number.
func fits(bits uint64, size int) bool {
	if size >= 8 {
		return true
	}
	high := int64(bits) >> (8*size - 1)
	return bits>>(8*size) == 0 || high == -1
}
