package ptx

import (
	"math"
	"strconv"
	"strings"
)

// literal takes a number: an operand of kind IntegerOperand, Float32Operand or
// Float64Operand.
func (p *parser) literal() Operand {
	t := p.take(numberToken, "a number")
	if t.kind != numberToken {
		return Operand{}
	}
	if o, ok := number(t.text); ok {
		return o
	}
	p.fail(t.line, "expected a number, found %s", t)
	return Operand{}
}

// number reads a literal.
func number(text string) (Operand, bool) {
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(lower, "0f"):
		return exact(Float32Operand, lower[2:], 8)
	case strings.HasPrefix(lower, "0d"):
		return exact(Float64Operand, lower[2:], 16)
	case !strings.HasPrefix(lower, "0x") && strings.ContainsAny(lower, ".e"):
		return decimal(lower)
	}
	bits, err := integer(lower)
	return Operand{Kind: IntegerOperand, Bits: bits}, err == nil
}

// exact reads the bits of a float, which have to be all there.
func exact(k OperandKind, hex string, digits int) (Operand, bool) {
	bits, err := strconv.ParseUint(hex, 16, 64)
	return Operand{Kind: k, Bits: bits}, err == nil && len(hex) == digits
}

// decimal reads a decimal float, which is a float64 in PTX.
func decimal(text string) (Operand, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return Operand{Kind: Float64Operand, Bits: math.Float64bits(v)}, err == nil && !strings.Contains(text, "_")
}

// integer reads an integer: hexadecimal, binary, octal or decimal, with a u after
// it if it is unsigned, which makes no difference to its bits.
func integer(lower string) (uint64, error) {
	digits := strings.TrimSuffix(lower, "u")
	switch {
	case strings.HasPrefix(digits, "0x"):
		return strconv.ParseUint(digits[2:], 16, 64)
	case strings.HasPrefix(digits, "0b"):
		return strconv.ParseUint(digits[2:], 2, 64)
	case len(digits) > 1 && digits[0] == '0':
		return strconv.ParseUint(digits[1:], 8, 64)
	}
	return strconv.ParseUint(digits, 10, 64)
}

// count takes a plain integer from low to high.
func (p *parser) count(low, high int) int {
	t := p.take(numberToken, "a number")
	if t.kind != numberToken {
		return low
	}
	n, err := integer(strings.ToLower(t.text))
	if err != nil || n < uint64(low) || n > uint64(high) {
		p.fail(t.line, "expected a number from %d to %d, found %s", low, high, t)
		return low
	}
	return int(n)
}
