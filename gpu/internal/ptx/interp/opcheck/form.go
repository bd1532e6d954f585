package opcheck

import (
	"fmt"
	"regexp"
	"strings"
)

// Form is an instruction, or a few, with letters in place of operands. A small
// letter is an input and a capital a result: h, r and d for registers of 16, 32
// and 64 bits, p for a predicate. Each letter stands for a new register; one with
// a number stands for that input or result, counted from 0.
//
// A form may also use the registers %lane, %q (a predicate) and %cell, the address
// of 16 bytes of shared memory that belong to the thread; those of a warp lie
// behind each other.
type Form struct {
	Text string
	// Draw says of what kind the inputs are, one word for each; the last word
	// serves for those that follow. See the table of kinds.
	Draw string
}

// operand is a letter of a form.
type operand struct {
	letter byte // of the input or result, in small
	name   string
}

var types = map[byte]string{'h': "b16", 'r': "b32", 'd': "b64", 'p': "pred"}

var letters = regexp.MustCompile(`(^|[^.\w%])([hrdpHRDP])(\d*)\b`)

// resolve returns the statements with registers in place of letters.
func (f *Form) resolve() (statements string, inputs, results []operand) {
	statements = letters.ReplaceAllStringFunc(f.Text, func(match string) string {
		at := letters.FindStringSubmatch(match)
		letter, list, prefix := at[2][0], &inputs, "%in"
		if letter < 'a' {
			letter, list, prefix = letter|0x20, &results, "%out"
		}
		if at[3] != "" {
			return at[1] + prefix + at[3]
		}
		name := fmt.Sprint(prefix, len(*list))
		*list = append(*list, operand{letter, name})
		return at[1] + name
	})
	return statements, inputs, results
}

// Counts returns the number of inputs and results.
func (f *Form) Counts() (inputs, results int) {
	_, in, out := f.resolve()
	return len(in), len(out)
}

// blockThreads is the size of a block.
const blockThreads = 128

// header begins a module for a target.
func header(target string) string {
	return fmt.Sprintf(".version 8.4\n.target %s\n.address_size 64\n", target)
}

// kernel returns the text of the kernel of that name for a number of threads.
// Input k of thread t is the 8 bytes at in + 8*(k*threads+t), and so are results.
func (f *Form) kernel(name string, threads int) string {
	statements, inputs, results := f.resolve()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	fmt.Fprintf(&b, ".visible .entry %s(.param .u64 in, .param .u64 out)\n{\n", name)
	line(".shared .align 16 .b8 cells[%d];", 16*blockThreads)
	line(".reg .pred %%q;")
	line(".reg .b16 %%half;")
	line(".reg .b32 %%lane, %%cell, %%thread, %%word;")
	line(".reg .b64 %%from, %%to, %%offset, %%wide;")
	for _, o := range append(inputs, results...) {
		line(".reg .%s %s;", types[o.letter], o.name)
	}
	line("ld.param.u64 %%from, [in];")
	line("ld.param.u64 %%to, [out];")
	line("mov.u32 %%thread, %%tid.x;")
	line("and.b32 %%lane, %%thread, 31;")
	line("mov.u32 %%cell, cells;")
	line("mad.lo.u32 %%cell, %%thread, 16, %%cell;")
	line("mov.u32 %%word, %%ctaid.x;")
	line("mad.lo.u32 %%thread, %%word, %d, %%thread;", blockThreads)
	line("mul.wide.u32 %%offset, %%thread, 8;")
	line("add.u64 %%from, %%from, %%offset;")
	line("add.u64 %%to, %%to, %%offset;")
	for i, o := range inputs {
		at := 8 * i * threads
		switch o.letter {
		case 'p':
			line("ld.global.u32 %%word, [%%from+%d];", at)
			line("and.b32 %%word, %%word, 1;")
			line("setp.ne.u32 %s, %%word, 0;", o.name)
		default:
			line("ld.global.%s %s, [%%from+%d];", types[o.letter], o.name, at)
		}
	}
	for _, o := range results {
		if o.letter == 'p' {
			line("setp.ne.u32 %s, %%lane, %%lane;", o.name)
		} else {
			line("mov.%s %s, 0;", types[o.letter], o.name)
		}
	}
	for statement := range strings.SplitSeq(statements, ";") {
		line("%s;", strings.TrimSpace(statement))
	}
	for i, o := range results {
		value := o.name
		switch o.letter {
		case 'p':
			line("selp.u64 %%wide, 1, 0, %s;", o.name)
			value = "%wide"
		case 'h', 'r':
			line("cvt.u64.u%s %%wide, %s;", types[o.letter][1:], o.name)
			value = "%wide"
		}
		line("st.global.u64 [%%to+%d], %s;", 8*i*threads, value)
	}
	line("ret;")
	b.WriteString("}\n")
	return b.String()
}

// name is that of form i's kernel in the module of all.
func name(i int) string { return fmt.Sprintf("form%d", i) }

// Module returns the text of a module with a kernel for each form.
func Module(target string, forms []Form, threads int) string {
	var b strings.Builder
	b.WriteString(header(target))
	for i := range forms {
		b.WriteString(forms[i].kernel(name(i), threads))
	}
	return b.String()
}
