package interp

// order knows which accesses of a block happen before which: a clock for each
// warp, and for each what it knows of the others' clocks (vector clocks). Clocks
// advance at barriers.
type order struct {
	known [][]uint32 // by warp, by other warp; its own clock on the diagonal
}

func newOrder(warps int) order {
	o := order{known: make([][]uint32, warps)}
	for i := range o.known {
		o.known[i] = make([]uint32, warps)
	}
	return o
}

func (o *order) reset() {
	for i := range o.known {
		clear(o.known[i])
		o.known[i][i] = 1
	}
}

// clock returns the warp's own time.
func (o *order) clock(warp int) uint32 { return o.known[warp][warp] }

// advance is a synchronisation within one warp.
func (o *order) advance(warp int) { o.known[warp][warp]++ }

// join is a synchronisation of several warps: what came before it in any is known
// to all.
func (s *shared) join(members []*warp) {
	o := &s.order
	for _, m := range members {
		o.advance(m.index)
	}
	if len(members) == 0 {
		return
	}
	top := o.known[members[0].index]
	for _, m := range members[1:] {
		for i, c := range o.known[m.index] {
			top[i] = max(top[i], c)
		}
	}
	for _, m := range members[1:] {
		copy(o.known[m.index], top)
	}
}
