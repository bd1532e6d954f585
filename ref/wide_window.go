package ref

import "blockfp8/ref/internal/avx2"

// wideWindow is the window of every element of a pair of wide strips, see window: with
// units and tops of rows as powers of two, those of products are their products.
// Where all values of a row are zero, its unit is infinite and its top 0: every c passes.
// A datapath that has no window gets a limit that nothing is below.
func (d *Datapath) wideWindow() avx2.Window {
	w := avx2.Window{Keep: ^uint64(0) << (52 - d.ResultBits), Magic: 1.5 * pow2(52-d.FractionBits)}
	if d.hasWindow() {
		w.Limit = pow2(d.FractionBits + 1)
	}
	return w
}
