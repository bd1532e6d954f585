package ref

import "blockfp8/scale"

// Datapath is the arithmetic of one 32-long E4M3 MMA: how the fused
// dot-product-add of one chip aligns, truncates, sums and rounds. One algorithm
// serves every chip; a Datapath is its data.
//
// For a group of products and an accumulator c the algorithm is
//
//   - a product is the exact product of the significands, not renormalised, with
//     exponent e = Exp(a)+Exp(b); a subnormal has the minimum exponent -6 and a
//     significand below 1 (unless NormalizesSubnormals);
//   - E is the largest of ZeroExponent, the exponents of the non-zero products
//     and Exp(c) if c is not zero (a subnormal c has -126);
//   - every term is truncated toward zero to a multiple of 2^(E-FractionBits),
//     and S is the exact sum of those;
//   - the result is S truncated toward zero to float32 with ResultBits fraction
//     bits, subnormals kept, infinite from 2^128.
//
// Groups are chained: the result of one is the c of the next. A NaN in an
// operand or in c gives the NaN 0x7FFFFFFF; a zero sum is +0. The numbers are
// those of published models (MMA-Sim, arXiv:2511.10909; Khattak and Mikaitis,
// arXiv:2512.07004) and of measurements; see the README for which rows were
// checked on hardware.
type Datapath struct {
	Name                 string
	Exact                bool     // sum exactly and round to nearest even once; the fields below are then unused
	Grouping             Grouping // which products enter together
	FractionBits         int      // F: bits kept below the largest exponent
	ResultBits           int      // fraction bits of a group's result, 13 or 23
	ZeroExponent         int      // lower bound of E
	AddsCLast            bool     // groups start from 0, and c is added at the end by one float32 addition, rounded to nearest even
	NormalizesSubnormals bool     // operands pass through a format that holds E4M3 subnormals as normals
	TakesScales          bool     // E8M0 scales of both operands add to the product exponents inside the instruction
}

// Grouping says which of the 32 products of an MMA are summed together.
type Grouping uint8

// The groupings in use.
const (
	OneGroup    Grouping = iota // all 32
	Halves                      // 0..15, then 16..31
	Interleaved                 // k%4 in {0,1}, then k%4 in {2,3}
)

// stepK is the number of products of one MMA.
const stepK = 32

// size returns the number of products in a group.
func (g Grouping) size() int {
	if g == OneGroup {
		return stepK
	}
	return stepK / 2
}

// count returns the number of groups.
func (g Grouping) count() int {
	if g == OneGroup {
		return 1
	}
	return 2
}

// group returns the codes of group i of arranged codes, fewer or none at the end of
// a short MMA.
func (g Grouping) group(codes []scale.E4M3, i int) []scale.E4M3 {
	size := g.size()
	return codes[min(i*size, len(codes)):min((i+1)*size, len(codes))]
}

// arrange returns the codes of an MMA so that the products of a group lie
// together; missing codes are zeros. It uses scratch only where it has to move.
func (g Grouping) arrange(scratch *[stepK]scale.E4M3, codes []scale.E4M3) []scale.E4M3 {
	if g != Interleaved {
		return codes
	}
	var all [stepK]scale.E4M3
	copy(all[:], codes)
	first, second := scratch[:stepK/2], scratch[stepK/2:]
	for i := range stepK / 4 {
		from := (*[4]scale.E4M3)(all[4*i:])
		*(*[2]scale.E4M3)(first[2*i:]) = [2]scale.E4M3(from[:2])
		*(*[2]scale.E4M3)(second[2*i:]) = [2]scale.E4M3(from[2:])
	}
	return scratch[:]
}

// The datapaths.
var (
	// ExactSum is no chip: the dot is summed exactly and rounded once.
	ExactSum = Datapath{Name: "exact", Exact: true}
	// SM89 is mma.sync m16n8k32 e4m3 on Ada, native QMMA.
	SM89 = Datapath{Name: "sm89", Grouping: Halves, FractionBits: 13, ResultBits: 13, ZeroExponent: -132}
	// SM90MMA is mma.sync m16n8k32 e4m3 on Hopper, which ptxas emulates: the
	// operands become fp16 and two HMMA.16816 and an addition do the work.
	SM90MMA = Datapath{
		Name: "sm90mma", Grouping: Interleaved, FractionBits: 25, ResultBits: 23, ZeroExponent: -133,
		AddsCLast: true, NormalizesSubnormals: true,
	}
	// SM90WGMMA is wgmma m64nNk32 e4m3 on Hopper, native QGMMA.
	SM90WGMMA = Datapath{Name: "sm90wgmma", Grouping: OneGroup, FractionBits: 13, ResultBits: 13, ZeroExponent: -133}
	// SM100MMA is mma.sync m16n8k32 e4m3 on data-centre Blackwell, emulated as
	// on Hopper.
	SM100MMA = Datapath{
		Name: "sm100mma", Grouping: Interleaved, FractionBits: 25, ResultBits: 23, ZeroExponent: -133,
		AddsCLast: true, NormalizesSubnormals: true,
	}
	// SM100 is tcgen05 kind::f8f6f4 on data-centre Blackwell.
	SM100 = Datapath{Name: "sm100", Grouping: OneGroup, FractionBits: 25, ResultBits: 23, ZeroExponent: -133}
	// SM120 is mma.sync m16n8k32 e4m3 (plain or kind::f8f6f4) on RTX Blackwell,
	// native QMMA.
	SM120 = Datapath{Name: "sm120", Grouping: OneGroup, FractionBits: 25, ResultBits: 23, ZeroExponent: -133}
	// SM120MX is mma.sync kind::mxf8f6f4.block_scale.scale_vec::1X .ue8m0 on
	// RTX Blackwell, native QMMA.SF: c is not scaled, a NaN scale gives NaN.
	SM120MX = Datapath{
		Name: "sm120mx", Grouping: OneGroup, FractionBits: 25, ResultBits: 23, ZeroExponent: -133,
		TakesScales: true,
	}
)

// Datapaths returns every datapath of this package, ExactSum first.
func Datapaths() []Datapath {
	return []Datapath{ExactSum, SM89, SM90MMA, SM90WGMMA, SM100MMA, SM100, SM120, SM120MX}
}
