package probe

import (
	"fmt"
	"slices"

	"blockfp8/gpu"
	"blockfp8/ref"
)

// Fit says how well an assumption about a chip's arithmetic explains what it did.
type Fit struct {
	Assumption string `json:"assumption"`
	Different  int    `json:"different"` // outputs that it does not explain
}

// assumption is a model with its name.
type assumption struct {
	name string
	model
}

// published returns the datapaths of package ref that an instruction could have.
func published(i gpu.Instruction) (all []assumption) {
	for _, d := range ref.Datapaths() {
		if !d.Exact && d.TakesScales == i.TakesScales() {
			all = append(all, assumption{d.Name, model{Datapath: d}})
		}
	}
	return all
}

// variants returns models that differ from a datapath in one thing.
func variants(base ref.Datapath) (all []assumption) {
	add := func(name string, change func(*model)) {
		m := model{Datapath: base}
		if change(&m); m != (model{Datapath: base}) {
			all = append(all, assumption{base.Name + " but " + name, m})
		}
	}
	for _, by := range []int{-1, 1, -2, 2} {
		f := base.FractionBits + by
		add(fmt.Sprintf("terms keep %d fraction bits, not %d", f, base.FractionBits), func(m *model) { m.FractionBits = f })
	}
	groupings := map[ref.Grouping]string{ref.OneGroup: "all products are summed at once", ref.Halves: "k is summed in halves", ref.Interleaved: "k is summed in pairs of every four"}
	for g := range ref.Interleaved + 1 {
		add(groupings[g], func(m *model) { m.Grouping = g })
		if g != ref.OneGroup {
			add(groupings[g]+", each part from 0, and c + (first + second) are additions", func(m *model) { m.Grouping, m.groupsApart = g, true })
		}
	}
	for _, bits := range []int{13, 22, 23} {
		add(fmt.Sprintf("results keep %d fraction bits", bits), func(m *model) { m.ResultBits = bits })
	}
	add("results are rounded to nearest even", func(m *model) { m.result = nearestEven })
	add("results are rounded down", func(m *model) { m.result = downward })
	add("terms are rounded to nearest even", func(m *model) { m.terms = nearestEven })
	add("terms are rounded down", func(m *model) { m.terms = downward })
	add("c is added last", func(m *model) { m.AddsCLast = true })
	add("c is summed with the products", func(m *model) { m.AddsCLast = false })
	add("subnormal codes are normalised", func(m *model) { m.NormalizesSubnormals = true })
	add("subnormal codes are not normalised", func(m *model) { m.NormalizesSubnormals = false })
	add("subnormal c and results are flushed to zero", func(m *model) { m.flushes = true })
	add("NaN results have other bits than 7fffffff", func(m *model) { m.anyNaN = true })
	if base.TakesScales {
		// Without scales nothing that is not zero is small enough for these to matter.
		for _, e := range []int{-126, -132, -133, -149} {
			add(fmt.Sprintf("zeros have exponent %d, not %d", e, base.ZeroExponent), func(m *model) { m.ZeroExponent = e })
		}
		add("zeros have no exponent", func(m *model) { m.zerosRaiseNothing = true })
		add("negative sums that underflow are +0", func(m *model) { m.underflowsToPlusZero = true })
		add("scales multiply the sum, and c is added last", func(m *model) { m.scalesLast = true })
		add("the scale 0xff is a number", func(m *model) { m.nanScaleIsNumber = true })
		add("the scale 0x00 is zero", func(m *model) { m.zeroScaleIsZero = true })
		add("scales are read from other bytes or lanes, where they are NaN", func(m *model) { m.misplacedScales = true })
		add("scales are ignored", func(m *model) { m.TakesScales = false })
	}
	return all
}

// fits tries assumptions on what a chip did, the best first.
func fits(try []assumption, o outcome) []Fit {
	all := make([]Fit, len(try))
	for n, a := range try {
		all[n] = Fit{Assumption: a.name, Different: o.count(a.run, a.same)}
	}
	slices.SortStableFunc(all, func(x, y Fit) int { return x.Different - y.Different })
	return all
}

// same tells whether an output is what the model gives.
func (d *model) same(got, want uint32) bool {
	return got == want || d.anyNaN && isNaN(got) && isNaN(want)
}

func isNaN(bits uint32) bool { return bits&0x7FFFFFFF > 0x7F800000 }
