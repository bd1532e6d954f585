package ptx

// warpSize is the value of the constant WARP_SZ.
const warpSize = 32

// precedence orders the operators of constant expressions. Those whose result
// depends on whether the operands are signed (/ % >> and the comparisons) are not
// read: no compiler writes them.
var precedence = map[string]int{"|": 1, "^": 2, "&": 3, "<<": 4, "+": 5, "-": 5, "*": 6}

// The precedences from which an expression starts.
const (
	anyOperator = 1
	productOnly = 6
)

// constant takes a constant expression of operators of at least that precedence.
func (p *parser) constant(least int) Operand {
	p.enter()
	defer p.leave()
	left := p.unary()
	for {
		operator := p.tok
		level := precedence[operator.text]
		if operator.kind != signToken || level == 0 || level < least {
			return left
		}
		p.advance()
		right := p.constant(level + 1)
		if left.Kind != IntegerOperand || right.Kind != IntegerOperand {
			p.fail(operator.line, "expected integers on both sides of %s", operator)
			return left
		}
		left.Bits = combine(operator.text, left.Bits, right.Bits)
	}
}

// integerConstant takes a constant expression that is an integer.
func (p *parser) integerConstant(least int) uint64 {
	line := p.tok.line
	v := p.constant(least)
	if v.Kind != IntegerOperand {
		p.fail(line, "expected an integer, found a floating-point number")
	}
	return v.Bits
}

func combine(operator string, a, b uint64) uint64 {
	switch operator {
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "&":
		return a & b
	case "<<":
		return a << b
	case "+":
		return a + b
	case "-":
		return a - b
	}
	return a * b
}

// unary takes a literal, WARP_SZ or an expression in brackets, with the signs
// before it.
func (p *parser) unary() Operand {
	p.enter()
	defer p.leave()
	switch operator := p.tok; {
	case p.accept("+"):
		return p.unary()
	case p.accept("-"):
		return negative(p.unary())
	case p.accept("~"):
		v := p.unary()
		if v.Kind != IntegerOperand {
			p.fail(operator.line, "expected an integer after ~")
		}
		v.Bits = ^v.Bits
		return v
	case p.accept("("):
		v := p.constant(anyOperator)
		p.expect(")")
		return v
	case p.accept("WARP_SZ"):
		return Operand{Kind: IntegerOperand, Bits: warpSize}
	}
	return p.literal()
}

// negative returns -v, which for a float is the other sign bit.
func negative(v Operand) Operand {
	switch v.Kind {
	case Float32Operand:
		v.Bits ^= 1 << 31
	case Float64Operand:
		v.Bits ^= 1 << 63
	default:
		v.Bits = -v.Bits
	}
	return v
}
