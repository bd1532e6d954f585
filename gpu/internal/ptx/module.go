package ptx

// Module is one PTX text.
type Module struct {
	Name        string         // of the text in messages
	Version     string         // of the ISA, such as "8.4"
	Target      string         // such as "sm_89", with platform options dropped
	AddressSize int            // 32 or 64
	Files       map[int]string // what .loc's numbers stand for; empty without line information
	Variables   []Variable     // .global, .const and .shared outside functions, in order
	Functions   []*Function    // in order, declarations without a body left out
}

// Function returns the function of that name, or nil.
func (m *Module) Function(name string) *Function {
	for _, f := range m.Functions {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Space is a state space of PTX.
type Space uint8

// The state spaces.
const (
	NoSpace Space = iota
	Param
	Global
	Const
	Shared
	Local
)

// Variable is memory with a name.
type Variable struct {
	Name    string
	Space   Space
	Type    string // without the dot, such as "u64"; the element type of arrays
	Align   int    // bytes, at least the element's size
	Size    int    // bytes in all; 0 for an extern array of no size (dynamic shared memory)
	Extern  bool
	Initial []byte // nil without initialiser; else Size bytes, little endian

	Addresses []Address // what belongs in Initial besides, as in a table of pointers
	Line      int
}

// Address is the address of a variable or function in an initial value. The bytes
// that it takes there are zero.
type Address struct {
	At      int // byte in the initial value
	Name    string
	Offset  int64
	Generic bool // the generic address is meant, not that in the variable's space
}

// Register is one virtual register of a function. A parameterised declaration
// (%r<5>) gives one for each number (%r0 to %r4). A register that was declared in
// an inner scope has a unique name: its own, "@" and the scope's number.
type Register struct {
	Name string
	Type string // without the dot: pred, b16, b32, f32, b64, ...
}

// Function is a kernel or device function with a body.
type Function struct {
	Name       string
	Entry      bool
	Returns    []Variable // return parameters of a device function
	Params     []Variable
	MaxThreads int // product of .maxntid or .reqntid; 0 where there is neither
	Registers  []Register
	Variables  []Variable // .shared, .local and .param in the body, scopes resolved like registers
	Body       []Instruction
	Labels     map[string]int // index into Body of what follows the label, which may be len(Body)
	Line       int
}

// Source is a place in the CUDA source, from .loc.
type Source struct {
	File string // empty where there is no line information
	Line int
}

// Instruction is one statement that does something.
type Instruction struct {
	Guard     Guard
	Opcode    string   // up to the first dot: "ld", "mma", "bar"
	Modifiers []string // the rest in order, split at dots, double colons kept: "shared::cta", "m16n8k32"
	Operands  []Operand
	Line      int // in the PTX
	Source    Source
}

// Guard is the predicate before an instruction.
type Guard struct {
	Register string // empty for none
	Negated  bool
}

// OperandKind says which fields of an Operand are used.
type OperandKind uint8

// The kinds of operands.
const (
	RegisterOperand OperandKind = iota // Name, Negated; Second for the q of "p|q"
	SpecialOperand                     // Name, such as "%tid.x" or "%laneid"
	IntegerOperand                     // Bits, two's complement in 64 bits
	Float32Operand                     // Bits, the float32's (0f...)
	Float64Operand                     // Bits, the float64's (0d... and decimal literals)
	AddressOperand                     // [Name+Offset], Name a register, variable or empty; [Name+Offset, Elements...]
	SymbolOperand                      // Name of a variable, function or label; Offset; Elements, if Name is of .branchtargets
	VectorOperand                      // {Elements}, or (Elements) of a call
	SinkOperand                        // "_"
)

// Operand is one argument of an instruction.
type Operand struct {
	Kind     OperandKind
	Name     string
	Negated  bool
	Second   string
	Bits     uint64
	Offset   int64
	Elements []Operand
}
