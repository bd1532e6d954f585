// Package scale holds the number formats of block-scaled FP8: the E8M0 scale,
// the E4M3 element, the BF16 and FP16 outputs, the grids of scales that belong
// to an operand, and the quantisers that make codes and scales from float32.
//
// A code is one stored byte. A block is the rectangle of elements that shares
// one scale. A grid is all the scales of one operand.
//
//	s := scale.E8M0(0x00)          // 2^-127, not zero
//	v := scale.E4M3(0x38)          // 1.0
//	layout := scale.RowMajor(256, 512, 128, 128)
//	grid, err := scale.NewE8M0Grid(layout, codes)
//
// Nothing here has an unnamed default where libraries disagree: roundings,
// overflow and the two E8M0 upcasts are chosen by name. Nothing panics; a NaN
// is quiet and always the same, because Go and most hardware quiet a
// signalling NaN somewhere on the way.
//
// Formats follow the OCP Microscaling Formats (MX) specification v1.0 and, for
// E4M3, the OCP 8-bit floating point specification v1.0 (the "fn" variant of
// E4M3: no infinities, NaN at 0x7F and 0xFF).
package scale
