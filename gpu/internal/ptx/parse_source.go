package ptx

import (
	"math"
	"strings"
)

// file takes .file, which numbers a source file. Its time and size are dropped.
func (p *parser) file() {
	p.advance()
	line := p.tok.line
	number := p.count(0, math.MaxInt32)
	name := strings.Trim(p.take(stringToken, "the name of a file").text, `"`)
	if before, ok := p.module.Files[number]; ok && before != name {
		p.fail(line, "file %d is declared twice", number)
	}
	p.module.Files[number] = name
	if p.accept(",") {
		p.take(numberToken, "a time")
		p.expect(",")
		p.take(numberToken, "a size")
	}
}

// place is what .loc says.
type place struct {
	file int
	line int
}

// location takes .loc. What an inlined place was inlined into is dropped.
func (p *parser) location() place {
	p.advance()
	line := p.tok.line
	at := place{p.count(0, math.MaxInt32), p.count(0, math.MaxInt32)}
	p.count(0, math.MaxInt32) // the column
	if p.accept(",") {
		p.inlining()
	}
	if _, ok := p.fileLines[at.file]; !ok {
		p.fileLines[at.file] = line
	}
	return at
}

// inlining takes the attributes of .loc, "function_name label+offset, inlined_at
// file line column", where the two can stand in either order.
func (p *parser) inlining() {
	for {
		switch {
		case p.accept("function_name"):
			if p.tok.kind != wordToken && p.tok.kind != dotToken {
				p.unexpected("a label")
			}
			p.advance()
			if p.accept("+") {
				p.count(0, math.MaxInt32)
			}
		case p.accept("inlined_at"):
			for range 3 {
				p.count(0, math.MaxInt32)
			}
		default:
			p.unexpected("function_name or inlined_at")
		}
		if !p.accept(",") {
			return
		}
	}
}

// section moves over .section, which holds debug information only.
func (p *parser) section() {
	p.advance()
	p.take(dotToken, "the name of a section")
	p.expect("{")
	p.skipTo("}")
}

// skipTo moves over everything to closing, and over that.
func (p *parser) skipTo(closing string) {
	for !p.at(closing) && p.tok.kind != endToken {
		p.advance()
	}
	p.expect(closing)
}
