package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// widening is the constants that make float32 of codes.
type widening struct{ fields, factor reg.VecVirtual }

func newWidening() widening {
	return widening{fields: constant(0xBF80BF80), factor: constant(power(8))}
}

// values returns eight codes as float32. Sign, exponent and fraction move to the fields
// of a float16, which is then 2^-8 of the value, also where the code is subnormal; as
// a subnormal float32 it would take many times as long.
func (w widening) values(codes operand.Op) reg.VecVirtual {
	narrow, v := XMM(), YMM()
	VPMOVSXBW(codes, narrow)
	VPSLLW(operand.Imm(7), narrow, narrow)
	VPAND(w.fields.AsX(), narrow, narrow)
	VCVTPH2PS(narrow, v)
	VMULPS(w.factor, v, v)
	return v
}

// hasF16C asks the processor for what values needs beyond AVX2.
func hasF16C() {
	TEXT("hasF16C", NOSPLIT, "func() bool")
	MOVL(operand.U32(1), reg.EAX)
	XORL(reg.ECX, reg.ECX)
	CPUID()
	SHRL(operand.Imm(29), reg.ECX)
	ANDL(operand.Imm(1), reg.ECX)
	found := GP32()
	MOVL(reg.ECX, found)
	Store(found.As8(), ReturnIndex(0))
	RET()
}
