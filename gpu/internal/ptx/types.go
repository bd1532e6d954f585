package ptx

import "strings"

// typeSizes has the bytes of each fundamental type. A predicate has no size: it
// lives in registers only.
var typeSizes = map[string]int{
	"pred": 0,
	"b8":   1, "u8": 1, "s8": 1,
	"b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2,
	"b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4,
	"b64": 8, "u64": 8, "s64": 8, "f64": 8,
	"b128": 16,
}

// typeName takes a type and returns it without the dot.
func (p *parser) typeName() string {
	name := strings.TrimPrefix(p.tok.text, ".")
	if _, known := typeSizes[name]; !known || p.tok.kind != dotToken {
		p.unexpected("a type")
		return ""
	}
	p.advance()
	return name
}

// memoryType takes a type that memory can have.
func (p *parser) memoryType() (name string, size int) {
	if p.at(".pred") {
		p.unexpected("a type with a size")
	}
	name = p.typeName()
	return name, typeSizes[name]
}
