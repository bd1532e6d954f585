package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// toFloat32 rounds eight float64 to a register of float32.
func toFloat32(from operand.Mem) reg.VecVirtual {
	low, high, all := XMM(), XMM(), YMM()
	VCVTPD2PSY(from, low)
	VCVTPD2PSY(from.Offset(8*half), high)
	VINSERTF128(operand.Imm(1), high, low.AsY(), all)
	return all
}

// row is the place of row r of float64 elements.
func row(base reg.Register, r int) operand.Mem { return at(base, r, 0) }

// addRounded adds eight rows of sums to c in float32.
func addRounded() {
	TEXT("addRounded", NOSPLIT, "func(c *[64]float64, sums *[64]float64)")
	Pragma("noescape")
	c, sums := Load(Param("c"), GP64()), Load(Param("sums"), GP64())
	for r := range width {
		x, y := toFloat32(row(c, r)), toFloat32(row(sums, r))
		VADDPS(x, y, x)
		low, high, upper := YMM(), YMM(), XMM()
		VCVTPS2PD(x.AsX(), low)
		VEXTRACTF128(operand.Imm(1), x, upper)
		VCVTPS2PD(upper, high)
		VMOVUPD(low, row(c, r))
		VMOVUPD(high, row(c, r).Offset(8*half))
	}
	VZEROUPPER()
	RET()
}

// scalings are the orders of accumulate.
var scalings = []struct {
	name         string
	productFirst bool
	fused        bool
}{
	{"actThenWeight", false, true},
	{"actThenWeightUnfused", false, false},
	{"productFirst", true, true},
	{"productFirstUnfused", true, false},
}

// accumulate adds eight rows of scaled dots to float32 sums, and clears the dots.
func accumulate() {
	for _, order := range scalings {
		TEXT(order.name, NOSPLIT, "func(acc *[64]float32, dots *[64]float64, aScales *[8]float32, bScales *[8]float32)")
		Pragma("noescape")
		acc, dots := Load(Param("acc"), GP64()), Load(Param("dots"), GP64())
		aScales, bScales := Load(Param("aScales"), GP64()), Load(Param("bScales"), GP64())
		b, zero := YMM(), YMM()
		VMOVUPS(operand.Mem{Base: bScales}, b)
		VXORPD(zero, zero, zero)
		for r := range width {
			a := YMM()
			VBROADCASTSS(operand.Mem{Base: aScales, Disp: 4 * r}, a)
			x, y := toFloat32(row(dots, r)), b
			VMOVUPD(zero, row(dots, r))
			VMOVUPD(zero, row(dots, r).Offset(8*half))
			if order.productFirst {
				y = YMM()
				VMULPS(b, a, y)
			} else {
				VMULPS(a, x, x)
			}
			sum, to := YMM(), operand.Mem{Base: acc, Disp: 4 * width * r}
			VMOVUPS(to, sum)
			if order.fused {
				VFMADD231PS(y, x, sum)
			} else {
				VMULPS(y, x, x)
				VADDPS(x, sum, sum)
			}
			VMOVUPS(sum, to)
		}
		VZEROUPPER()
		RET()
	}
}

// addTerms adds eight rows of dots times both scales to exact pairs, and clears the
// dots.
func addTerms() {
	TEXT("addTerms", NOSPLIT, "func(hi *[64]float64, lo *[64]float64, lows *[64]float64, dots *[64]float64, aScales *[8]float32, bScales *[8]float32)")
	Pragma("noescape")
	hi, lo, lows := Load(Param("hi"), GP64()), Load(Param("lo"), GP64()), Load(Param("lows"), GP64())
	dots, aScales, bScales := Load(Param("dots"), GP64()), Load(Param("aScales"), GP64()), Load(Param("bScales"), GP64())
	b, zero := [2]reg.VecVirtual{YMM(), YMM()}, YMM()
	for i := range b {
		VCVTPS2PD(operand.Mem{Base: bScales, Disp: 4 * half * i}, b[i])
	}
	VXORPD(zero, zero, zero)
	rows := GP64()
	MOVQ(operand.U32(width), rows)
	Label("rows")
	a := YMM()
	VBROADCASTSS(operand.Mem{Base: aScales}, a.AsX())
	VCVTPS2PD(a.AsX(), a)
	for i := range b {
		unit, dot, term, termErr := YMM(), YMM(), YMM(), YMM()
		VMULPD(b[i], a, unit)
		VMOVUPD(at(dots, 0, i), dot)
		VMOVUPD(zero, at(dots, 0, i))
		VMULPD(unit, dot, term)
		VMOVAPD(term, termErr)
		VFMSUB231PD(unit, dot, termErr)
		Comment("Knuth's sum of two.")
		before, sum, rounded, err := YMM(), YMM(), YMM(), YMM()
		VMOVUPD(at(hi, 0, i), before)
		VADDPD(term, before, sum)
		VMOVUPD(sum, at(hi, 0, i))
		VSUBPD(before, sum, rounded)
		VSUBPD(rounded, sum, err)
		VSUBPD(err, before, err)
		VSUBPD(rounded, term, term)
		VADDPD(term, err, err)
		VADDPD(termErr, err, err)
		VADDPD(at(lo, 0, i), err, sum)
		VMOVUPD(sum, at(lo, 0, i))
		VMULPD(err, err, err)
		VADDPD(at(lows, 0, i), err, err)
		VMOVUPD(err, at(lows, 0, i))
	}
	ADDQ(operand.Imm(4), aScales)
	for _, state := range []reg.Register{hi, lo, lows, dots} {
		ADDQ(operand.Imm(8*width), state)
	}
	DECQ(rows)
	JNE(operand.LabelRef("rows"))
	VZEROUPPER()
	RET()
}
