package ref

import (
	"math"
	"math/bits"

	"blockfp8/scale"
)

// MMATile is a whole MMA instruction: element (m, n) of out is
// MMAScaled(&a[m], &b[n], sa[m], sb[n], c), where c is element (m, n) of out
// before. out holds len(a) rows of len(b) elements. sa and sb may be nil where
// the datapath takes no scales. Lengths that do not fit leave out as it is.
//
// It gives the bits of MMAScaled in a fraction of its time, because rows are
// decoded once.
func (d Datapath) MMATile(out []float32, a, b [][stepK]scale.E4M3, sa, sb []scale.E8M0) {
	scaled := d.takesScales()
	if len(out) != len(a)*len(b) || scaled && (len(sa) != len(a) || len(sb) != len(b)) {
		return
	}
	t := mmaTile{d: d, usable: d.Exact || d.wellFormed()}
	columns := make([]mmaRow, len(b))
	for n := range b {
		t.decode(&columns[n], &b[n])
	}
	var row mmaRow
	for m := range a {
		t.decode(&row, &a[m])
		for n := range columns {
			shift, nan := 0, row.nan || columns[n].nan
			if scaled {
				shift = scaleShift(sa[m], sb[n])
				nan = nan || sa[m].IsNaN() || sb[n].IsNaN()
			}
			to := &out[m*len(b)+n]
			*to = t.element(&row, &columns[n], shift, nan, *to)
		}
	}
}

// mmaTile multiplies decoded rows.
type mmaTile struct {
	d      Datapath
	usable bool
}

// mmaRow is 32 codes of one row of an operand, in the order of products.
type mmaRow struct {
	codes     [stepK]scale.E4M3
	values    [stepK]int32 // in units of 2^-9
	exponents [stepK]int32 // as the hardware sees them
	groups    [2]valueRange
	nan       bool
}

func (t *mmaTile) decode(r *mmaRow, codes *[stepK]scale.E4M3) {
	r.nan = anyNaN(codes[:])
	copy(r.codes[:], t.d.Grouping.arrange(&r.codes, codes[:]))
	exponents := &exponents
	if t.d.NormalizesSubnormals {
		exponents = &normalizedExponents
	}
	size := t.d.Grouping.size()
	for i := range t.d.Grouping.count() {
		g := valueRange{top: zeroExponent}
		var union uint32
		for k := i * size; k < (i+1)*size; k++ {
			code := r.codes[k]
			r.values[k], r.exponents[k] = fixed[code], int32(exponents[code])
			g.top = max(g.top, int(exponents[code]))
			union |= magnitudes[code]
		}
		g.unit = bits.TrailingZeros32(union) - 9
		r.groups[i] = g
	}
}

// element is one MMA of decoded rows.
func (t *mmaTile) element(a, b *mmaRow, shift int, nan bool, c float32) float32 {
	d := &t.d
	switch {
	case !t.usable || nan || c != c:
		return canonicalNaN()
	case d.Exact:
		return exactMMA(a.codes[:], b.codes[:], c)
	}
	partial := c
	if d.AddsCLast {
		partial = 0
	}
	for i := range d.Grouping.count() {
		partial = t.fuse(a, b, i, shift, partial)
	}
	if d.AddsCLast {
		return addFloat32(partial, c)
	}
	return partial
}

// fuse is Datapath.fuse for group i. The largest exponents of two rows bound that
// of their products: if nothing is cut off even where the bound is reached, the sum
// is exact wherever the largest product lies.
func (t *mmaTile) fuse(a, b *mmaRow, i, shift int, c float32) float32 {
	if math.IsInf(float64(c), 0) {
		return c
	}
	d := &t.d
	size := d.Grouping.size()
	x, y := a.values[i*size:(i+1)*size], b.values[i*size:(i+1)*size]
	cSignificand, cExponent := splitFloat32(c)
	least := d.ZeroExponent
	if cSignificand != 0 {
		least = max(least, cExponent)
	}
	bound := max(least, a.groups[i].top+b.groups[i].top+shift) - d.FractionBits
	unit := a.groups[i].unit + b.groups[i].unit + shift
	if unit >= bound && cExponent-23+bits.TrailingZeros32(uint32(cSignificand)) >= bound {
		sum := shiftToZero(dotOf(x, y), shift-productUnit-bound)
		return d.round(sum+shiftToZero(cSignificand, cExponent-23-bound), bound)
	}
	e := least
	if top := topOf(a.exponents[i*size:(i+1)*size], b.exponents[i*size:(i+1)*size]); top > noProduct {
		e = max(e, top+shift)
	}
	q := e - d.FractionBits
	sum := truncatedDot(x, y, q-(shift-productUnit))
	return d.round(sum+shiftToZero(cSignificand, cExponent-23-q), q)
}

func dotOf(x, y []int32) (sum int64) {
	y = y[:len(x)]
	for k, v := range x {
		sum += int64(v) * int64(y[k])
	}
	return sum
}

// topOf returns the largest sum of exponents.
func topOf(x, y []int32) int {
	y = y[:len(x)]
	top := int32(2 * zeroExponent)
	for k, v := range x {
		top = max(top, v+y[k])
	}
	return int(top)
}

// truncatedDot is sumTruncated of decoded codes.
func truncatedDot(x, y []int32, drop int) int64 {
	if drop <= 0 {
		return dotOf(x, y) << -drop
	}
	drop = min(drop, 40) // a product is below 2^36 units
	cut := int64(1)<<drop - 1
	y = y[:len(x)]
	var sum int64
	for k, v := range x {
		p := int64(v) * int64(y[k])
		sum += (p + p>>63&cut) &^ cut
	}
	return sum >> drop
}
