package ptx

import "math/bits"

// maxAlign bounds .align.
const maxAlign = 1 << 16

// spaces are the state spaces that variables are declared in.
var spaces = map[string]Space{".param": Param, ".global": Global, ".const": Const, ".shared": Shared, ".local": Local}

// variables takes a declaration of variables, from the state space to the
// semicolon.
func (p *parser) variables(s *scope, extern bool) []Variable {
	common, element := p.variableType()
	common.Extern = extern
	var all []Variable
	for {
		v := p.declarator(common, element)
		v.Name = p.declare(s, variableSymbol, v.Name, v.Line)
		all = append(all, v)
		if !p.more(";") {
			return all
		}
	}
}

// element is what an array holds.
type element struct {
	name  string // of the type
	size  int    // of one number
	lanes int    // numbers, of a .v2 or .v4
}

// variableType takes what a declaration says before the names.
func (p *parser) variableType() (Variable, element) {
	v := Variable{Space: spaces[p.tok.text]}
	p.advance()
	e := element{lanes: 1}
	for {
		switch {
		case p.at(".align"):
			v.Align = p.alignment()
		case p.at(".attribute"):
			p.skipAttribute()
		case p.accept(".v2"):
			e.lanes = 2
		case p.accept(".v4"):
			e.lanes = 4
		default:
			e.name, e.size = p.memoryType()
			v.Type = e.name
			v.Align = max(v.Align, e.size*e.lanes)
			return v, e
		}
	}
}

// alignment takes .align.
func (p *parser) alignment() int {
	p.advance()
	t := p.tok
	n := p.count(1, maxAlign)
	if bits.OnesCount(uint(n)) != 1 {
		p.fail(t.line, "expected a power of two, found %s", t)
	}
	return n
}

// declarator takes a name with its dimensions and its initial value.
func (p *parser) declarator(v Variable, e element) Variable {
	name := p.take(wordToken, "the name of a variable")
	v.Name, v.Line = name.text, name.line
	dimensions, open := p.dimensions()
	size := p.arraySize(e, dimensions, v.Line)
	switch {
	case p.at("="):
		i := p.initialiser(e, dimensions, open)
		v.Initial, v.Addresses, v.Size = i.data, i.addresses, len(i.data)
	case !open:
		v.Size = size
	case !v.Extern && v.Space != Param:
		p.fail(v.Line, "the size of %s is missing", brief(v.Name))
	}
	p.spend(&p.budget.declared, v.Size, v.Line, "bytes of variables")
	return v
}

// arraySize returns the bytes of an array. A dimension of 0 hides how large the
// others are only in the size, not in the limit.
func (p *parser) arraySize(e element, dimensions []int, line int) int {
	size, limited := e.size*e.lanes, e.size*e.lanes
	for _, n := range dimensions {
		if max(n, 1) > maxDeclared/limited {
			p.fail(line, "an array of more than %d bytes", maxDeclared)
			return 0
		}
		size, limited = size*n, limited*max(n, 1)
	}
	return size
}

// dimensions takes the dimensions of an array, of which the first can be open: 1
// then, until an initialiser closes it.
func (p *parser) dimensions() (all []int, open bool) {
	for p.accept("[") {
		if len(all) == maxDepth {
			p.fail(p.tok.line, "more than %d dimensions", maxDepth)
		}
		if len(all) == 0 && p.accept("]") {
			all, open = append(all, 1), true
			continue
		}
		all = append(all, p.count(0, maxDeclared))
		p.expect("]")
	}
	return all, open
}
