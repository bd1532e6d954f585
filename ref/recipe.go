package ref

import (
	"fmt"

	"blockfp8/scale"
)

// Recipe is everything that decides the bits of a kernel's result.
//
// K is cut into partials of KPerPartial products. Within a partial the MMAs are
// chained from zero, k ascending in steps of 32 (ExactSum sums the partial exactly
// and rounds it to float32 once). The partial sums (dots) are
// scaled as Scaling says and added in ascending order; with Splits > 1 the
// partials are divided into that many contiguous ranges of ceil(partials/Splits)
// each, every range is added up on its own, and the sums of the ranges are added
// in ascending order, in float32. The result is rounded once to Output.
//
// Nothing is flushed to zero, and nothing depends on M: row m of C is a function
// of row m of A and of B.
type Recipe struct {
	Datapath    Datapath
	KPerPartial int // products per scaled partial sum; 0 where Scaling says that there are no partials
	Scaling     Scaling
	Splits      int // 0 and 1 both mean no split
	Output      scale.Format
}

// Scaling says how the scales enter.
type Scaling uint8

const (
	// ActThenWeight is t = RN(dot*a_s), acc = FMA(t, b_s, acc): what Triton's
	// kernel compiles to.
	ActThenWeight Scaling = iota
	// ActThenWeightUnfused is t = RN(dot*a_s), acc = RN(acc + RN(t*b_s)).
	ActThenWeightUnfused
	// ProductFirst is s = RN(a_s*b_s), acc = FMA(dot, s, acc): DeepGEMM's order.
	// a_s*b_s may under- or overflow where the result would not.
	ProductFirst
	// ProductFirstUnfused is s = RN(a_s*b_s), acc = RN(acc + RN(dot*s)).
	ProductFirstUnfused
	// InMMA leaves the scales to a datapath that takes them: all MMAs are chained
	// through c, there are no partials. Both grids must be E8M0.
	InMMA
	// Unrounded is for ExactSum: the infinitely precise sum of
	// dot*a_s*b_s over all blocks, rounded once to Output.
	Unrounded
)

var scalingNames = [...]string{"act-then-weight", "act-then-weight-unfused", "product-first", "product-first-unfused", "in-mma", "unrounded"}

func (s Scaling) String() string {
	if int(s) < len(scalingNames) {
		return scalingNames[s]
	}
	return fmt.Sprintf("Scaling(%d)", uint8(s))
}

// hasPartials reports whether K is cut into scaled partial sums.
func (s Scaling) hasPartials() bool { return s != InMMA && s != Unrounded }

// String names the recipe in one line, for reports.
func (r Recipe) String() string {
	s := fmt.Sprintf("%s/%v", r.Datapath.Name, r.Scaling)
	if r.Scaling.hasPartials() {
		s += fmt.Sprintf("/k%d", r.KPerPartial)
	}
	if r.Splits > 1 {
		s += fmt.Sprintf("/split%d", r.Splits)
	}
	return s + "/" + r.Output.String()
}

// maxPartial keeps the exact sum of a partial far inside an int64.
const maxPartial = 1 << 24

// Check tells whether the recipe can multiply a by b. It is what MatMul checks
// before it writes anything; the errors are *scale.Mismatch.
//
//   - scale.ErrUnsetScale: an operand without scales.
//   - scale.ErrShape: a and b have different K.
//   - scale.ErrBlock: a partial would straddle scale blocks, or is not whole MMAs.
//   - scale.ErrInexact: InMMA with scales that are not E8M0.
//   - scale.ErrOption: fields that contradict each other.
func (r Recipe) Check(a, b Operand) error {
	if err := r.checkFields(); err != nil {
		return err
	}
	for _, side := range []struct {
		name string
		o    Operand
	}{{"A", a}, {"B", b}} {
		if !side.o.grid.IsSet() {
			return r.mismatch(scale.ErrUnsetScale, "scales for operand "+side.name, "none")
		}
		if err := r.checkGrid(side.name, side.o.grid); err != nil {
			return err
		}
	}
	if a.K() != b.K() {
		return r.mismatch(scale.ErrShape, fmt.Sprintf("equal K, A is [%d,%d]", a.Rows(), a.K()), fmt.Sprintf("B [%d,%d]", b.Rows(), b.K()))
	}
	return nil
}

func (r Recipe) checkFields() error {
	d := r.Datapath
	switch {
	case r.Scaling > Unrounded:
		return r.mismatch(scale.ErrOption, "a defined scaling", r.Scaling.String())
	case !r.Output.Valid():
		return r.mismatch(scale.ErrOption, "a defined output format", r.Output.String())
	case !d.Exact && !d.wellFormed():
		return r.mismatch(scale.ErrOption, "a datapath with 12 to 26 fraction bits, results of 1 to 23, and zeros at 2^-100 or below", fmt.Sprintf("%d, %d and 2^%d", d.FractionBits, d.ResultBits, d.ZeroExponent))
	case (r.Scaling == InMMA) != d.takesScales():
		return r.mismatch(scale.ErrOption, "scaling in-mma if and only if the datapath takes scales", r.Scaling.String())
	case r.Scaling == Unrounded && !d.Exact:
		return r.mismatch(scale.ErrOption, "the exact datapath for unrounded scaling", d.Name)
	case r.Splits < 0 || r.Splits > maxPartial || r.Splits > 1 && !r.Scaling.hasPartials():
		return r.mismatch(scale.ErrOption, fmt.Sprintf("0 to %d splits, and only of partials", maxPartial), fmt.Sprint(r.Splits))
	case r.Scaling.hasPartials() && (r.KPerPartial < 1 || r.KPerPartial > maxPartial):
		return r.mismatch(scale.ErrBlock, fmt.Sprintf("a partial of 1 to %d products", maxPartial), fmt.Sprint(r.KPerPartial))
	case r.Scaling.hasPartials() && !d.Exact && r.KPerPartial%stepK != 0:
		return r.mismatch(scale.ErrBlock, "a partial of whole 32-long MMAs", fmt.Sprint(r.KPerPartial))
	case !r.Scaling.hasPartials() && r.KPerPartial != 0:
		return r.mismatch(scale.ErrBlock, "no partials", fmt.Sprint(r.KPerPartial))
	}
	return nil
}

func (d Datapath) takesScales() bool { return d.TakesScales && !d.Exact }

// wellFormed bounds the numbers of a datapath to those the algorithm has room
// for. F of 12 to 26 leaves space for experiments one bit off a real chip.
func (d Datapath) wellFormed() bool {
	return d.FractionBits >= 12 && d.FractionBits <= 26 && d.ResultBits >= 1 && d.ResultBits <= 23 && d.ZeroExponent <= -100 && d.Grouping <= Interleaved
}

func (r Recipe) checkGrid(name string, g scale.Grid) error {
	l := g.Layout()
	if r.Scaling == InMMA && !g.IsE8M0() {
		return r.mismatch(scale.ErrInexact, "E8M0 scales for operand "+name, "float32 scales")
	}
	if l.GridCols() <= 1 || r.Scaling == Unrounded {
		return nil // one block has no edges inside K, and exact sums know no steps
	}
	unit := r.KPerPartial
	if r.Scaling == InMMA {
		unit = stepK
	}
	if l.BlockCols%unit != 0 {
		return r.mismatch(scale.ErrBlock, fmt.Sprintf("blocks of operand %s that are multiples of %d along K", name, unit), fmt.Sprint(l.BlockCols))
	}
	return nil
}

func (r Recipe) mismatch(kind error, want, got string) error {
	return &scale.Mismatch{Kind: kind, What: "recipe " + r.String(), Want: want, Got: got}
}
