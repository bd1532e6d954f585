package ptx

import (
	"strconv"
	"strings"
)

// symbolKind is what a name stands for.
type symbolKind uint8

const (
	registerSymbol symbolKind = iota
	variableSymbol
	functionSymbol
	labelSymbol
	prototypeSymbol // of a .callprototype or .calltargets
	targetsSymbol   // of a .branchtargets
)

// symbol is a declared name.
type symbol struct {
	kind    symbolKind
	name    string    // that is unique in the function
	targets []Operand // of a targetsSymbol: its labels
}

// scope is a block of declarations. Registers and variables are declared before
// they are used; labels can come after, so their uses wait for the scope's end in
// the parser's list.
type scope struct {
	parent  *scope
	number  int // within the function; 0 for the function's outermost and the module's
	symbols map[string]symbol
	waiting int // the first of the waiting uses that is in this scope
}

// use is a name that was not declared yet when an operand named it.
type use struct {
	operand *Operand
	branch  bool // a label has to be meant
	line    int
}

// lookUp returns what a name means here.
func (s *scope) lookUp(name string) (symbol, bool) {
	for ; s != nil; s = s.parent {
		if found, ok := s.symbols[name]; ok {
			return found, true
		}
	}
	return symbol{}, false
}

// unique returns the name that is kept for a declaration in this scope.
func (s *scope) unique(name string) string {
	if s.number == 0 {
		return name
	}
	return name + "@" + strconv.Itoa(s.number)
}

// declare adds a name to the scope and returns the unique one.
func (p *parser) declare(s *scope, kind symbolKind, name string, line int) string {
	if _, twice := s.symbols[name]; twice {
		p.fail(line, "%s is declared twice", brief(name))
	}
	if s.symbols == nil {
		s.symbols = map[string]symbol{}
	}
	unique := s.unique(name)
	s.symbols[name] = symbol{kind: kind, name: unique}
	return unique
}

// resolve finds what the names in an operand mean. branch says that the operand
// has to be a label.
func (p *parser) resolve(s *scope, o *Operand, branch bool, line int) {
	switch o.Kind {
	case RegisterOperand:
		o.Name = p.register(s, o.Name, line)
		if o.Second != "" {
			o.Second = p.register(s, o.Second, line)
		}
	case SymbolOperand:
		p.resolveName(s, o, branch, line)
	case AddressOperand:
		p.resolveBase(s, o, line)
	}
	if o.Kind == VectorOperand || o.Kind == AddressOperand {
		for i := range o.Elements {
			p.resolve(s, &o.Elements[i], false, line)
		}
	}
}

// register returns the unique name of a register, or of a sink.
func (p *parser) register(s *scope, name string, line int) string {
	if name == "_" {
		return name
	}
	found, ok := s.lookUp(name)
	if !ok || found.kind != registerSymbol {
		p.fail(line, "undeclared register %s", brief(name))
	}
	return found.name
}

// resolveName finds out what an operand is that is only a name yet.
func (p *parser) resolveName(s *scope, o *Operand, branch bool, line int) {
	found, ok := s.lookUp(o.Name)
	_, isSpecial := special[o.Name]
	switch {
	case branch || !ok && !strings.HasPrefix(o.Name, "%"):
		p.waiting = append(p.waiting, use{o, branch, line})
	case ok && found.kind == registerSymbol:
		if o.Offset != 0 {
			p.fail(line, "a register with an offset is an address, which needs square brackets")
		}
		*o = Operand{Kind: RegisterOperand, Name: found.name}
	case ok:
		o.Name, o.Elements = found.name, found.targets
	case !isSpecial:
		p.fail(line, "undeclared register %s", brief(o.Name))
	case special[o.Name]:
		p.fail(line, "expected a component of %s, such as %s.x", o.Name, o.Name)
	default:
		o.Kind = SpecialOperand
	}
}

// resolveBase finds what an address starts from.
func (p *parser) resolveBase(s *scope, o *Operand, line int) {
	if o.Name == "" {
		return
	}
	found, ok := s.lookUp(o.Name)
	if !ok || found.kind != registerSymbol && found.kind != variableSymbol {
		p.fail(line, "undeclared register or variable %s", brief(o.Name))
	}
	o.Name = found.name
}

// closeScope gives the waiting uses the labels of the scope that ends; those of
// outer scopes' labels wait on there.
func (p *parser) closeScope(s *scope) {
	outer := p.waiting[:s.waiting]
	for _, u := range p.waiting[s.waiting:] {
		if found, ok := s.symbols[u.operand.Name]; ok && found.kind == labelSymbol {
			u.operand.Name = found.name
			continue
		}
		if s.number > 0 {
			outer = append(outer, u)
			continue
		}
		what := "name"
		if u.branch {
			what = "label"
		}
		p.fail(u.line, "undeclared %s %s", what, brief(u.operand.Name))
	}
	p.waiting = outer
}
