package ptx

import "fmt"

// maxDepth bounds how deep scopes, initialisers and expressions nest, because the
// parser recurses into them.
const maxDepth = 64

// parser reads a module by recursive descent.
//
// The first error stays in err, and from then on the current token is an
// endToken: every loop ends at one, so no method has to look at err to return.
type parser struct {
	lexer  lexer
	tok    token // the current token
	err    *SyntaxError
	depth  int
	budget budget

	module    *Module
	global    *scope
	fileLines map[int]int     // of the first .loc that names a file
	defined   map[string]bool // functions that have a body
	bodies    []body
	waiting   []use // of the function that is read
}

// fail records an error at a line.
func (p *parser) fail(line int, format string, args ...any) {
	if p.err == nil {
		p.err = &SyntaxError{p.module.Name, line, fmt.Sprintf(format, args...)}
	}
	p.tok = token{endToken, "", p.tok.line}
}

// unexpected fails at the current token.
func (p *parser) unexpected(expected string) {
	p.fail(p.tok.line, "expected %s, found %s", expected, p.tok)
}

// advance moves to the next token.
func (p *parser) advance() {
	if p.err != nil {
		return
	}
	p.tok = p.lexer.next()
	if p.lexer.err != "" {
		p.fail(p.lexer.line, "%s", p.lexer.err)
	}
}

// at says whether the current token is that sign, dotted name or word.
func (p *parser) at(text string) bool { return p.tok.text == text }

// accept moves over the current token if it is that sign, dotted name or word.
func (p *parser) accept(text string) bool {
	if !p.at(text) {
		return false
	}
	p.advance()
	return true
}

// expect moves over a sign, dotted name or word that has to come.
func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.unexpected(text)
	}
}

// take moves over a token of that kind, which has to come, and returns it.
func (p *parser) take(k tokenKind, expected string) token {
	t := p.tok
	if t.kind != k {
		p.unexpected(expected)
		return token{}
	}
	p.advance()
	return t
}

// more says whether a comma continues the list that closing ends. It moves over
// either.
func (p *parser) more(closing string) bool {
	if p.accept(",") {
		return true
	}
	if !p.accept(closing) {
		p.unexpected(", or " + closing)
	}
	return false
}

// enter goes one level deeper; leave comes back.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok.line, "nested more than %d deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }
