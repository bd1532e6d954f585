package ptx

import (
	"runtime"
	"strings"
	"testing"
)

// hostile texts ask for as much memory as they can with the bytes that repeat.
var hostile = map[string]struct{ before, repeat, after string }{
	"registers":   {head + ".entry k() {", ".reg .b32 %a<65000>;", "}"},
	"arrays":      {head, ".global .b8 a[1000000] = {1};", ""},
	"open arrays": {head + ".global .b64 a[][1000] = {", "{1},", "};"},
	"zeros":       {head + ".global .b64 a[] = {", "0,", "};"},
	"bytes":       {head, ".global .b8 a[1000000];", ""},
	"scopes":      {head + ".entry k() {", "{.reg .b32 a; a: }", "}"},
	"scopes of 1": {head + ".entry k() {", "{}", "}"},
	"sinks":       {kernel("mov.b64 {"), "_,", "_}, 1;"},
	"operands":    {kernel("mov.b64 "), "1,", "1;"},
	"modifiers":   {kernel("ret"), ".a", ";"},
	"statements":  {kernel(""), "a;", "}"},
	"waiting":     {kernel(strings.Repeat("{", 60)), "bra M;", strings.Repeat("}", 60) + "M:"},
	"targets":     {kernel("T: .branchtargets L"), ",L", ";"},
	"functions":   {head, ".entry k{}", ""},
	"comments":    {head, "/**/", ""},
	"long word":   {head, "a", ""},
	"long number": {kernel("mov.b64 "), "1", ".5;"},
	"long string": {head + ".file 1 \"", "a", "\""},
	"section":     {head + ".section .a {", ".b8 1,", "}"},
	"places":      {kernel(""), ".loc 1 1 1 ", "} .file 1 \"a\""},
	"files":       {head, ".file 1 \"a\" ", ""},
}

// TestMemory bounds what parsing allocates by the length of the text.
func TestMemory(t *testing.T) {
	const length, perByte, free = 1 << 20, 400, 64 << 20
	for name, h := range hostile {
		text := h.before + strings.Repeat(h.repeat, length/len(h.repeat)) + h.after
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		_, err := Parse("h.ptx", text)
		runtime.ReadMemStats(&end)
		if used := end.TotalAlloc - start.TotalAlloc; used > free+perByte*length {
			t.Errorf("%s: %d bytes for a text of %d (error %v)", name, used, len(text), err)
		}
	}
}
