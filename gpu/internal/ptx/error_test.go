package ptx

import (
	"errors"
	"strings"
	"testing"
)

const head = ".version 8.4\n.target sm_89\n"

// kernel puts statements into a kernel: their first line is the fifth.
func kernel(statements string) string {
	return head + ".entry k(.param .u64 a) {\n.reg .b32 %r<3>; .reg .pred p; .shared .b32 x; L:\n" + statements + "\n}"
}

// broken texts, with the line and the message of the error.
var broken = []struct {
	text    string
	line    int
	message string
}{
	// Tokens.
	{head + "?", 3, "unexpected character '?'"},
	{head + "\n\xff", 4, "unexpected character '\ufffd'"},
	{head + ".file 1 \"a\nb\"", 3, `expected " to end the string, found the end of the line`},
	{head + "\n/* \n\n", 4, "expected */ to end the comment, found the end of the text"},
	{head + ". x", 3, "unexpected character '.'"},

	// The module.
	{"", 1, "expected .version, found the end of the text"},
	{"\n\n.version 8.4\n", 4, "expected .target, found the end of the text"},
	{".version 8", 1, "expected a version such as 8.4, found 8"},
	{".version x", 1, "expected a version such as 8.4, found x"},
	{".version 8.4\n.version 8.3", 2, ".version 8.3 after .version 8.4"},
	{".target compute_89", 1, "expected a target such as sm_89, found compute_89"},
	{".target sm_89\n.target sm_90", 2, ".target sm_90 after .target sm_89"},
	{".address_size 48", 1, "expected an address size of 32 or 64, found 48"},
	{".address_size 640", 1, "expected a number from 0 to 64, found 640"},
	{head + "ret;", 3, "expected a directive of the module, found ret"},
	{head + ".tex .u32 t;", 3, "expected a directive of the module, found .tex"},
	{head + ".local .b32 t;", 3, "expected a directive of the module, found .local"},
	{head + ".section .debug_str {\n.b8 1\n", 5, "expected }, found the end of the text"},
	{head + ".pragma \"a\"\n.file", 4, "expected , or ;, found .file"},
	{head + ".alias f, g;", 3, "undeclared function f"},
	{head + ".file 1 \"a\"\n.file 1 \"b\"", 4, "file 1 is declared twice"},
	{head + ".file x", 3, "expected a number, found x"},
	{head + ".file 1 a", 3, "expected the name of a file, found a"},

	// Variables.
	{head + ".global .texref t;", 3, "expected a type, found .texref"},
	{head + ".global .pred t;", 3, "expected a type with a size, found .pred"},
	{head + ".global .align 3 .b8 t;", 3, "expected a power of two, found 3"},
	{head + ".global .align 131072 .b8 t;", 3, "expected a number from 1 to 65536, found 131072"},
	{head + ".global .b8 t[];", 3, "the size of t is missing"},
	{head + ".global .b8 t[2\n;", 4, "expected ], found ;"},
	{head + ".global .b8 t[3][];", 3, "expected a number, found ]"},
	{head + ".global .b8 5;", 3, "expected the name of a variable, found 5"},
	{head + ".global .b8 t\n.global .b8 u;", 4, "expected , or ;, found .global"},
	{head + ".global .b8 t;\n.shared .b8 t;", 4, "t is declared twice"},
	{head + ".global .b8 t[268435457];", 3, "expected a number from 0 to 268435456, found 268435457"},
	{head + ".global .b16 t[268435456];", 3, "an array of more than 268435456 bytes"},
	{head + ".global .b8 t[0][65536][65536];", 3, "an array of more than 268435456 bytes"},
	{head + ".global .b8 t[200000000];\n.global .b8 u[200000000];", 4, "too many bytes of variables: 200000000 more, 68435456 are left"},
	{head + ".global .b8 t = 256;", 3, "expected an initial value of type .b8, found 256"},
	{head + ".global .s8 t = -129;", 3, "expected an initial value of type .s8, found -"},
	{head + ".global .f32 t = 1;", 3, "expected an initial value of type .f32, found 1"},
	{head + ".global .u32 t = 1.5;", 3, "expected an initial value of type .u32, found 1.5"},
	{head + ".global .b8 t[2] = {1, 2,\n3};", 4, "expected } after 2 elements, found 3"},
	{head + ".global .b8 t[2] = {1 2};", 3, "expected , or }, found 2"},
	{head + ".global .b8 t[2] = {1,", 3, "expected an element, found the end of the text"},
	{head + ".global .b8 t[2] = 1;", 3, "expected {, found 1"},
	{head + ".global .b64 t = u;", 3, "undeclared name u"},
	{head + ".global .b8 u;\n.global .b16 t = u;", 4, "expected an initial value of type .b16, found the address u"},
	{head + ".global .b8 t[100000000] = {1};", 3, "too many bytes of initial values: 99999999 more, 1048808 are left"},

	// Functions.
	{head + ".entry 5", 3, "expected the name of a function, found 5"},
	{head + ".entry k(.reg .b32 x) { }", 3, "expected .param, found .reg"},
	{head + ".entry k(.param .u64 a\n.param .u64 b) { }", 4, "expected , or ), found .param"},
	{head + ".entry k()\n.maxntid 8\n.reqntid 8 { }", 5, ".reqntid after another limit of the threads"},
	{head + ".entry k() .maxntid 0 { }", 3, "expected a number from 1 to 65535, found 0"},
	{head + ".entry k() .maxntid 65535, 65535 { }", 3, "more than 2147483647 in all"},
	{head + ".entry k() .align 8 { }", 3, "expected a directive of the function, found .align"},
	{head + ".entry k()\nret;", 4, "expected {, found ret"},
	{head + ".entry k() { }\n.entry k() { }", 4, "k has two bodies"},
	{head + ".global .b8 k;\n.entry k() { }", 4, "k is declared twice"},
	{head + ".entry k(.param .b8 a,\n.param .b8 a) { }", 4, "a is declared twice"},
	{head + ".entry k() {\nret;", 4, "expected a statement or }, found the end of the text"},
	{head + ".entry k() { } }", 3, "expected a directive of the module, found }"},

	// Statements.
	{kernel(", ret;"), 5, "expected a statement or }, found ,"},
	{kernel(".global .b32 y;"), 5, "expected a directive of the body, found .global"},
	{kernel(".extern .global .b32 y;"), 5, "expected .shared, found .global"},
	{kernel(".reg .b99 %x;"), 5, "expected a type, found .b99"},
	{kernel(".reg .v2 .b32 %x;"), 5, "expected a type: vector registers are not supported, found .v2"},
	{kernel(".reg .b32 %x<y>;"), 5, "expected a number, found y"},
	{kernel(".reg .b32 %x<2;"), 5, "expected >, found ;"},
	{kernel("\n.reg .b32 %r2;"), 6, "%r2 is declared twice"},
	{kernel(".reg .b32 x;"), 5, "x is declared twice"},
	{kernel("\n\nL: ret;"), 7, "L is declared twice"},
	{kernel(".loc 1 2 3"), 5, ".loc names file 1, which no .file declares"},
	{kernel(".loc 1 2 ret;"), 5, "expected a number, found ret"},
	{kernel(".loc 1 2 3, function_name 5"), 5, "expected a label, found 5"},
	{kernel(".loc 1 2 3, x"), 5, "expected function_name or inlined_at, found x"},
	{kernel("@%r9 ret;"), 5, "undeclared register %r9"},
	{kernel("@L ret;"), 5, "undeclared register L"},
	{kernel("@_ ret;"), 5, "expected a predicate, found _"},
	{kernel("and.pred p, p, !_;"), 5, "expected a predicate, found _"},
	{kernel("@p .reg .b32 y;"), 5, "expected an opcode, found .reg"},
	{kernel("T: .branchtargets L, M;"), 5, "undeclared label M"},

	// Instructions and operands.
	{kernel("ret\n}"), 6, "expected an operand, found }"},
	{kernel("add.s32 %r1, %r2 %r2;"), 5, "expected , or ;, found %r2"},
	{kernel("add.s32 %r1,\n%r2, ;"), 6, "expected an operand, found ;"},
	{kernel("add.s32 %r1,\n%r3, 1;"), 5, "undeclared register %r3"},
	{kernel("add.s32 %r1, %laneid.x, 1;"), 5, "%laneid has no components"},
	{kernel("add.s32 %r1, %tid, 1;"), 5, "expected a component of %tid, such as %tid.x"},
	{kernel("add.s32 %r1, %tid.q, 1;"), 5, "expected a component .x, .y, .z or .w, found .q"},
	{kernel("add.s32 %r1, %r2+4, 1;"), 5, "a register with an offset is an address, which needs square brackets"},
	{kernel("add.s32 %r1, y, 1;\nret;"), 5, "undeclared name y"},
	{kernel("\nbra M;\nret;"), 6, "undeclared label M"},
	{kernel("bra x;"), 5, "undeclared label x"},
	{kernel("bra M; { M: }"), 5, "undeclared label M"},
	{kernel("{ .reg .b32 y; }\nmov.b32 %r1, y;"), 6, "undeclared name y"},
	{kernel("ld.u32 %r1, [y];"), 5, "undeclared register or variable y"},
	{kernel("ld.u32 %r1, [L];"), 5, "undeclared register or variable L"},
	{kernel("ld.u32 %r1, [x;"), 5, "expected , or ], found ;"},
	{kernel("ld.u32 %r1, [x+];"), 5, "expected a number, found ]"},
	{kernel("ld.u32 %r1, [x+1.5];"), 5, "expected an integer, found a floating-point number"},
	{kernel("ld.u32 %r1, [x, {%r1, y}];"), 5, "undeclared name y"},
	{kernel("ld.u32 %r1, [[x]];"), 5, "expected a number, found ["},
	{kernel("mov.b64 {%r1, {%r2}}, 1;"), 5, "expected an operand, found {"},
	{kernel("mov.b64 {%r1, %r2, 1;"), 5, "expected , or }, found ;"},
	{kernel("setp.lt.s32 p|M, %r1, 0;"), 5, "undeclared register M"},
	{kernel("setp.lt.s32 p|0, %r1, 0;"), 5, "expected a predicate, found 0"},
	{kernel("and.pred p, p, !x;"), 5, "undeclared register x"},
	{kernel("mov.u32 %r1, 0x;"), 5, "expected a number, found 0x"},
	{kernel("mov.u32 %r1, 08;"), 5, "expected a number, found 08"},
	{kernel("mov.u32 %r1, 0f3F8;"), 5, "expected a number, found 0f3F8"},
	{kernel("mov.u32 %r1, 12ab;"), 5, "expected a number, found 12ab"},
	{kernel("mov.u32 %r1, 18446744073709551616;"), 5, "expected a number, found 18446744073709551616"},
	{kernel("mov.u32 %r1, 1.5 + 1;"), 5, "expected integers on both sides of +"},
	{kernel("mov.u32 %r1, ~1.5;"), 5, "expected an integer after ~"},
	{kernel("mov.u32 %r1, (1;"), 5, "expected ), found ;"},
	{kernel("mov.u32 %r1, \"1\";"), 5, `expected an operand, found "1"`},
}

func TestErrors(t *testing.T) {
	for _, c := range broken {
		m, err := Parse("e.ptx", c.text)
		var syntax *SyntaxError
		switch {
		case !errors.As(err, &syntax) || m != nil:
			t.Errorf("%q: got module %v and error %v", c.text, m, err)
		case *syntax != SyntaxError{"e.ptx", c.line, c.message}:
			t.Errorf("%q: got line %d: %s\nwant line %d: %s", c.text, syntax.Line, syntax.Text, c.line, c.message)
		}
	}
}

// TestNesting goes deeper than a stack should.
func TestNesting(t *testing.T) {
	const n = 1_000_000
	for what, text := range map[string]string{
		"scopes":     kernel(strings.Repeat("{", n)),
		"brackets":   kernel("mov.u32 %r1, " + strings.Repeat("(", n)),
		"signs":      kernel("mov.u32 %r1, " + strings.Repeat("-", n) + "1;"),
		"dimensions": head + ".global .b8 x" + strings.Repeat("[1]", n) + ";",
		"lists":      head + ".global .b8 x[1] = " + strings.Repeat("{", n),
	} {
		_, err := Parse("n.ptx", text)
		if err == nil {
			t.Errorf("%s: no error", what)
		} else if len(err.Error()) > 100 {
			t.Errorf("%s: a message of %d bytes", what, len(err.Error()))
		}
	}
}
