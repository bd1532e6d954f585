package fuzz

import "slices"

// Options says how much is done. The zero value is right for a test.
type Options struct {
	Draws  int    // problems of the property that gets most; 0 means 5000
	Seed   uint64 // other seeds draw other problems; the same seed draws the same
	Shrink int    // most tries to make a failing problem smaller; 0 means 500, below 0 none
	// Properties names what is checked; nil means all, see Properties.
	Properties []string
	// Dir is a folder where failing problems are saved, and from which those saved
	// before are tried first. "" is none.
	Dir string
}

// skips reports whether a property was left out.
func (o Options) skips(pr property) bool {
	return o.Properties != nil && !slices.Contains(o.Properties, pr.name)
}

func (o Options) filled() Options {
	o.Draws, o.Shrink = orElse(o.Draws, 5000), orElse(o.Shrink, 500)
	return o
}
