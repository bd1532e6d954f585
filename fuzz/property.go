package fuzz

import "math/rand/v2"

// property is something that holds for every problem.
type property struct {
	name  string
	share int // it gets one in so many of the draws; 0: it draws nothing and is checked once
	holds func(x exam, p Problem) error
	// applies tells whether the implementation can have the property. nil: all can.
	applies func(x exam) bool
}

// properties in the order in which they are checked: what is seen early is
// explained best.
var properties = []property{
	{name: "every-scale", holds: everyScale, applies: exam.takesE8M0},
	{name: "every-product", holds: everyProduct},
	{name: "upcast", holds: upcastLaw, applies: can[Upcaster]},
	{name: "encode", holds: encodeLaw, applies: can[Encoder]},
	{name: "bits", share: 1, holds: bits},
	{name: "bound", share: 4, holds: withinBound},
	{name: "batch", share: 6, holds: batch},
	{name: "shards", share: 6, holds: shards},
	{name: "order", share: 6, holds: order},
	{name: "doubling", share: 6, holds: doubling},
	{name: "padding", share: 6, holds: padding},
	{name: "scale-types", share: 6, holds: scaleTypes, applies: exam.takesBothScales},
	{name: "repeats", share: 8, holds: repeats},
	{name: "memory", share: 6, holds: memory},
	{name: "kept-weights", share: 8, holds: keptWeights, applies: can[Keeper]},
	{name: "refusals", share: 20, holds: refusals},
}

// Properties returns the names of all properties in the order in which they are
// checked.
func Properties() []string {
	var names []string
	for _, pr := range properties {
		names = append(names, pr.name)
	}
	return names
}

// can reports whether the implementation has an optional method set.
func can[T any](x exam) bool {
	_, ok := x.impl.(T)
	return ok
}

// takesE8M0 reports whether all E8M0 scales can be tried on one operand at least.
func (x exam) takesE8M0() bool {
	return !x.limits.Tame && (x.limits.ScalesA.has(E8M0Scales) || x.limits.ScalesB.has(E8M0Scales))
}

func (x exam) takesBothScales() bool {
	const both = E8M0Scales | FP32Scales
	return x.limits.ScalesA == both || x.limits.ScalesB == both
}

// choices is what a property picks for a problem, always the same.
func (p Problem) choices() *rand.Rand { return rand.New(rand.NewPCG(p.Choice, 1)) }

// sameRecipe fails if a part of a problem has another recipe than the whole.
func sameRecipe(p Problem, what string, part, whole answer) error {
	if part.recipe != whole.recipe {
		return violated(p, "%s has the recipe %v, the whole %v", what, part.recipe, whole.recipe)
	}
	return nil
}
