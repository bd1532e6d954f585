package interp

import (
	"fmt"

	"blockfp8/gpu/internal/ptx"
)

// scope is what the names in a kernel stand for while it is compiled.
type scope struct {
	kernel   *Kernel
	function *ptx.Function
	// moduleTarget is the .target of the module.
	moduleTarget string
	registers    map[string]register // those that hold values
	predicates   map[string]int
	constants    map[uint64]int
	specials     map[string]int
	addresses    map[string]variable
	err          error
}

// register is where a register's values lie, and how large they are.
type register struct{ slot, bits int }

// variable is where a name in memory lies.
type variable struct {
	space  ptx.Space
	offset int
}

func newScope(k *Kernel, m *ptx.Module, f *ptx.Function) *scope {
	s := &scope{
		kernel: k, function: f, moduleTarget: m.Target,
		registers: map[string]register{}, predicates: map[string]int{}, constants: map[uint64]int{},
		specials: map[string]int{}, addresses: map[string]variable{},
	}
	for _, r := range f.Registers {
		if r.Type == "pred" {
			s.predicates[r.Name] = k.predicates
			k.predicates++
		} else {
			t, ok := numberNamed(r.Type)
			if !ok {
				s.err = &ptx.SyntaxError{File: m.Name, Line: f.Line, Text: "register " + r.Name + " of type " + r.Type + ": not supported"}
			}
			s.registers[r.Name] = register{s.slot(), t.bits}
		}
	}
	s.layOutParams(f.Params)
	s.layOutMemory(m.Variables, f.Variables)
	return s
}

func (s *scope) slot() int {
	s.kernel.slots++
	return s.kernel.slots - 1
}

func (s *scope) layOutParams(params []ptx.Variable) {
	for _, p := range params {
		at := roundUp(s.kernel.paramBytes, p.Align)
		s.addresses[p.Name] = variable{ptx.Param, at}
		s.kernel.paramBytes = at + p.Size
	}
}

// layOutMemory gives shared and local variables their places. Arrays of no size
// are the dynamic shared memory: all begin where the static part ends.
func (s *scope) layOutMemory(lists ...[]ptx.Variable) {
	k := s.kernel
	var dynamic []string
	for _, list := range lists {
		for _, v := range list {
			switch {
			case v.Space == ptx.Shared && v.Size == 0:
				dynamic = append(dynamic, v.Name)
			case v.Space == ptx.Shared:
				k.static = roundUp(k.static, v.Align)
				s.addresses[v.Name] = variable{ptx.Shared, k.static}
				k.static += v.Size
			case v.Space == ptx.Local:
				k.local = roundUp(k.local, v.Align)
				s.addresses[v.Name] = variable{ptx.Local, k.local}
				k.local += v.Size
			}
		}
	}
	k.static = roundUp(k.static, dynamicAlignment)
	for _, name := range dynamic {
		s.addresses[name] = variable{ptx.Shared, k.static}
	}
}

// dynamicAlignment is that of dynamic shared memory.
const dynamicAlignment = 16

func roundUp(n, to int) int { return (n + max(to, 1) - 1) / max(to, 1) * max(to, 1) }

// constant returns the slot of a value.
func (s *scope) constant(value uint64) int {
	slot, ok := s.constants[value]
	if !ok {
		slot = s.slot()
		s.constants[value] = slot
		s.kernel.constants = append(s.kernel.constants, constant{slot, value})
	}
	return slot
}

// compile makes one instruction ready to run.
func (s *scope) compile(to *instruction, in *ptx.Instruction) error {
	op, ok := opcodes[in.Opcode]
	if !ok {
		return fmt.Errorf("opcode %s is not known", in.Opcode)
	}
	to.class, to.line, to.source, to.guard = op.class, int32(in.Line), in.Source, noGuard
	c := &call{scope: s, in: in, modifiers: in.Modifiers, to: to}
	if in.Guard.Register != "" {
		to.guard, to.negated = int32(c.predicate(in.Guard.Register)), in.Guard.Negated
	}
	if op.class == Exchange || op.class == MatrixMultiply {
		to.flow = mixingFlow
	}
	to.step = op.build(c)
	c.end()
	if c.err != nil {
		return fmt.Errorf("%s: %w", mnemonic(in), c.err)
	}
	return nil
}

func mnemonic(in *ptx.Instruction) string {
	text := in.Opcode
	for _, m := range in.Modifiers {
		text += "." + m
	}
	return text
}
