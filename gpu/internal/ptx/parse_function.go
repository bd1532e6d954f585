package ptx

import "math"

// functionDirective takes .entry or .func: a kernel, a device function, or the
// declaration of one, which only leaves its name.
func (p *parser) functionDirective() {
	f := &Function{Entry: p.at(".entry"), Line: p.tok.line, Labels: map[string]int{}}
	s := &scope{parent: p.global}
	p.advance()
	p.skipAttribute()
	if !f.Entry && p.at("(") {
		f.Returns = p.parameters()
	}
	name := p.take(wordToken, "the name of a function")
	f.Name = name.text
	p.declareFunction(name)
	if p.at("(") {
		f.Params = p.parameters()
	}
	p.performance(f)
	if p.accept(";") {
		return
	}
	p.defineFunction(f, name.line)
	p.functionBody(f, s)
}

// declareFunction makes the name known, which may be so already.
func (p *parser) declareFunction(name token) {
	if before, ok := p.global.symbols[name.text]; !ok || before.kind != functionSymbol {
		p.declare(p.global, functionSymbol, name.text, name.line)
	}
}

// defineFunction adds a function that has a body to the module.
func (p *parser) defineFunction(f *Function, line int) {
	if p.defined[f.Name] {
		p.fail(line, "%s has two bodies", brief(f.Name))
	}
	p.defined[f.Name] = true
	p.module.Functions = append(p.module.Functions, f)
}

// skipAttribute moves over .attribute(...), if it comes: it says where the driver
// places things.
func (p *parser) skipAttribute() {
	if !p.accept(".attribute") {
		return
	}
	p.expect("(")
	for open := 1; open > 0 && p.tok.kind != endToken; p.advance() {
		switch p.tok.text {
		case "(":
			open++
		case ")":
			open--
		}
	}
}

// parameters takes a list of parameters in brackets.
func (p *parser) parameters() []Variable {
	var all []Variable
	p.expect("(")
	if p.accept(")") {
		return nil
	}
	for {
		all = append(all, p.parameter())
		if !p.more(")") {
			return all
		}
	}
}

// parameter takes one parameter. .ptr says what a parameter points to, which is
// no property of the parameter: it comes after the type.
func (p *parser) parameter() Variable {
	if !p.at(".param") {
		p.unexpected(".param")
	}
	common, element := p.variableType()
	if p.accept(".ptr") {
		for p.at(".global") || p.at(".const") || p.at(".shared") || p.at(".local") {
			p.advance()
		}
		if p.at(".align") {
			p.alignment()
		}
	}
	return p.declarator(common, element)
}

// performance takes the directives between a function's parameters and its body.
func (p *parser) performance(f *Function) {
	for p.tok.kind == dotToken {
		switch p.tok.text {
		case ".maxntid", ".reqntid":
			p.maxThreads(f)
		case ".minnctapersm", ".maxnctapersm", ".maxnreg", ".reqnctapercluster", ".maxclusterrank", ".abi_preserve", ".abi_preserve_control":
			p.advance()
			p.extent(0)
		case ".explicitcluster", ".blocksareclusters", ".noreturn", ".unique":
			p.advance()
		case ".attribute":
			p.skipAttribute()
		case ".pragma":
			p.pragma()
		default:
			p.unexpected("a directive of the function")
		}
	}
}

// maxThreads takes .maxntid or .reqntid, of which a function has one.
func (p *parser) maxThreads(f *Function) {
	if f.MaxThreads != 0 {
		p.fail(p.tok.line, "%s after another limit of the threads", p.tok)
	}
	p.advance()
	f.MaxThreads = p.extent(1)
}

// extent takes up to three numbers, each at least low, and returns their product.
func (p *parser) extent(low int) int {
	line, product := p.tok.line, 1
	for range 3 {
		product *= p.count(low, math.MaxUint16)
		if !p.accept(",") {
			break
		}
	}
	if product > math.MaxInt32 {
		p.fail(line, "more than %d in all", math.MaxInt32)
	}
	return product
}
