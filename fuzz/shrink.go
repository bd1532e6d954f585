package fuzz

import "iter"

// shrink makes a failing problem smaller as long as the property fails, in at most
// so many tries. It knows what a problem is: it takes rows, blocks of K, codes and
// scales away, so that what is left is a few numbers that can be read.
func shrink(x exam, pr property, p Problem, v *violation, tries int) (Problem, *violation) {
	s := &shrinker{x: x, pr: pr, p: p, v: v, tries: tries}
	for s.round() {
	}
	return s.p, s.v
}

// shrinker is a shrink under way: the smallest problem so far and what it violates.
type shrinker struct {
	x     exam
	pr    property
	p     Problem
	v     *violation
	tries int // left
}

// round simplifies in each way for as long as that way goes on: extents come first,
// while every later try is still dear.
func (s *shrinker) round() (progress bool) {
	for _, simpler := range simplifications {
		for s.once(simpler) {
			progress = true
		}
	}
	return progress
}

// once goes on to the first simpler problem that fails too.
func (s *shrinker) once(simpler func(Problem) iter.Seq[Problem]) bool {
	for q := range simpler(s.p) {
		if !s.x.limits.take(q) {
			continue
		}
		if s.tries--; s.tries < 0 {
			return false
		}
		if w := asViolation(s.pr.holds(s.x, q)); w != nil {
			s.p, s.v = q, w
			return true
		}
	}
	return false
}
