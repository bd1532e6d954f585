package fuzz

// Options says how much is done. The zero value is right for a test.
type Options struct {
	Draws  int    // problems of the property that gets most; 0 means 5000
	Seed   uint64 // other seeds draw other problems; the same seed draws the same
	Shrink int    // most tries to make a failing problem smaller; 0 means 500, below 0 none
	// Dir is a folder where failing problems are saved, and from which those saved
	// before are tried first. "" is none.
	Dir string
}

func (o Options) filled() Options {
	o.Draws, o.Shrink = orElse(o.Draws, 5000), orElse(o.Shrink, 500)
	return o
}
