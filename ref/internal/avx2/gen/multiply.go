package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sums are those of four rows of A by eight columns: two registers a row.
type sums [half][2]reg.VecVirtual

// products multiplies four rows of n columns of a strip of A with those of a strip of B. Sums are exact, so they may be summed in any order.
func products() (s sums) {
	a, b, n := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64())
	for r := range s {
		for i := range s[r] {
			s[r][i] = YMM()
			VXORPD(s[r][i], s[r][i], s[r][i])
		}
	}
	Label("products")
	for k := range unrolled {
		x := [2]reg.VecVirtual{YMM(), YMM()}
		column := operand.Mem{Base: b, Disp: 8 * width * k}
		VMOVUPD(column, x[0])
		VMOVUPD(column.Offset(8*half), x[1])
		for r := range s {
			y := YMM()
			VBROADCASTSD(operand.Mem{Base: a, Disp: 8 * (width*k + r)}, y)
			VFMADD231PD(y, x[0], s[r][0])
			VFMADD231PD(y, x[1], s[r][1])
		}
	}
	ADDQ(operand.U32(8*width*unrolled), a)
	ADDQ(operand.U32(8*width*unrolled), b)
	SUBQ(operand.Imm(unrolled), n)
	JNE(operand.LabelRef("products"))
	return s
}

// at is the place of register i of row r among elements.
func at(base reg.Register, r, i int) operand.Mem {
	return operand.Mem{Base: base, Disp: 8 * (width*r + half*i)}
}

// dot adds products to c.
func dot() {
	TEXT("dot", NOSPLIT, "func(c *float64, a *float64, b *[8]float64, n int)")
	Pragma("noescape")
	s := products()
	c := Load(Param("c"), GP64())
	for r := range s {
		for i, sum := range s[r] {
			VADDPD(at(c, r, i), sum, sum)
			VMOVUPD(sum, at(c, r, i))
		}
	}
	VZEROUPPER()
	RET()
}

// fuse adds products to c and cuts the sums, in the lanes where the window of both
// rows holds for c; the result has a bit for each of the others.
func fuse() {
	TEXT("fuse", NOSPLIT, "func(c *float64, a *float64, b *[8]float64, n int, aUnit *float64, aTop *float64, bUnit *[8]float64, bTop *[8]float64, w *[3]float64) uint32")
	Pragma("noescape")
	s := products()
	c, w := Load(Param("c"), GP64()), Load(Param("w"), GP64())
	aUnit, aTop := Load(Param("aUnit"), GP64()), Load(Param("aTop"), GP64())
	bUnit, bTop := Load(Param("bUnit"), GP64()), Load(Param("bTop"), GP64())
	held, bits := GP32(), GP32()
	XORL(held, held)
	magnitude := magnitudes()
	for r := range s {
		unit, top, factor := YMM(), YMM(), YMM()
		VBROADCASTSD(operand.Mem{Base: aUnit, Disp: 8 * r}, unit)
		VBROADCASTSD(operand.Mem{Base: w}, factor)
		VMULPD(factor, unit, unit)
		VBROADCASTSD(operand.Mem{Base: aTop, Disp: 8 * r}, top)
		for i, sum := range s[r] {
			limit, cut, value, ok, test := YMM(), YMM(), YMM(), YMM(), YMM()
			const less, atMost, equal = 0x11, 0x12, 0x00 // ordered, quiet
			VMULPD(operand.Mem{Base: bUnit, Disp: 8 * half * i}, unit, limit)
			VMULPD(operand.Mem{Base: bTop, Disp: 8 * half * i}, top, cut)
			VMOVUPD(at(c, r, i), value)
			VANDPD(magnitude, value, test)
			VCMPPD(operand.Imm(less), limit, test, ok)
			VADDPD(cut, cut, test)
			VCMPPD(operand.Imm(atMost), limit, test, test)
			VANDPD(test, ok, ok)
			VBROADCASTSD(operand.Mem{Base: w, Disp: 8}, test)
			VMULPD(test, cut, cut)
			VADDPD(cut, value, test)
			VSUBPD(cut, test, test)
			VCMPPD(operand.Imm(equal), value, test, test)
			VANDPD(test, ok, ok)
			VADDPD(value, sum, sum)
			VBROADCASTSD(operand.Mem{Base: w, Disp: 16}, test)
			VANDPD(test, sum, sum)
			VBLENDVPD(ok, sum, value, value)
			VMOVUPD(value, at(c, r, i))
			VMOVMSKPD(ok, bits)
			if shift := uint64(width*r + half*i); shift > 0 {
				SHLL(operand.Imm(shift), bits)
			}
			ORL(bits, held)
		}
	}
	NOTL(held)
	VZEROUPPER()
	Store(held, ReturnIndex(0))
	RET()
}
