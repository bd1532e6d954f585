// Package predict predicts, without a GPU, how long a kernel of this module takes on a
// chip and what bounds it. docs/predict.md explains it and says how far off it is.
//
// It knows three things: what a kernel does, counted on an emulated chip; what the
// chip's assembler makes of it, from package kernels; and the rates of the chip. A
// launch takes its ramp and the longest of what its parts would take alone.
//
//	w, err := predict.Count(chip, problem) // a block of each, or a few
//	p := chip.Predict(w)
package predict
