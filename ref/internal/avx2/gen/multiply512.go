package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// products512 is products for all rows of a strip of A: a register a row.
func products512() (s [width]reg.VecVirtual) {
	a, b, n := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64())
	for r := range s {
		s[r] = ZMM()
		VPXORQ(s[r], s[r], s[r])
	}
	Label("products")
	for k := range unrolled {
		x, column := ZMM(), 8*width*k
		VMOVUPD(operand.Mem{Base: b, Disp: column}, x)
		for r := range s {
			VFMADD231PD_BCST(operand.Mem{Base: a, Disp: column + 8*r}, x, s[r])
		}
	}
	ADDQ(operand.U32(8*width*unrolled), a)
	ADDQ(operand.U32(8*width*unrolled), b)
	SUBQ(operand.Imm(unrolled), n)
	JNE(operand.LabelRef("products"))
	return s
}

// dot512 is dot for eight rows.
func dot512() {
	TEXT("dot512", NOSPLIT, "func(c *[64]float64, a *[8]float64, b *[8]float64, n int)")
	Pragma("noescape")
	s := products512()
	c := Load(Param("c"), GP64())
	for r, sum := range s {
		VADDPD(row(c, r), sum, sum)
		VMOVUPD(sum, row(c, r))
	}
	VZEROUPPER()
	RET()
}

// broadcast64 is a register of eight times word i from base on.
func broadcast64(base reg.Register, i int) reg.VecVirtual {
	z := ZMM()
	VBROADCASTSD(operand.Mem{Base: base, Disp: 8 * i}, z)
	return z
}

// fuse512 is fuse for eight rows.
func fuse512() {
	TEXT("fuse512", NOSPLIT, "func(c *[64]float64, a *[8]float64, b *[8]float64, n int, aUnit *[8]float64, aTop *[8]float64, bUnit *[8]float64, bTop *[8]float64, w *[3]float64) uint64")
	Pragma("noescape")
	s := products512()
	c, w := Load(Param("c"), GP64()), Load(Param("w"), GP64())
	aUnit, aTop := Load(Param("aUnit"), GP64()), Load(Param("aTop"), GP64())
	bUnit, bTop := Load(Param("bUnit"), GP64()), Load(Param("bTop"), GP64())
	units, magic, keep := broadcast64(w, 0), broadcast64(w, 1), broadcast64(w, 2)
	tops, magnitude := ZMM(), ZMM()
	VMULPD(operand.Mem{Base: bUnit}, units, units)
	VMOVUPD(operand.Mem{Base: bTop}, tops)
	VPTERNLOGQ(operand.Imm(0xFF), magnitude, magnitude, magnitude)
	VPSRLQ(operand.Imm(1), magnitude, magnitude)
	held, bits := GP64(), GP64()
	XORQ(held, held)
	for r, sum := range s {
		limit, cut, value, test := ZMM(), ZMM(), ZMM(), ZMM()
		below, open, ok := K(), K(), K()
		const less, atMost, equal = 0x11, 0x12, 0x00 // ordered, quiet
		VMULPD_BCST(operand.Mem{Base: aUnit, Disp: 8 * r}, units, limit)
		VMULPD_BCST(operand.Mem{Base: aTop, Disp: 8 * r}, tops, cut)
		VMOVUPD(row(c, r), value)
		VPANDQ(magnitude, value, test)
		VCMPPD(operand.Imm(less), limit, test, below)
		VADDPD(cut, cut, test)
		VCMPPD(operand.Imm(atMost), limit, test, below, open)
		VMULPD(magic, cut, cut)
		VADDPD(cut, value, test)
		VSUBPD(cut, test, test)
		VCMPPD(operand.Imm(equal), value, test, open, ok)
		VADDPD(value, sum, sum)
		VPANDQ(keep, sum, sum)
		VMOVUPD(sum, ok, row(c, r))
		KMOVW(ok, bits.As32())
		if r > 0 {
			SHLQ(operand.Imm(uint64(width*r)), bits)
		}
		ORQ(bits, held)
	}
	NOTQ(held)
	VZEROUPPER()
	Store(held, ReturnIndex(0))
	RET()
}
