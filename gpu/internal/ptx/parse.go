package ptx

import (
	"maps"
	"slices"
	"strings"
)

// Parse reads the text of a module. name stands for it in messages.
//
// The error is a *SyntaxError.
func Parse(name, text string) (*Module, error) {
	p := &parser{
		lexer:     lexer{text: text, line: 1},
		budget:    newBudget(text),
		module:    &Module{Name: name, AddressSize: 32, Files: map[int]string{}},
		global:    &scope{},
		fileLines: map[int]int{},
		defined:   map[string]bool{},
	}
	p.advance()
	for p.tok.kind != endToken {
		p.directive()
	}
	p.finish()
	if p.err != nil {
		return nil, p.err
	}
	return p.module, nil
}

// directive takes one directive of the module.
func (p *parser) directive() {
	switch p.tok.text {
	case ".version":
		p.version()
	case ".target":
		p.target()
	case ".address_size":
		p.addressSize()
	case ".file":
		p.file()
	case ".loc":
		p.location()
	case ".section":
		p.section()
	case ".pragma":
		p.pragma()
	case ".alias":
		p.alias()
	default:
		p.declaration()
	}
}

// declaration takes a variable or a function, after what says how it is linked.
func (p *parser) declaration() {
	extern := false
	for p.at(".extern") || p.at(".visible") || p.at(".weak") || p.at(".common") {
		extern = extern || p.at(".extern")
		p.advance()
	}
	switch p.tok.text {
	case ".entry", ".func":
		p.functionDirective()
	case ".global", ".const", ".shared":
		p.module.Variables = append(p.module.Variables, p.variables(p.global, extern)...)
	default:
		p.unexpected("a directive of the module")
	}
}

// version takes the .version directive, which may be repeated.
func (p *parser) version() {
	p.advance()
	t := p.take(numberToken, "a version such as 8.4")
	if o, ok := number(t.text); t.kind == numberToken && (!ok || o.Kind != Float64Operand) {
		p.fail(t.line, "expected a version such as 8.4, found %s", t)
	}
	p.once(&p.module.Version, t, ".version")
}

// target takes the .target directive and drops the platform options.
func (p *parser) target() {
	p.advance()
	for {
		t := p.take(wordToken, "a target such as sm_89")
		switch t.text {
		case "texmode_unified", "texmode_independent", "debug", "map_f64_to_f32":
		default:
			if !strings.HasPrefix(t.text, "sm_") {
				p.fail(t.line, "expected a target such as sm_89, found %s", t)
			}
			p.once(&p.module.Target, t, ".target")
		}
		if !p.accept(",") {
			return
		}
	}
}

// once sets what a directive says, which may be repeated but not changed.
func (p *parser) once(value *string, t token, directive string) {
	if *value != "" && *value != t.text {
		p.fail(t.line, "%s %s after %s %s", directive, t, directive, brief(*value))
	}
	*value = t.text
}

func (p *parser) addressSize() {
	p.advance()
	t := p.tok
	p.module.AddressSize = p.count(0, 64)
	if p.module.AddressSize != 32 && p.module.AddressSize != 64 {
		p.fail(t.line, "expected an address size of 32 or 64, found %s", t)
	}
}

// pragma takes .pragma, whose strings say nothing about results.
func (p *parser) pragma() {
	p.advance()
	for {
		p.take(stringToken, "a string")
		if !p.more(";") {
			return
		}
	}
}

// alias takes .alias, of which nothing is kept: the second name of the function
// stays one without a body.
func (p *parser) alias() {
	p.advance()
	p.functionName()
	p.expect(",")
	p.functionName()
	p.expect(";")
}

// functionName takes the name of a function that is declared.
func (p *parser) functionName() {
	t := p.take(wordToken, "the name of a function")
	if s, ok := p.global.symbols[t.text]; !ok || s.kind != functionSymbol {
		p.fail(t.line, "undeclared function %s", t)
	}
}

// finish checks what only the whole text shows, and fills in the files' names:
// .file may come after the .loc that names it.
func (p *parser) finish() {
	switch {
	case p.module.Version == "":
		p.fail(p.tok.line, "expected .version, found the end of the text")
	case p.module.Target == "":
		p.fail(p.tok.line, "expected .target, found the end of the text")
	}
	for _, number := range slices.Sorted(maps.Keys(p.fileLines)) {
		if _, ok := p.module.Files[number]; !ok {
			p.fail(p.fileLines[number], ".loc names file %d, which no .file declares", number)
		}
	}
	for _, b := range p.bodies {
		for i, file := range b.files {
			b.function.Body[i].Source.File = p.module.Files[file]
		}
	}
}
