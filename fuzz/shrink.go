package fuzz

// shrink makes a failing problem smaller as long as the property fails, in at most
// so many tries. It knows what a problem is: it takes rows, blocks of K, codes and
// scales away, so that what is left is a few numbers that can be read.
func shrink(x exam, pr property, p Problem, v *violation, tries int) (Problem, *violation) {
	for progress := true; progress && tries > 0; {
		progress = false
		for _, simpler := range simplifications {
			for q := range simpler(p) {
				if !x.limits.take(q) {
					continue
				}
				if tries--; tries < 0 {
					return p, v
				}
				if w := asViolation(pr.holds(x, q)); w != nil {
					p, v, progress = q, w, true
					break // the next round goes on from the smaller one
				}
			}
		}
	}
	return p, v
}
