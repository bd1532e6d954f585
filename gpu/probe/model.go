package probe

import (
	"math"
	"math/bits"

	"blockfp8/ref"
	"blockfp8/scale"
)

// model is the arithmetic of a matrix instruction: a ref.Datapath with the changes
// that one cannot say. It is there to find out how a chip differs from what is
// known, so it is slow and takes any numbers.
type model struct {
	ref.Datapath
	terms, result     rounding // of aligned terms, and of a group's sum
	groupsApart       bool     // every group starts from 0, and c + (first + second) are float32 additions
	flushes           bool     // subnormal c and results are zeros
	scalesLast        bool     // scales multiply the sum of the unscaled products, and c is added last
	nanScaleIsNumber  bool     // 0xFF is 2^128
	zeroScaleIsZero   bool     // 0x00 is 0, not 2^-127
	anyNaN            bool     // results that are NaN may have any bits
	zerosRaiseNothing bool     // ZeroExponent does not bound the unit
	// A negative sum below the smallest subnormal is +0.
	underflowsToPlusZero bool
	// Scales are read where the kernel has put NaN.
	misplacedScales bool
}

// rounding is how bits that have no room are dropped.
type rounding uint8

const (
	towardZero rounding = iota
	downward
	nearestEven
)

// nan is the one NaN of NVIDIA's matrix instructions.
const nan = 0x7FFFFFFF

// run returns the bits of the accumulators of a tile after the instruction.
func (d *model) run(t tile) []uint32 {
	out := make([]uint32, len(t.c))
	for i := range out {
		m, n := i/columns, i%columns
		out[i] = d.element(&t.a[m], &t.b[n], t.sa[m], t.sb[n], math.Float32frombits(t.c[i]))
	}
	return out
}

func (d *model) element(a, b *codes, sa, sb scale.E8M0, c float32) uint32 {
	if !d.TakesScales {
		sa, sb = 0x7F, 0x7F
	}
	if d.misplacedScales || c != c || anyCodeNaN(a) || anyCodeNaN(b) || !d.nanScaleIsNumber && (sa.IsNaN() || sb.IsNaN()) {
		return nan
	}
	if d.zeroScaleIsZero && (sa == 0 || sb == 0) {
		a = new(codes)
	}
	c = d.flush(c)
	v := d.sum(a, b, int(sa)+int(sb)-254, c)
	if v != v {
		return nan
	}
	return math.Float32bits(d.flush(v))
}

func anyCodeNaN(row *codes) bool {
	for _, code := range row {
		if code.IsNaN() {
			return true
		}
	}
	return false
}

func (d *model) flush(v float32) float32 {
	if d.flushes && math.Float32bits(v)&0x7F800000 == 0 {
		return math.Float32frombits(math.Float32bits(v) & (1 << 31))
	}
	return v
}

// sum is the chain of the groups' sums and c.
func (d *model) sum(a, b *codes, shift int, c float32) float32 {
	switch {
	case d.scalesLast:
		return float32(math.Ldexp(float64(d.groups(a, b, 0, 0)), shift)) + c
	case d.groupsApart:
		var apart float32
		for g := range d.groupCount() {
			apart += d.fuse(a, b, g, shift, 0)
		}
		return c + apart
	case d.AddsCLast:
		return d.groups(a, b, shift, 0) + c
	}
	return d.groups(a, b, shift, c)
}

func (d *model) groups(a, b *codes, shift int, c float32) float32 {
	for g := range d.groupCount() {
		c = d.fuse(a, b, g, shift, c)
	}
	return c
}

func (d *model) groupCount() int {
	if d.Grouping == ref.OneGroup {
		return 1
	}
	return 2
}

func (d *model) inGroup(k, g int) bool {
	switch d.Grouping {
	case ref.Halves:
		return k/16 == g
	case ref.Interleaved:
		return k%4/2 == g
	}
	return true
}

// term is significand * 2^unit; exponent is what the hardware aligns by.
type term struct {
	significand    int64
	unit, exponent int
}

// fuse is one fused dot-product-add, see ref.Datapath.
func (d *model) fuse(a, b *codes, g, shift int, c float32) float32 {
	if math.IsInf(float64(c), 0) {
		return c
	}
	terms := make([]term, 0, depth+1)
	for k := range depth {
		if d.inGroup(k, g) {
			x, y := d.code(a[k]), d.code(b[k])
			terms = append(terms, term{x.significand * y.significand, x.unit + y.unit + shift, x.exponent + y.exponent + shift})
		}
	}
	terms = append(terms, float32Term(c))
	top := d.ZeroExponent
	if d.zerosRaiseNothing {
		top = math.MinInt16
	}
	for _, t := range terms {
		if t.significand != 0 {
			top = max(top, t.exponent)
		}
	}
	unit := top - d.FractionBits
	var sum int64
	for _, t := range terms {
		if t.significand != 0 {
			sum += round(t.significand, t.unit-unit, d.terms)
		}
	}
	return d.toFloat32(sum, unit)
}

// toFloat32 rounds sum * 2^unit to ResultBits fraction bits.
func (d *model) toFloat32(sum int64, unit int) float32 {
	if sum == 0 {
		return 0
	}
	exponent := unit + bits.Len64(uint64(max(sum, -sum))) - 1
	last := max(exponent, -126) - d.ResultBits
	v := float32(math.Ldexp(float64(round(sum, unit-last, d.result)), last))
	if v == 0 && sum < 0 && !d.underflowsToPlusZero {
		return -v
	}
	return v
}

// code takes an E4M3 number apart.
func (d *model) code(v scale.E4M3) term {
	exponent, significand := int(v>>3&15), int64(v&7)
	if exponent > 0 {
		significand |= 8
	}
	exponent = max(exponent, 1) - 7
	t := term{significand: significand, unit: exponent - 3, exponent: exponent}
	if d.NormalizesSubnormals && significand != 0 {
		t.exponent = t.unit + bits.Len64(uint64(significand)) - 1
	}
	if v&0x80 != 0 {
		t.significand = -significand
	}
	return t
}

func float32Term(v float32) term {
	b := math.Float32bits(v)
	exponent, significand := int(b>>23&0xFF), int64(b&0x7FFFFF)
	if exponent > 0 {
		significand |= 1 << 23
	}
	exponent = max(exponent, 1) - 127
	if b>>31 != 0 {
		significand = -significand
	}
	return term{significand, exponent - 23, exponent}
}

// round returns v * 2^n as an integer.
func round(v int64, n int, r rounding) int64 {
	if n >= 0 {
		return v << n
	}
	n = min(-n, 62)
	down := v >> n
	rest, half := v-down<<n, int64(1)<<(n-1)
	switch {
	case r == towardZero && v < 0 && rest != 0, r == nearestEven && (rest > half || rest == half && down&1 != 0):
		return down + 1
	}
	return down
}
