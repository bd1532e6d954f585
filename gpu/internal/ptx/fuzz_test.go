package ptx

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// FuzzParse checks that any text is either a module whose names are all declared,
// or a *SyntaxError on one of the text's lines.
func FuzzParse(f *testing.F) {
	f.Add(wholeText)
	for _, c := range instructions {
		f.Add(inKernel(c.text))
	}
	for _, c := range variables {
		f.Add(head + c.text)
	}
	for _, c := range broken {
		f.Add(c.text)
	}
	for _, text := range kernelTexts(f) {
		f.Add(firstFunction(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse("fuzz.ptx", text)
		if err == nil {
			checkModule(t, m)
			return
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || m != nil {
			t.Fatalf("module %v and error %v", m, err)
		}
		if last := 1 + strings.Count(text, "\n"); syntax.Line < 1 || syntax.Line > last || syntax.File != "fuzz.ptx" || syntax.Text == "" {
			t.Fatalf("error %+v in a text of %d lines", syntax, last)
		}
		if _, again := Parse("fuzz.ptx", text); !reflect.DeepEqual(again, err) {
			t.Fatalf("error %v, then %v", err, again)
		}
	})
}

// firstFunction returns a text up to the end of its first function, and less of
// that if it is long: mutation of long texts is slow.
func firstFunction(text string) string {
	const longest = 8000
	end := strings.Index(text, "\n}\n")
	if end < 0 || end > longest {
		end = strings.LastIndexByte(text[:longest], '\n')
	}
	return text[:end] + "\n}\n"
}

// checkModule checks that what the functions name is declared.
func checkModule(t *testing.T, m *Module) {
	if m.Version == "" || m.Target == "" {
		t.Fatalf("version %q, target %q", m.Version, m.Target)
	}
	for _, v := range m.Variables {
		if v.Initial != nil && len(v.Initial) != v.Size {
			t.Fatalf("%d initial bytes of %+v", len(v.Initial), v)
		}
	}
	for _, f := range m.Functions {
		registers := map[string]bool{"_": true, "": true}
		for _, r := range f.Registers {
			registers[r.Name] = true
		}
		for name, at := range f.Labels {
			if at < 0 || at > len(f.Body) {
				t.Fatalf("label %s at %d of %d", name, at, len(f.Body))
			}
		}
		for _, in := range f.Body {
			if !registers[in.Guard.Register] {
				t.Fatalf("undeclared guard %+v", in)
			}
			checkOperands(t, in.Operands, registers)
			if in.Opcode == "bra" && len(in.Operands) == 1 && in.Operands[0].Kind == SymbolOperand {
				if _, ok := f.Labels[in.Operands[0].Name]; !ok {
					t.Fatalf("a branch to nowhere: %+v", in)
				}
			}
		}
	}
}

func checkOperands(t *testing.T, all []Operand, registers map[string]bool) {
	for _, o := range all {
		if o.Kind == RegisterOperand && !(registers[o.Name] && registers[o.Second]) {
			t.Fatalf("undeclared register in %+v", o)
		}
		checkOperands(t, o.Elements, registers)
	}
}
