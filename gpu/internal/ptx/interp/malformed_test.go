package interp_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx"
	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/gpu/internal/ptx/interp/opcheck"
)

// Instructions with a modifier or an operand too few or of another kind are compiled
// or refused, nothing panics; a modifier that comes twice is refused.
func TestMalformedInstructions(t *testing.T) {
	m, err := ptx.Parse("forms.ptx", opcheck.Module("sm_90", opcheck.Forms(), 32))
	if err != nil {
		t.Fatal(err)
	}
	kinds := []ptx.Operand{
		{Kind: ptx.IntegerOperand, Bits: 1 << 40},
		{Kind: ptx.Float32Operand},
		{Kind: ptx.SinkOperand},
		{Kind: ptx.RegisterOperand, Name: "%q"},
		{Kind: ptx.RegisterOperand, Name: "%wide", Second: "%q"},
		{Kind: ptx.RegisterOperand, Name: "none"},
		{Kind: ptx.VectorOperand},
		{Kind: ptx.VectorOperand, Elements: make([]ptx.Operand, 3)},
		{Kind: ptx.AddressOperand, Name: "%half"},
		{Kind: ptx.SymbolOperand, Name: "none"},
		{Kind: ptx.SpecialOperand, Name: "%clock"},
	}
	refused, compiled := 0, 0
	seen := map[string]bool{}
	for _, f := range m.Functions {
		for i := range f.Body {
			in := f.Body[i]
			name := in.Opcode + "." + strings.Join(in.Modifiers, ".")
			if seen[name] {
				continue
			}
			seen[name] = true
			try := func(modifiers []string, operands []ptx.Operand) {
				f.Body[i].Modifiers, f.Body[i].Operands = modifiers, operands
				one := *f
				one.Body = f.Body[i : i+1]
				one.Labels = nil
				_, err := interp.Compile(&ptx.Module{Name: "m.ptx", Functions: []*ptx.Function{&one}}, sm120, interp.Options{})
				var syntax *ptx.SyntaxError
				switch {
				case err == nil && len(modifiers) > len(in.Modifiers):
					t.Errorf("%s: %q was taken", name, modifiers)
				case err == nil:
					compiled++
				case errors.As(err, &syntax):
					refused++
				default:
					t.Errorf("%v: %v", f.Body[i], err)
				}
			}
			for j := range in.Modifiers {
				try(slices.Delete(slices.Clone(in.Modifiers), j, j+1), in.Operands)
				try(slices.Insert(slices.Clone(in.Modifiers), j, in.Modifiers[j]), in.Operands)
			}
			for j := range in.Operands {
				try(in.Modifiers, slices.Delete(slices.Clone(in.Operands), j, j+1))
				for _, o := range kinds {
					operands := slices.Clone(in.Operands)
					operands[j] = o
					try(in.Modifiers, operands)
				}
			}
			f.Body[i] = in
		}
	}
	if refused == 0 || compiled == 0 {
		t.Errorf("%d refused, %d compiled", refused, compiled)
	}
	t.Logf("%d refused, %d compiled", refused, compiled)
}
