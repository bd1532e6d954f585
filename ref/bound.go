package ref

import (
	"math"

	"blockfp8/scale"
)

// Bound returns a bound on |c - x|, where c is what the recipe gives for element
// (m, n) and x the infinitely precise value. It holds for every input without NaN
// or infinite scales; where an intermediate result may overflow, or with those, it
// is +Inf. (Against the correctly rounded [Exact] result the bounds of both
// recipes add up.)
//
// Derivation, with u = 2^-24 and p_k the products of a partial:
//
//   - One fused step cuts L products and c, each by less than one unit of
//     2^(E-F), where 2^E <= max(2^e_k, |c|, 2^-126), and truncates its result by
//     less than |result|*2^-R (R = ResultBits), at least 2^(-126-R). Truncation
//     never enlarges: |c| <= sum of |p_k| so far =: T. So a step adds at most
//     (L+1)*2^-F*max(2^e_k, T, 2^-126) + 2^-R*max(T, 2^-126) to the error d of
//     the dot. An addition of c at the end adds u*T.
//   - act-then-weight: t = RN(dot*a_s) is off by |a_s|*d + u*|a_s|*T + 2^-150.
//     That is multiplied by |b_s|, and each rounding (FMA, or product and sum)
//     adds u times the magnitude it rounds, plus 2^-150.
//   - product-first: s = RN(a_s*b_s) is off by u*|a_s*b_s| + 2^-150, so the term
//     is off by |s|*d + T times that.
//   - The sums of splits add u times the magnitude of each running total.
//   - The output rounding adds half a unit in the last place of |x| + error, or
//     half the smallest subnormal.
//
// Magnitudes are bounded by sums of absolute values, so the bound is loose where
// terms cancel. Errors: those of Element.
func Bound(a, b Operand, r Recipe, m, n int) (float64, error) {
	e, err := checkedElement(a, b, r, m, n)
	if err != nil {
		return 0, err
	}
	return e.bound(), nil
}

func (e element) bound() float64 {
	if anyNaN(e.aCodes) || anyNaN(e.bCodes) {
		return math.Inf(1)
	}
	err := e.sumError()
	x := math.Abs(e.exactValue())
	bound := err + outputError(x+err, e.r.Output)
	if bound != bound {
		return math.Inf(1)
	}
	return float64(bound * (1 + 0x1p-40)) // for the float64 roundings here, all of positive sums
}

// exactValue is the infinitely precise element, to float64's precision.
func (e element) exactValue() float64 {
	exact := Recipe{Datapath: ExactSum, Scaling: Unrounded}
	var sum exactSum
	for k := 0; k < e.a.K(); {
		s := exact.nextSegment(e.a, e.b, k)
		sum.add(fixedDot(e.aCodes[s.from:s.to], e.bCodes[s.from:s.to]), e.a.scaleAt(e.m, s.aBlock), e.b.scaleAt(e.n, s.bBlock))
		k = s.to
	}
	return sum.toOdd()
}

const (
	roundoff32 = 0x1p-24
	tiny32     = 0x1p-150 // half the smallest float32
)

// magnitude is an upper bound of a value and of its error.
type magnitude struct{ value, err float64 }

// overflowing makes the error infinite where the value may pass float32's range.
func (v magnitude) overflowing() magnitude {
	if !(v.value+v.err < math.MaxFloat32) {
		v.err = math.Inf(1)
	}
	return v
}

// rounded32 is v after a rounding to float32.
func (v magnitude) rounded32() magnitude {
	e := float64(roundoff32*(v.value+v.err)) + tiny32
	return magnitude{value: v.value + e, err: v.err + e}.overflowing()
}

func (v magnitude) plus(w magnitude) magnitude {
	return magnitude{value: v.value + w.value, err: v.err + w.err}
}

// times is the product of two values with errors.
func (v magnitude) times(w magnitude) magnitude {
	return magnitude{
		value: float64(v.value * w.value),
		err:   float64(v.err*w.value) + float64(v.value*w.err) + float64(v.err*w.err),
	}
}

// sumError bounds the error before the output rounding.
func (e element) sumError() float64 {
	switch e.r.Scaling {
	case Unrounded:
		return 0
	case InMMA:
		return e.chainedError()
	}
	partials := (e.a.K() + e.r.KPerPartial - 1) / e.r.KPerPartial
	size := e.r.splitSize(partials)
	var total, acc magnitude
	for i := range partials {
		s := e.r.nextSegment(e.a, e.b, i*e.r.KPerPartial)
		aScale := magnitude{value: math.Abs(float64(e.a.scaleAt(e.m, s.aBlock)))}
		bScale := magnitude{value: math.Abs(float64(e.b.scaleAt(e.n, s.bBlock)))}
		acc = e.r.Scaling.accumulateError(acc, e.dotError(s), aScale, bScale)
		if (i+1)%size == 0 || i == partials-1 {
			total, acc = total.plus(acc).rounded32(), magnitude{}
		}
	}
	return total.err
}

func (s Scaling) accumulateError(acc, dot, a, b magnitude) magnitude {
	var term magnitude
	switch s {
	case ActThenWeight, ActThenWeightUnfused:
		term = dot.times(a).rounded32().times(b)
	default:
		term = dot.times(a.times(b).rounded32())
	}
	if s == ActThenWeightUnfused || s == ProductFirstUnfused {
		term = term.rounded32()
	}
	return acc.plus(term).rounded32()
}

// dotError bounds the partial sum of a segment.
func (e element) dotError(s segment) magnitude {
	var c magnitude
	if e.r.Datapath.Exact {
		for k := s.from; k < s.to; k++ {
			c.value += math.Abs(float64(e.aCodes[k].Float64() * e.bCodes[k].Float64()))
		}
		return c.rounded32()
	}
	for k := s.from; k < s.to; k += stepK {
		c = e.r.Datapath.mmaError(c, e.aCodes[k:min(k+stepK, s.to)], e.bCodes[k:min(k+stepK, s.to)], 0)
	}
	return c
}

// chainedError bounds the error of MMAs with scales inside.
func (e element) chainedError() float64 {
	var c magnitude
	for k := 0; k < e.a.K(); k += stepK {
		to := min(k+stepK, e.a.K())
		sa, sb := e.a.codeAt(e.m, k), e.b.codeAt(e.n, k)
		if sa.IsNaN() || sb.IsNaN() {
			return math.Inf(1)
		}
		c = e.r.Datapath.mmaError(c, e.aCodes[k:to], e.bCodes[k:to], scaleShift(sa, sb)).overflowing()
	}
	return c.err
}

// mmaError bounds one MMA on top of c.
func (d Datapath) mmaError(c magnitude, a, b []scale.E4M3, shift int) magnitude {
	partial := c
	if d.AddsCLast {
		partial = magnitude{}
	}
	var aScratch, bScratch [stepK]scale.E4M3
	a, b = d.Grouping.arrange(&aScratch, a), d.Grouping.arrange(&bScratch, b)
	for i := range d.Grouping.count() {
		partial = d.fuseError(partial, d.Grouping.group(a, i), d.Grouping.group(b, i), shift)
	}
	if d.AddsCLast {
		partial = partial.plus(c).rounded32()
	}
	return partial
}

func (d Datapath) fuseError(c magnitude, a, b []scale.E4M3, shift int) magnitude {
	top := d.topExponent(a, b)
	if top <= noProduct && d.FractionBits >= d.ResultBits {
		return c // c passes unchanged
	}
	const floor = 0x1p-126
	largest := max(c.value, floor)
	if top > noProduct {
		largest = max(largest, math.Ldexp(1, top+shift))
	}
	terms := 1.0
	for k := range a {
		if p := math.Abs(float64(a[k].Float64() * b[k].Float64())); p != 0 {
			c.value += math.Ldexp(p, shift)
			terms++
		}
	}
	cut := float64(terms * math.Ldexp(largest, -d.FractionBits))
	c.err += cut + math.Ldexp(max(c.value, floor), -d.ResultBits)
	return c
}

// outputError bounds the rounding of a value of at most x to a format.
func outputError(x float64, f scale.Format) float64 {
	roundoff, tiny, limit := roundoff32, tiny32, math.MaxFloat32
	switch f {
	case scale.BFloat16:
		roundoff, tiny, limit = 0x1p-8, 0x1p-134, 0x1.FEp127
	case scale.Float16:
		roundoff, tiny, limit = 0x1p-11, 0x1p-25, 65504
	}
	if !(x <= limit) {
		return math.Inf(1)
	}
	return max(float64(x*roundoff), tiny)
}
