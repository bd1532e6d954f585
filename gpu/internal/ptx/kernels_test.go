package ptx

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// kernelTexts returns the committed kernels by file name.
func kernelTexts(tb testing.TB) map[string]string {
	tb.Helper()
	names, err := filepath.Glob("../../kernels/*.ptx")
	if err != nil || len(names) == 0 {
		tb.Fatal("no kernels: ", err)
	}
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		texts[filepath.Base(name)] = string(text)
	}
	return texts
}

// nvcc writes one statement a line, so that lines can be counted without a parser.
var (
	instructionLine = regexp.MustCompile(`(?m)^\s*(?:@!?%\w+\s+)?([a-z]\w*(?:\.[\w:]+)*)\s*(?:[^:\n]*);$`)
	labelLine       = regexp.MustCompile(`(?m)^(\$L__BB\w+):`)
	registerLine    = regexp.MustCompile(`(?m)^\s*\.reg \.(\w+)\s+(%\w+)<(\d+)>;`)
	scopedRegister  = regexp.MustCompile(`(?m)^\s*\.reg \.\w+ \w+;$`) // of inline assembly
	entryLine       = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)
	parameterLine   = regexp.MustCompile(`(?m)^\s*\.param `)
	branchLine      = regexp.MustCompile(`(?m)^\s*(?:@!?%\w+\s+)?bra(?:\.uni)?\s+(\S+);`)
)

func TestKernels(t *testing.T) {
	for name, text := range kernelTexts(t) {
		t.Run(name, func(t *testing.T) {
			m, err := Parse(name, text)
			if err != nil {
				t.Fatal(err)
			}
			checkOpcodes(t, m, text)
			checkDeclarations(t, m, text)
			checkBranches(t, m, text)
		})
	}
}

func checkOpcodes(t *testing.T, m *Module, text string) {
	t.Helper()
	want := map[string]int{}
	for _, match := range instructionLine.FindAllStringSubmatch(text, -1) {
		want[match[1]]++
	}
	got := map[string]int{}
	lines := strings.Split(text, "\n")
	for _, f := range m.Functions {
		for _, in := range f.Body {
			opcode := strings.Join(append([]string{in.Opcode}, in.Modifiers...), ".")
			got[opcode]++
			if !strings.Contains(lines[in.Line-1], opcode) {
				t.Errorf("%s is not on line %d: %q", opcode, in.Line, lines[in.Line-1])
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("opcodes: got %v\nwant %v", got, want)
	}
}

func checkDeclarations(t *testing.T, m *Module, text string) {
	t.Helper()
	want := len(scopedRegister.FindAllString(text, -1))
	for _, match := range registerLine.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(match[3])
		if err != nil {
			t.Fatal(err)
		}
		want += n
	}
	registers, labels, parameters := 0, 0, 0
	for _, f := range m.Functions {
		registers += len(f.Registers)
		labels += len(f.Labels)
		parameters += len(f.Params)
	}
	for what, counts := range map[string][2]int{
		"registers":  {registers, want},
		"labels":     {labels, len(labelLine.FindAllString(text, -1))},
		"parameters": {parameters, len(parameterLine.FindAllString(text, -1))},
	} {
		if counts[0] != counts[1] {
			t.Errorf("%d %s, want %d", counts[0], what, counts[1])
		}
	}
	var names []string
	for _, f := range m.Functions {
		names = append(names, f.Name)
	}
	var entries []string
	for _, match := range entryLine.FindAllStringSubmatch(text, -1) {
		entries = append(entries, match[1])
	}
	if strings.Join(names, " ") != strings.Join(entries, " ") {
		t.Errorf("functions %v, want %v", names, entries)
	}
}

// checkBranches compares where the branches go with the text's lines.
func checkBranches(t *testing.T, m *Module, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for _, f := range m.Functions {
		for _, in := range f.Body {
			if in.Opcode != "bra" {
				continue
			}
			label := branchLine.FindStringSubmatch(lines[in.Line-1])[1]
			at, ok := f.Labels[in.Operands[0].Name]
			if in.Operands[0].Name != label || !ok {
				t.Fatalf("line %d: a branch to %s goes to %+v", in.Line, label, in.Operands)
			}
			if at > 0 && !before(lines, f.Body[at-1].Line, label) || at < len(f.Body) && before(lines, f.Body[at].Line, label) {
				t.Fatalf("%s is not between the instructions before %d", label, at)
			}
		}
	}
}

// before says whether the label stands after the line, counted from 1.
func before(lines []string, line int, label string) bool {
	for _, text := range lines[line:] {
		if strings.HasPrefix(text, label+":") {
			return true
		}
		if strings.HasPrefix(text, ".visible .entry ") { // a bracket may end a scope of inline assembly
			return false
		}
	}
	return false
}

func BenchmarkParse(b *testing.B) {
	texts := kernelTexts(b)
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for name, text := range texts {
			if _, err := Parse(name, text); err != nil {
				b.Fatal(err)
			}
		}
	}
}
