package ref

import (
	"fmt"
	"math"
	"strings"
)

// Suspect is a K block that could alone have caused a difference.
type Suspect struct {
	Block      int     // block column of B's grid
	FromK, ToK int     // its columns
	Factor     float64 // the block's term counted this many times instead of once; NaN for NaN
	Reason     string  // what would do that, e.g. "dropped"; several are joined by "or"
}

func (s Suspect) String() string {
	return fmt.Sprintf("K block %d (k %d..%d): %s", s.Block, s.FromK, s.ToK-1, s.Reason)
}

// Explain looks for the cause of every difference in r.First. A difference inside
// Bound of the recipe is a matter of rounding. For a larger one, each K block is
// tried: if the element would come out as it did, up to the bound, had this
// block's term been dropped, counted twice, negated, taken without a scale, with its
// neighbour's scales or with a scale wrong by a power of two, the block is a suspect. A
// difference that is neither has more than one cause or a cause outside K: wrong
// rows or columns, for example.
//
// a, b and recipe are those of the expected result. Errors: those of Recipe.Check,
// and scale.ErrShape if a difference lies outside their product.
func (r *Report) Explain(a, b Operand, recipe Recipe) error {
	for i := range r.First {
		if err := r.First[i].explain(a, b, recipe); err != nil {
			return err
		}
	}
	return nil
}

func (d *Difference) explain(a, b Operand, recipe Recipe) error {
	e, err := checkedElement(a, b, recipe, d.M, d.N)
	if err != nil {
		return err
	}
	bound, terms := e.bound(), e.terms()
	d.Suspects = nil
	if d.Want != d.Want {
		d.Suspects = nanSuspects(terms)
		return nil
	}
	exact := 0.0
	for _, t := range terms {
		exact += t.value
	}
	d.WithinBound = math.Abs(float64(d.Got)-exact) <= bound
	if d.WithinBound || math.IsInf(bound, 0) {
		return nil
	}
	bound += outputError(math.Abs(float64(d.Got)), recipe.Output) // got was rounded too
	for i := range terms {
		if s, ok := suspect(terms, i, float64(d.Got)-exact, bound); ok {
			d.Suspects = append(d.Suspects, s)
		}
	}
	return nil
}

// term is the contribution of one block of B's grid to an element.
type term struct {
	Suspect
	value          float64 // near enough to tell a fault from rounding
	aScale, bScale float64 // at the start of the block
	nan            bool
}

func (e element) terms() []term {
	l := e.b.grid.Layout()
	terms := make([]term, l.GridCols())
	for i := range terms {
		terms[i].Suspect = Suspect{Block: i, FromK: i * l.BlockCols, ToK: min((i+1)*l.BlockCols, l.Cols)}
	}
	exact := e
	exact.r = Exact(e.r.Output)
	for k := 0; k < l.Cols; {
		s := exact.r.nextSegment(e.a, e.b, k)
		t := &terms[s.bBlock]
		aCodes, bCodes := e.aCodes[s.from:s.to], e.bCodes[s.from:s.to]
		aScale, bScale := float64(e.a.scaleAt(e.m, s.aBlock)), float64(e.b.scaleAt(e.n, s.bBlock))
		if t.FromK == s.from {
			t.aScale, t.bScale = aScale, bScale
		}
		t.value += float64(float64(fixedDot(aCodes, bCodes)) * 0x1p-18 * aScale * bScale)
		t.nan = t.nan || aScale != aScale || bScale != bScale || anyNaN(aCodes) || anyNaN(bCodes)
		k = s.to
	}
	return terms
}

func nanSuspects(terms []term) (suspects []Suspect) {
	for _, t := range terms {
		if t.nan {
			t.Factor, t.Reason = math.NaN(), "its NaN did not reach the result"
			suspects = append(suspects, t.Suspect)
		}
	}
	return suspects
}

// suspect tries the faults of block i against a difference of delta.
func suspect(terms []term, i int, delta, bound float64) (Suspect, bool) {
	t := terms[i]
	if t.value == 0 {
		return Suspect{}, false
	}
	fits := func(f fault) bool {
		return math.Abs(delta-float64((f.factor-1)*t.value)) <= bound*max(1, math.Abs(f.factor))
	}
	var reasons []string
	for _, f := range faults(terms, i) {
		if fits(f) {
			t.Factor = f.factor
			reasons = append(reasons, f.reason)
		}
	}
	if f := wrongPower(1 + delta/t.value); len(reasons) == 0 && fits(f) {
		t.Factor = f.factor
		reasons = append(reasons, f.reason)
	}
	t.Reason = strings.Join(reasons, ", or ")
	return t.Suspect, len(reasons) > 0
}

// fault multiplies the term of a block by factor instead of 1.
type fault struct {
	factor float64
	reason string
}

// faults lists what may have happened to block i.
func faults(terms []term, i int) []fault {
	t := terms[i]
	list := []fault{
		{0, "dropped"},
		{2, "counted twice"},
		{-1, "sign flipped"},
		{1 / t.bScale, "scale of B not applied"},
		{1 / t.aScale, "scale of A not applied"},
	}
	if t.aScale != 1 && t.bScale != 1 {
		list = append(list, fault{1 / (t.aScale * t.bScale), "scales not applied"})
	}
	for _, j := range []int{i - 1, i + 1} {
		if j >= 0 && j < len(terms) {
			factor := terms[j].aScale * terms[j].bScale / (t.aScale * t.bScale)
			list = append(list, fault{factor, fmt.Sprintf("scales of block %d used", j)})
		}
	}
	return list
}

// wrongPower is the fault of a scale off by the power of two nearest to the factor
// that would explain the difference exactly.
func wrongPower(observed float64) fault {
	power := math.Round(math.Log2(observed)) // NaN if the sign is wrong too: fits nothing
	return fault{math.Exp2(power), fmt.Sprintf("scale wrong by a factor of 2^%.0f", power)}
}
