package ptx

// body is a function while its statements are read.
type body struct {
	function *Function
	scopes   int   // inner ones, so far
	at       place // of the last .loc
	files    []int // number of each instruction's source file
}

// functionBody takes what stands in a function's curly brackets. s holds its
// parameters.
func (p *parser) functionBody(f *Function, s *scope) {
	for _, list := range [][]Variable{f.Returns, f.Params} {
		for _, v := range list {
			p.declare(s, variableSymbol, v.Name, v.Line)
		}
	}
	b := &body{function: f, at: place{file: -1}}
	p.expect("{")
	b.statements(p, s)
	p.bodies = append(p.bodies, *b)
}

// statements takes the statements of a scope and the bracket that ends it.
func (b *body) statements(p *parser, s *scope) {
	p.enter()
	for !p.accept("}") {
		if p.tok.kind == endToken {
			p.unexpected("a statement or }")
			return
		}
		b.statement(p, s)
	}
	p.leave()
	p.closeScope(s)
}

func (b *body) statement(p *parser, s *scope) {
	switch {
	case p.accept("{"):
		b.scopes++
		b.statements(p, &scope{parent: s, number: b.scopes, waiting: len(p.waiting)})
	case p.tok.kind == dotToken:
		b.directive(p, s)
	case p.at("@"):
		b.instruction(p, s, b.guard(p, s), p.take(wordToken, "an opcode"))
	case p.tok.kind == wordToken:
		word := p.take(wordToken, "")
		if p.accept(":") {
			b.label(p, s, word)
			return
		}
		b.instruction(p, s, Guard{}, word)
	case p.accept(";"): // an empty statement
	default:
		p.unexpected("a statement or }")
	}
}

// directive takes a directive between the statements.
func (b *body) directive(p *parser, s *scope) {
	f := b.function
	switch p.tok.text {
	case ".reg":
		b.registers(p, s)
	case ".shared", ".local", ".param":
		f.Variables = append(f.Variables, p.variables(s, false)...)
	case ".extern":
		p.advance()
		if !p.at(".shared") {
			p.unexpected(".shared")
		}
		f.Variables = append(f.Variables, p.variables(s, true)...)
	case ".loc":
		b.at = p.location()
	case ".file":
		p.file()
	case ".pragma":
		p.pragma()
	default:
		p.unexpected("a directive of the body")
	}
}

// label takes what follows a label and its colon: a list that the label names, or
// the next statement.
func (b *body) label(p *parser, s *scope, name token) {
	switch {
	case p.accept(".branchtargets"):
		b.branchTargets(p, s, name)
	case p.accept(".callprototype"), p.accept(".calltargets"):
		p.declare(s, prototypeSymbol, name.text, name.line)
		p.skipTo(";")
	default:
		b.function.Labels[p.declare(s, labelSymbol, name.text, name.line)] = len(b.function.Body)
	}
}

// branchTargets takes the labels that brx.idx chooses from.
func (b *body) branchTargets(p *parser, s *scope, name token) {
	var targets []Operand
	for {
		t := p.take(wordToken, "a label")
		targets = append(targets, Operand{Kind: SymbolOperand, Name: t.text})
		if !p.more(";") {
			break
		}
	}
	for i := range targets {
		p.resolve(s, &targets[i], true, name.line)
	}
	p.declare(s, targetsSymbol, name.text, name.line)
	known := s.symbols[name.text]
	known.targets = targets
	s.symbols[name.text] = known
}
