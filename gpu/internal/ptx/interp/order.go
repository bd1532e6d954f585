package interp

// order knows which accesses of a block happen before which. Every warp has a
// clock, and every access is stamped with its warp's. What a warp knows of the
// others are clocks as well (vector clocks): all accesses below them come before
// what it does now.
type order struct {
	clocks []uint32
	known  [][]uint32 // by warp, by other warp; for itself: what all of its lanes know
	lanes  []laneOrder
}

// laneOrder is what lanes of one warp know of each other's accesses beyond what all
// know, from synchronisations of parts of the warp. It is empty until there is one.
type laneOrder []vectorClock

type vectorClock [lanes]uint32

func newOrder(warps int) order {
	o := order{clocks: make([]uint32, warps), known: make([][]uint32, warps), lanes: make([]laneOrder, warps)}
	for i := range o.known {
		o.known[i] = make([]uint32, warps)
	}
	return o
}

func (o *order) reset() {
	clear(o.clocks)
	for i := range o.known {
		clear(o.known[i])
		o.lanes[i] = nil
	}
}

// release ends what a warp does before a barrier, and adds all that it knows to what
// the barrier passes on. It learns nothing by that, not even of its own lanes.
func (o *order) release(warp int, to []uint32) {
	for i, c := range o.known[warp] {
		to[i] = max(to[i], c)
	}
	o.clocks[warp]++
	to[warp] = o.clocks[warp]
}

// acquire lets a warp know what a barrier passes on.
func (o *order) acquire(warp int, from []uint32) {
	known := o.known[warp]
	for i, c := range from {
		known[i] = max(known[i], c)
	}
}

// synchronise orders the lanes of a warp, all that live or some of them.
func (o *order) synchronise(warp int, on uint32, all bool) {
	o.clocks[warp]++
	if all {
		o.known[warp][warp] = o.clocks[warp]
		return
	}
	if o.lanes[warp] == nil {
		o.lanes[warp] = make(laneOrder, lanes)
	}
	o.lanes[warp].synchronise(on, o.clocks[warp])
}

func (l laneOrder) synchronise(on, clock uint32) {
	var together vectorClock
	for m := on; m != 0; m &= m - 1 {
		for i, c := range l[first(m)] {
			together[i] = max(together[i], c)
		}
	}
	for m := on; m != 0; m &= m - 1 {
		together[first(m)] = clock
	}
	for m := on; m != 0; m &= m - 1 {
		l[first(m)] = together
	}
}

// knows reports whether a lane knows that the others did all before a time.
func (l laneOrder) knows(lane int, others, clock uint32) bool {
	others &^= 1 << lane
	if l == nil {
		return others == 0
	}
	for m := others; m != 0; m &= m - 1 {
		if clock >= l[lane][first(m)] {
			return false
		}
	}
	return true
}
