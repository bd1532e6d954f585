package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// In truncate the lanes are the eight elements of four rows by two columns, in the
// order row*2+column: value r of A stands in lanes 2r and 2r+1, value c of B in
// lanes c, 2+c, 4+c and 6+c.
const (
	rows    = 4
	columns = 2
	lanes   = rows * columns
)

// unrolled is how many columns a loop does at once; the number of columns is a
// multiple of it.
const unrolled = 4

// rowOrder is which of the rows each lane takes. The permutation reads 32 bytes, of
// which the order only uses the first 16.
func rowOrder() operand.Mem {
	data := GLOBL("rows", RODATA|NOPTR)
	for lane := range lanes {
		DATA(4*lane, operand.U32(lane/columns))
	}
	return data
}

func truncate() {
	TEXT("truncate", NOSPLIT, "func(c *[8]float64, a *[8]uint32, b *[4]uint32, n int, d *[3]uint32) uint32")
	Pragma("noescape")
	c, d := Load(Param("c"), GP64()), Load(Param("d"), GP64())
	a, b, n := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64())

	Comment("The largest exponent of the products.")
	top, i, at, bt := YMM(), GP64(), GP64(), GP64()
	VPBROADCASTD(operand.Mem{Base: d}, top)
	MOVQ(a, at)
	MOVQ(b, bt)
	MOVQ(n, i)
	order := YMM()
	VMOVDQU(rowOrder(), order)
	Label("exponents")
	for j := range unrolled {
		e, f := YMM(), YMM()
		VPERMD(operand.Mem{Base: at, Disp: 8*rows*j + 4*rows}, order, e)
		VPBROADCASTQ(operand.Mem{Base: bt, Disp: 8*columns*j + 4*columns}, f)
		VPADDD(f, e, e)
		VPMAXSD(e, top, top)
	}
	ADDQ(operand.Imm(8*rows*unrolled), at)
	ADDQ(operand.Imm(8*columns*unrolled), bt)
	SUBQ(operand.Imm(unrolled), i)
	JNE(operand.LabelRef("exponents"))

	Comment("The exponent of c, -126 for a subnormal one; a zero takes no part.")
	low, high := XMM(), XMM()
	VCVTPD2PSY(operand.Mem{Base: c}, low)
	VCVTPD2PSY(operand.Mem{Base: c, Disp: 32}, high)
	value := YMM()
	VINSERTF128(operand.Imm(1), high, low.AsY(), value)
	exponent, field, zero, nonzero := YMM(), YMM(), YMM(), YMM()
	VXORPS(zero, zero, zero)
	VPSLLD(operand.Imm(1), value, field)
	VPSRLD(operand.Imm(24), field, field)
	VPMAXSD(constant(1), field, exponent)
	VPSUBD(constant(127), exponent, exponent)
	const notEqual = 0x04
	VCMPPS(operand.Imm(notEqual), zero, value, nonzero)
	VPBLENDVB(nonzero, exponent, top, exponent)
	VPMAXSD(exponent, top, top)

	Comment("Where neither 2^(F-E) nor 2^(E-F) leaves the normal numbers, and no infinity or NaN is about.")
	bad, test := YMM(), YMM()
	VPCMPGTD(top, constant(uint32(int32Bits(-100))), bad)
	VPCMPGTD(constant(254), field, test)
	VPOR(test, bad, bad)

	Comment("scale is 2^(F-E), unit 2^(E-F).")
	scale, unit, q := YMM(), YMM(), YMM()
	fraction := YMM()
	VPBROADCASTD(operand.Mem{Base: d, Disp: 4}, fraction)
	VPSUBD(fraction, top, q)
	VPSUBD(q, constant(127), scale)
	VPSLLD(operand.Imm(23), scale, scale)
	VPADDD(constant(127), q, unit)
	VPSLLD(operand.Imm(23), unit, unit)

	Comment("The terms, truncated toward zero.")
	sum := YMM()
	VMULPS(scale, value, sum)
	VCVTTPS2DQ(sum, sum)
	Label("terms")
	for j := range unrolled {
		p, r := YMM(), YMM()
		VPERMPS(operand.Mem{Base: a, Disp: 8 * rows * j}, order, p)
		VBROADCASTSD(operand.Mem{Base: b, Disp: 8 * columns * j}, r)
		VMULPS(r, p, p)
		VMULPS(scale, p, p)
		VCVTTPS2DQ(p, p)
		VPADDD(p, sum, sum)
	}
	ADDQ(operand.Imm(8*rows*unrolled), a)
	ADDQ(operand.Imm(8*columns*unrolled), b)
	SUBQ(operand.Imm(unrolled), n)
	JNE(operand.LabelRef("terms"))

	Comment("The result, cut to its bits.")
	keep, result := YMM(), YMM()
	VPBROADCASTD(operand.Mem{Base: d, Disp: 8}, keep)
	VCVTDQ2PS(sum, result)
	VANDPS(keep, result, result)
	VMULPS(unit, result, result)
	VBLENDVPS(bad, value, result, result)
	wide := YMM()
	VCVTPS2PD(result.AsX(), wide)
	VMOVUPD(wide, operand.Mem{Base: c})
	upper := XMM()
	VEXTRACTF128(operand.Imm(1), result, upper)
	VCVTPS2PD(upper, wide)
	VMOVUPD(wide, operand.Mem{Base: c, Disp: 32})
	missed := GP32()
	VMOVMSKPS(bad, missed)
	VZEROUPPER()
	Store(missed, ReturnIndex(0))
	RET()
}

func int32Bits(v int32) uint32 { return uint32(v) }
