package ref

import (
	"fmt"
	"math"
)

// Suspect is a K block that could alone have caused a difference.
type Suspect struct {
	Block      int     // block column of B's grid
	FromK, ToK int     // its columns
	Factor     float64 // the block's term counted this many times instead of once; NaN for NaN
	Reason     string  // what would do that, e.g. "dropped"
}

func (s Suspect) String() string {
	return fmt.Sprintf("K block %d (k %d..%d): %s", s.Block, s.FromK, s.ToK-1, s.Reason)
}

// Explain looks for the cause of every difference in r.First. A difference inside
// Bound of the recipe is a matter of rounding. For a larger one, each K block is
// tried: if the element would come out as it did, up to the bound, had this
// block's term been dropped, counted twice, negated, taken with its neighbour's
// scale or with a scale wrong by a power of two, the block is a suspect. A
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
	bound, err := Bound(a, b, recipe, d.M, d.N)
	if err != nil {
		return err
	}
	e := element{a: a, b: b, r: recipe, m: d.M, n: d.N, aCodes: a.Row(d.M), bCodes: b.Row(d.N)}
	terms := e.terms()
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
	value float64 // near enough to tell a fault from rounding
	scale float64 // a_s*b_s at the start of the block
	nan   bool
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
		scale := float64(float64(e.a.scaleAt(e.m, s.aBlock)) * float64(e.b.scaleAt(e.n, s.bBlock)))
		if t.FromK == s.from {
			t.scale = scale
		}
		t.value += float64(float64(fixedDot(aCodes, bCodes)) * 0x1p-18 * scale)
		t.nan = t.nan || scale != scale || anyNaN(aCodes) || anyNaN(bCodes)
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
	try := func(factor float64, reason string) bool {
		t.Factor, t.Reason = factor, reason
		return math.Abs(delta-float64((factor-1)*t.value)) <= bound*max(1, math.Abs(factor))
	}
	if t.value == 0 {
		return Suspect{}, false
	}
	found := try(0, "dropped") || try(2, "counted twice") || try(-1, "sign flipped")
	for _, j := range []int{i - 1, i + 1} {
		if !found && j >= 0 && j < len(terms) && t.scale != 0 {
			found = try(terms[j].scale/t.scale, fmt.Sprintf("scales of block %d used", terms[j].Block))
		}
	}
	if !found {
		if factor := 1 + delta/t.value; factor > 0 {
			power := math.Round(math.Log2(factor))
			found = power != 0 && try(math.Exp2(power), fmt.Sprintf("scale wrong by a factor of 2^%.0f", power))
		}
	}
	return t.Suspect, found
}
