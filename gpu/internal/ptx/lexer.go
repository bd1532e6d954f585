package ptx

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tokenKind is a kind of token.
type tokenKind uint8

const (
	endToken    tokenKind = iota // of the text, or of reading after an error
	wordToken                    // an identifier, such as "add" or "%rd1"
	dotToken                     // a directive, type or modifier with its dot: ".reg", ".shared::cta"
	numberToken                  // a literal that starts with a digit
	stringToken                  // a string with its quotes
	signToken                    // one of the signs below
)

// signs are the bytes that are a token each, except that << is one.
const signs = "(){}[]<>,;:+-*&|^~!=@"

// token is a piece of the text. It shares the text's memory.
type token struct {
	kind tokenKind
	text string
	line int
}

// String says what a token is, for messages.
func (t token) String() string {
	if t.kind == endToken {
		return "the end of the text"
	}
	return brief(t.text)
}

// brief shortens text for a message, which hostile text could make huge.
func brief(text string) string {
	const longest = 60
	if len(text) <= longest {
		return text
	}
	return text[:longest] + "..."
}

// lexer cuts a text into tokens.
type lexer struct {
	text string
	at   int
	line int
	err  string // what stopped it; then only endTokens come
}

// next returns the next token.
func (l *lexer) next() token {
	l.skipSpace()
	if l.err != "" || l.at == len(l.text) {
		return token{endToken, "", l.line}
	}
	switch c := l.text[l.at]; {
	case isDigit(c):
		return l.take(numberToken, l.number())
	case isFollow(c) || c == '%':
		return l.take(wordToken, 1+run(l.text[l.at+1:]))
	case c == '.' && run(l.text[l.at+1:]) > 0:
		return l.take(dotToken, l.dotted())
	case c == '"':
		return l.quoted()
	case strings.HasPrefix(l.text[l.at:], "<<"):
		return l.take(signToken, 2)
	case strings.IndexByte(signs, c) >= 0:
		return l.take(signToken, 1)
	}
	r, _ := utf8.DecodeRuneInString(l.text[l.at:])
	return l.stop(fmt.Sprintf("unexpected character %q", r))
}

func (l *lexer) take(k tokenKind, n int) token {
	t := token{k, l.text[l.at : l.at+n], l.line}
	l.at += n
	return t
}

func (l *lexer) stop(err string) token {
	l.err = err
	return token{endToken, "", l.line}
}

// skipSpace moves to the next token's first byte.
func (l *lexer) skipSpace() {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch {
		case rest[0] == '\n':
			l.line++
			l.at++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\v' || rest[0] == '\f':
			l.at++
		case strings.HasPrefix(rest, "//"):
			l.at += lineLength(rest)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				l.stop("expected */ to end the comment, found the end of the text")
				return
			}
			l.line += strings.Count(rest[:end+2], "\n")
			l.at += end + 4
		default:
			return
		}
	}
}

// quoted takes a string. PTX has no escapes in strings, and a string ends on its
// line.
func (l *lexer) quoted() token {
	rest := l.text[l.at+1:]
	end := strings.IndexByte(rest[:lineLength(rest)], '"')
	if end < 0 {
		return l.stop(`expected " to end the string, found the end of the line`)
	}
	return l.take(stringToken, end+2)
}

// number returns the length of the literal here. Only a decimal literal holds a
// point or an exponent with a sign: in 0x1E+2 the plus is an operator.
func (l *lexer) number() int {
	rest := l.text[l.at:]
	n := run(rest)
	if rest[0] == '0' && n > 1 && !isDigit(rest[1]) && rest[1]|0x20 != 'e' {
		return n
	}
	if n < len(rest) && rest[n] == '.' {
		n += 1 + run(rest[n+1:])
	}
	if rest[n-1]|0x20 == 'e' && n < len(rest) && (rest[n] == '+' || rest[n] == '-') {
		n += 1 + run(rest[n+1:])
	}
	return n
}

// dotted returns the length of the dot and the name here, with the names that
// double colons join to it.
func (l *lexer) dotted() int {
	rest := l.text[l.at:]
	n := 1 + run(rest[1:])
	for strings.HasPrefix(rest[n:], "::") && run(rest[n+2:]) > 0 {
		n += 2 + run(rest[n+2:])
	}
	return n
}

// run returns the length of the longest prefix that can continue an identifier.
func run(text string) int {
	for i := range len(text) {
		if !isFollow(text[i]) {
			return i
		}
	}
	return len(text)
}

// lineLength returns the length of the text up to the end of its first line.
func lineLength(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isFollow says whether c is a followsym of PTX.
func isFollow(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' || c == '$'
}
