package ptx

import "strconv"

// registers takes a .reg declaration.
func (b *body) registers(p *parser, s *scope) {
	p.advance()
	if p.at(".v2") || p.at(".v4") {
		p.unexpected("a type: vector registers are not supported")
	}
	kind := p.typeName()
	for {
		name := p.take(wordToken, "the name of a register")
		if p.accept("<") {
			n := p.count(0, maxDeclared)
			p.expect(">")
			b.addNumbered(p, s, name, n, kind)
		} else {
			b.addRegister(p, s, name.text, kind, name.line)
		}
		if !p.more(";") {
			return
		}
	}
}

// addNumbered adds the n registers of a parameterised declaration.
func (b *body) addNumbered(p *parser, s *scope, name token, n int, kind string) {
	p.spend(&p.budget.registers, n, name.line, "registers")
	for i := 0; i < n && p.err == nil; i++ {
		b.addRegister(p, s, name.text+strconv.Itoa(i), kind, name.line)
	}
}

func (b *body) addRegister(p *parser, s *scope, name, kind string, line int) {
	unique := p.declare(s, registerSymbol, name, line)
	b.function.Registers = append(b.function.Registers, Register{unique, kind})
}
