package ptx

// guard takes @p or @!p.
func (b *body) guard(p *parser, s *scope) Guard {
	p.advance()
	negated := p.accept("!")
	line := p.tok.line
	return Guard{p.register(s, p.predicate(), line), negated}
}

// instruction takes an instruction after its opcode.
func (b *body) instruction(p *parser, s *scope, g Guard, opcode token) {
	in := Instruction{
		Guard:     g,
		Opcode:    opcode.text,
		Modifiers: p.modifiers(),
		Line:      opcode.line,
		Source:    Source{Line: b.at.line},
	}
	if !p.accept(";") {
		in.Operands = p.operands(in.Opcode == "call")
	}
	for i := range in.Operands {
		p.resolve(s, &in.Operands[i], in.Opcode == "bra", in.Line)
	}
	b.function.Body = append(b.function.Body, in)
	b.files = append(b.files, b.at.file)
}

// modifiers takes the dotted names after an opcode.
func (p *parser) modifiers() []string {
	var all []string
	for p.tok.kind == dotToken {
		all = append(all, p.tok.text[1:])
		p.advance()
	}
	return all
}

// operands takes an instruction's operands and the semicolon. call says that
// round brackets are lists, and not constant expressions.
func (p *parser) operands(call bool) []Operand {
	var all []Operand
	for {
		if call && p.accept("(") {
			all = append(all, p.vector(")"))
		} else {
			all = append(all, p.operand())
		}
		if !p.more(";") {
			return all
		}
	}
}
