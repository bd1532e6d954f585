package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// decode turns n codes of eight rows into n columns of eight values.
func decode() {
	TEXT("decode", NOSPLIT, "func(dst *[8]float64, rows *[8]*byte, n int, floor float32, unit *[8]float64, top *[8]float64)")
	Pragma("noescape")
	dst, table, n := Load(Param("dst"), GP64()), Load(Param("rows"), GP64()), Load(Param("n"), GP64())
	k := GP64()
	XORQ(k, k)
	union, floor := YMM(), YMM()
	Load(Param("floor"), floor.AsX())
	VBROADCASTSS(floor.AsX(), floor)
	VPXOR(union, union, union)
	w, toFixed := newWidening(), constant(power(9))

	Label("columns")
	for i, pair := range transposed(table, k) {
		for j := range 2 {
			if j == 1 {
				VPUNPCKHQDQ(pair, pair, pair)
			}
			f, low, high := w.values(pair), YMM(), YMM()
			VCVTPS2PD(f.AsX(), low)
			column := operand.Mem{Base: dst, Disp: 8 * width * (2*i + j)}
			VMOVUPD(low, column)
			upper := XMM()
			VEXTRACTF128(operand.Imm(1), f, upper)
			VCVTPS2PD(upper, high)
			VMOVUPD(high, column.Offset(8*half))
			VMULPS(toFixed, f, f)
			VCVTPS2DQ(f, f)
			VPABSD(f, f)
			VPOR(f, union, union)
		}
	}
	ADDQ(operand.U32(8*8*width), dst)
	ADDQ(operand.Imm(8), k)
	CMPQ(k, n)
	JNE(operand.LabelRef("columns"))

	ranges(union, floor)
	VZEROUPPER()
	RET()
}

// transposed loads eight codes of eight rows: register i has columns 2i and 2i+1.
func transposed(table, k reg.Register) [4]reg.VecVirtual {
	var x [width]reg.VecVirtual
	row := GP64()
	for i := range x {
		x[i] = XMM()
		MOVQ(operand.Mem{Base: table, Disp: 8 * i}, row)
		VMOVQ(operand.Mem{Base: row, Index: k, Scale: 1}, x[i])
	}
	var pairs [4]reg.VecVirtual
	for i := range pairs {
		pairs[i] = XMM()
		VPUNPCKLBW(x[2*i+1], x[2*i], pairs[i])
	}
	var y [4]reg.VecVirtual
	for i := range 2 {
		y[2*i], y[2*i+1] = XMM(), XMM()
		VPUNPCKLWD(pairs[2*i+1], pairs[2*i], y[2*i])
		VPUNPCKHWD(pairs[2*i+1], pairs[2*i], y[2*i+1])
	}
	var z [4]reg.VecVirtual
	for i := range 2 {
		z[2*i], z[2*i+1] = XMM(), XMM()
		VPUNPCKLDQ(y[2+i], y[i], z[2*i])
		VPUNPCKHDQ(y[2+i], y[i], z[2*i+1])
	}
	return z
}

// ranges stores the unit and the top of each row, from all bits of its magnitudes in
// units of 2^-9: the lowest and the highest of them.
func ranges(union, floor reg.VecVirtual) {
	toUnit := constant(power(-9))
	zero, low, high := YMM(), YMM(), YMM()
	VPXOR(zero, zero, zero)
	VPSUBD(union, zero, low)
	VPAND(union, low, low)
	VCVTDQ2PS(low, low)
	VMULPS(toUnit, low, low)
	VCVTDQ2PS(union, high)
	VPAND(constant(0x7F800000), high, high)
	VMULPS(toUnit, high, high)
	VMAXPS(floor, high, high)
	VPCMPEQD(zero, union, zero) // rows of zeros from here on
	VPANDN(high, zero, high)
	VBLENDVPS(zero, constant(0x7F800000), low, low)
	store := func(name string, v reg.VecVirtual) {
		to, wide, upper := Load(Param(name), GP64()), YMM(), XMM()
		VCVTPS2PD(v.AsX(), wide)
		VMOVUPD(wide, operand.Mem{Base: to})
		VEXTRACTF128(operand.Imm(1), v, upper)
		VCVTPS2PD(upper, wide)
		VMOVUPD(wide, operand.Mem{Base: to, Disp: 8 * half})
	}
	store("unit", low)
	store("top", high)
}
