package interp

// opcode is how an instruction is compiled: build takes its modifiers and
// operands and returns what runs.
type opcode struct {
	class Class
	build func(c *call) step
}

// opcodes lists all that is known, by the part of the name before the first dot.
// A new one is added here, and in the file of its kind.
var opcodes = map[string]opcode{
	"mov":  {Move, buildMov},
	"cvta": {Move, buildCvta},
	"prmt": {Move, buildPrmt},

	"add": {Integer, buildAdd},
	"sub": {Integer, buildSub},
	"mul": {Integer, buildMul},
	"mad": {Integer, buildMad},
	"div": {Integer, buildDiv},
	"rem": {Integer, buildRem},
	"neg": {Integer, buildNeg},
	"abs": {Integer, buildAbs},
	"min": {Integer, buildMin},
	"max": {Integer, buildMax},
	"fma": {Float, buildFma},

	"and":  {Integer, buildAnd},
	"or":   {Integer, buildOr},
	"xor":  {Integer, buildXor},
	"not":  {Integer, buildNot},
	"lop3": {Integer, buildLop3},
	"shl":  {Integer, buildShl},
	"shr":  {Integer, buildShr},
	"shf":  {Integer, buildShf},
	"bfe":  {Integer, buildBfe},
	"bfi":  {Integer, buildBfi},
	"popc": {Integer, buildPopc},
	"clz":  {Integer, buildClz},
	"brev": {Integer, buildBrev},

	"setp": {Compare, buildSetp},
	"selp": {Compare, buildSelp},
	"cvt":  {Convert, buildCvt},

	"ld":       {OtherMemory, buildLd},
	"st":       {OtherMemory, buildSt},
	"cp":       {AsyncCopy, buildCp},
	"ldmatrix": {MatrixLoad, buildLdmatrix},
	"mma":      {MatrixMultiply, buildMma},

	"shfl": {Exchange, buildShfl},

	"bra":     {Control, buildBra},
	"ret":     {Control, buildExit},
	"exit":    {Control, buildExit},
	"bar":     {Synchronise, buildBar},
	"barrier": {Synchronise, buildBarrier},
	"membar":  {Synchronise, buildFence},
	"fence":   {Synchronise, buildFence},
}
