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
	"mov":      {Move, buildMov},
	"cvta":     {Move, buildCvta},
	"isspacep": {Move, buildIsspacep},
	"prmt":     {Move, buildPrmt},

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
	"sad": {Integer, buildSad},

	"addc":  {Integer, buildAddc},
	"subc":  {Integer, buildSubc},
	"madc":  {Integer, buildMadc},
	"mul24": {Integer, buildMul24},
	"mad24": {Integer, buildMad24},
	"dp4a":  {Integer, buildDp4a},

	"fma":      {Float, buildFma},
	"rcp":      {Float, buildRcp},
	"sqrt":     {Float, buildSqrt},
	"copysign": {Float, buildCopysign},
	"testp":    {Float, buildTestp},

	"and":   {Integer, buildAnd},
	"or":    {Integer, buildOr},
	"xor":   {Integer, buildXor},
	"not":   {Integer, buildNot},
	"cnot":  {Integer, buildCnot},
	"lop3":  {Integer, buildLop3},
	"shl":   {Integer, buildShl},
	"shr":   {Integer, buildShr},
	"shf":   {Integer, buildShf},
	"bfe":   {Integer, buildBfe},
	"bfi":   {Integer, buildBfi},
	"popc":  {Integer, buildPopc},
	"clz":   {Integer, buildClz},
	"brev":  {Integer, buildBrev},
	"bfind": {Integer, buildBfind},

	"setp": {Compare, buildSetp},
	"set":  {Compare, buildSet},
	"selp": {Compare, buildSelp},
	"slct": {Compare, buildSlct},
	"cvt":  {Convert, buildCvt},

	"ld":       {OtherMemory, buildLd},
	"st":       {OtherMemory, buildSt},
	"cp":       {AsyncCopy, buildCp},
	"prefetch": {OtherMemory, buildPrefetch},
	"atom":     {OtherMemory, buildAtom},
	"red":      {OtherMemory, buildRed},
	"ldmatrix": {MatrixLoad, buildLdmatrix},
	"stmatrix": {MatrixLoad, buildStmatrix},
	"mma":      {MatrixMultiply, buildMma},
	"wgmma":    {MatrixMultiply, buildWgmma},

	"shfl":       {Exchange, buildShfl},
	"vote":       {Exchange, buildVote},
	"match":      {Exchange, buildMatch},
	"redux":      {Exchange, buildRedux},
	"elect":      {Exchange, buildElect},
	"activemask": {Exchange, buildActivemask},

	"bra":            {Control, buildBra},
	"ret":            {Control, buildExit},
	"exit":           {Control, buildExit},
	"trap":           {Control, buildTrap},
	"brkpt":          {Control, buildTrap},
	"nanosleep":      {Control, buildNanosleep},
	"griddepcontrol": {Synchronise, buildGriddepcontrol},
	"bar":            {Synchronise, buildBar},
	"barrier":        {Synchronise, buildBarrier},
	"mbarrier":       {Synchronise, buildMbarrier},
	"setmaxnreg":     {Synchronise, buildSetmaxnreg},
	"membar":         {Synchronise, buildMembar},
	"fence":          {Synchronise, buildFence},
}
