package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// powerOf is the power of two of each value as the datapath sees it, 0 of a zero.
func powerOf(v, exponent, floor, zero reg.VecVirtual) reg.VecVirtual {
	p, nonzero := YMM(), YMM()
	const notEqual = 0x04
	VCMPPS(operand.Imm(notEqual), zero, v, nonzero)
	VPAND(exponent, v, p)
	VMAXPS(floor, p, p)
	VPAND(nonzero, p, p)
	return p
}

// cutDot is the exact sum of the products of 32 codes, each cut toward zero to a
// multiple of 2^(E-F), in units of that. 2^E is the largest power of two of the products
// and least; the bits of a float32 2^(F-E) are bias less those of 2^E.
func cutDot() {
	TEXT("cutDot", NOSPLIT, "func(a *[32]byte, b *[32]byte, floor float32, least float32, bias uint32) (sum int64, power uint32)")
	Pragma("noescape")
	a, b := Load(Param("a"), GP64()), Load(Param("b"), GP64())
	floor, top := YMM(), YMM()
	Load(Param("floor"), floor.AsX())
	VBROADCASTSS(floor.AsX(), floor)
	Load(Param("least"), top.AsX())
	VBROADCASTSS(top.AsX(), top)
	w := newWidening()
	exponent, zero := constant(0x7F800000), YMM()
	VXORPS(zero, zero, zero)
	var products [4]reg.VecVirtual
	for i := range products {
		x, y := w.values(operand.Mem{Base: a, Disp: 8 * i}), w.values(operand.Mem{Base: b, Disp: 8 * i})
		p, q := powerOf(x, exponent, floor, zero), powerOf(y, exponent, floor, zero)
		VMULPS(p, q, q)
		VMAXPS(q, top, top)
		products[i] = YMM()
		VMULPS(x, y, products[i])
	}
	largestOfAll(top)
	largest := GP32()
	VMOVD(top.AsX(), largest)
	Store(largest, Return("power"))

	bias := Load(Param("bias"), GP32())
	SUBL(largest, bias)
	scale, sum := YMM(), YMM()
	VMOVD(bias, scale.AsX())
	VPBROADCASTD(scale.AsX(), scale)
	for i, p := range products {
		VMULPS(scale, p, p)
		VCVTTPS2DQ(p, p)
		if i == 0 {
			sum = p
		} else {
			VPADDD(p, sum, sum)
		}
	}
	total := GP64()
	VMOVQ(sumOfAll(sum).AsX(), total)
	Store(total, Return("sum"))
	VZEROUPPER()
	RET()
}

// largestOfAll makes the first lane the largest of eight float32.
func largestOfAll(v reg.VecVirtual) {
	x := XMM()
	VEXTRACTF128(operand.Imm(1), v, x)
	VMAXPS(x, v.AsX(), v.AsX())
	VPSHUFD(operand.Imm(0x4E), v.AsX(), x)
	VMAXPS(x, v.AsX(), v.AsX())
	VPSHUFD(operand.Imm(0xB1), v.AsX(), x)
	VMAXPS(x, v.AsX(), v.AsX())
}

// sumOfAll adds eight 32-bit integers without overflow, into the first 64 bits.
func sumOfAll(v reg.VecVirtual) reg.VecVirtual {
	low, high, upper := YMM(), YMM(), XMM()
	VPMOVSXDQ(v.AsX(), low)
	VEXTRACTI128(operand.Imm(1), v, upper)
	VPMOVSXDQ(upper, high)
	VPADDQ(high, low, low)
	VEXTRACTI128(operand.Imm(1), low, upper)
	VPADDQ(upper, low.AsX(), low.AsX())
	VPSHUFD(operand.Imm(0x4E), low.AsX(), upper)
	VPADDQ(upper, low.AsX(), low.AsX())
	return low
}
