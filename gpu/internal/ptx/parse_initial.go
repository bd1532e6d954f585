package ptx

import (
	"encoding/binary"
	"math"
)

// initialiser takes the initial value of a variable and returns its bytes. The
// first dimension can be open: then the list says how many elements there are.
func (p *parser) initialiser(e element, dimensions []int, open bool) []byte {
	p.advance()
	if e.lanes > 1 {
		dimensions = append(dimensions, e.lanes)
	}
	data := []byte{}
	switch {
	case len(dimensions) == 0:
		return p.initialNumber(data, e)
	case open:
		return p.initialList(data, e, dimensions, math.MaxInt)
	}
	return p.initialList(data, e, dimensions, dimensions[0])
}

// initialList takes a list in curly brackets of at most that many elements, which
// themselves have the further dimensions, and appends its bytes to data. What the
// list leaves out is zero.
func (p *parser) initialList(data []byte, e element, dimensions []int, most int) []byte {
	size := e.size
	for _, n := range dimensions[1:] {
		size *= n
	}
	start := len(data)
	p.expect("{")
	for n := 0; !p.accept("}"); n++ {
		if n == most {
			p.fail(p.tok.line, "expected } after %d elements, found %s", most, p.tok)
			return data
		}
		if len(dimensions) > 1 {
			data = p.initialList(data, e, dimensions[1:], dimensions[1])
		} else {
			data = p.initialNumber(data, e)
		}
		if !p.at("}") {
			p.expect(",")
		}
		if p.tok.kind == endToken {
			p.unexpected("an element")
			return data
		}
	}
	if most == math.MaxInt {
		return data
	}
	return p.zeros(data, start+most*size-len(data))
}

// zeros appends n bytes that no text stands for.
func (p *parser) zeros(data []byte, n int) []byte {
	p.spend(&p.budget.initial, n, p.tok.line, "bytes of initial values")
	if p.err != nil {
		return data
	}
	return append(data, make([]byte, n)...)
}

// initialNumber takes one number and appends its bytes to data.
func (p *parser) initialNumber(data []byte, e element) []byte {
	first := p.tok
	if first.kind == wordToken {
		p.fail(first.line, "expected a number, found %s: addresses as initial values are not supported", first)
		return data
	}
	bits := p.bitsOf(p.constant(anyOperator), e, first)
	full := binary.LittleEndian.AppendUint64(nil, bits)
	full = append(full, make([]byte, 8)...) // of a .b128
	return append(data, full[:e.size]...)
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
