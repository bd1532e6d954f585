package interp

// order knows which accesses of a block to shared memory happen before which. Every
// actor has a clock, and every access is stamped with its actor's. What a warp knows of
// the others are clocks as well (vector clocks): all accesses below them come before
// what it does now.
//
// The actors are the warps, by index; after them the wgmma instructions of each warp,
// whose clock is the number of their group; after those the bulk copies that each
// mbarrier counts, whose clock is the number of its phase.
type order struct {
	clocks []uint32 // by warp
	warps  []view   // by warp: what all of its lanes know
	// lanes is by warp what its single lanes know beyond that, of the own warp's other
	// lanes too; nil until there is a difference.
	lanes  []*[lanes]view
	fences []vectorClock // by warp, by lane: the own accesses that other proxies can see
}

func newOrder(warps int) order {
	return order{
		clocks: make([]uint32, warps), warps: make([]view, warps), lanes: make([]*[lanes]view, warps), fences: make([]vectorClock, warps),
	}
}

// multipliesOf and copiesOf are the actors that are no warps.
func (o *order) multipliesOf(warp int) int { return len(o.clocks) + warp }
func (o *order) copiesOf(mbarrier int) int { return 2*len(o.clocks) + mbarrier }
func (o *order) isCopy(actor int32) bool   { return int(actor) >= 2*len(o.clocks) }

func (o *order) reset() {
	clear(o.clocks)
	clear(o.lanes)
	clear(o.fences)
	for i := range o.warps {
		o.warps[i].reset()
	}
}

// lane returns what one lane knows beyond its warp.
func (o *order) lane(warp, lane int) *view {
	if o.lanes[warp] == nil {
		o.lanes[warp] = new([lanes]view)
	}
	return &o.lanes[warp][lane]
}

// release ends what lanes did before an arrival, and adds all that they know to what
// is passed on. They learn nothing by that, not even of each other. whole says that
// they stand for all of the warp, those that have exited too.
func (o *order) release(warp int, on uint32, whole bool, to *view) {
	to.join(&o.warps[warp])
	if o.lanes[warp] != nil {
		for m := on; m != 0; m &= m - 1 {
			to.join(&o.lanes[warp][first(m)])
		}
	}
	o.clocks[warp]++
	if whole {
		to.seen.raise(warp, o.clocks[warp])
	} else {
		to.seen.raiseLanes(warp, on, o.clocks[warp])
	}
	o.passFences(warp, on, whole, &to.fenced)
}

// passFences adds the own accesses of lanes that other proxies can see.
func (o *order) passFences(warp int, on uint32, whole bool, to *knowledge) {
	fences := &o.fences[warp]
	least, most := ^uint32(0), uint32(0)
	for m := on; m != 0; m &= m - 1 {
		least, most = min(least, fences[first(m)]), max(most, fences[first(m)])
	}
	if whole && least > 0 {
		to.raise(warp, least)
	}
	if whole && least == most || most == 0 {
		return
	}
	for m := on; m != 0; m &= m - 1 {
		to.raiseLanes(warp, 1<<first(m), fences[first(m)])
	}
}

// acquire lets lanes know what is passed on; all says that no others live.
func (o *order) acquire(warp int, on uint32, all bool, from *view) {
	if all {
		o.warps[warp].join(from)
		return
	}
	for m := on; m != 0; m &= m - 1 {
		o.lane(warp, first(m)).join(from)
	}
}

// synchronise orders the lanes of a warp, all that live or some of them.
func (o *order) synchronise(warp int, on uint32, all bool) {
	var together view
	if o.lanes[warp] != nil {
		for m := on; m != 0; m &= m - 1 {
			together.join(&o.lanes[warp][first(m)])
		}
	}
	o.clocks[warp]++
	o.passFences(warp, on, all, &together.fenced)
	if all {
		together.seen.raise(warp, o.clocks[warp])
		o.warps[warp].join(&together)
		o.lanes[warp] = nil
		return
	}
	together.seen.raiseLanes(warp, on, o.clocks[warp])
	for m := on; m != 0; m &= m - 1 {
		o.lane(warp, first(m)).join(&together)
	}
}

// fence lets other proxies see what lanes did and know; all says that no others live.
func (o *order) fence(warp int, on uint32, all bool) {
	o.clocks[warp]++
	for m := on; m != 0; m &= m - 1 {
		o.fences[warp][first(m)] = o.clocks[warp]
	}
	if all {
		o.warps[warp].fence()
	}
	if all && o.lanes[warp] == nil {
		return
	}
	for m := on; m != 0; m &= m - 1 {
		v := o.lane(warp, first(m))
		v.fenced.join(&o.warps[warp].seen)
		v.fence()
	}
}

// before reports whether the accesses of a stamp come before what a lane does now.
func (o *order) before(s stamp, warp, lane int) bool {
	return s.lanes == 0 || o.warps[warp].seen.covers(s) || int(s.actor) == warp && s.lanes == 1<<lane || o.beforeEach(s, warp, lane)
}

// beforeEach is before, lane by lane of the stamp.
func (o *order) beforeEach(s stamp, warp, lane int) bool {
	for m := s.lanes; m != 0; m &= m - 1 {
		one := stamp{lanes: 1 << first(m), clock: s.clock, actor: s.actor}
		switch {
		case int(s.actor) == warp && first(m) == lane:
		case o.warps[warp].seen.covers(one):
		case o.lanes[warp] != nil && o.lanes[warp][lane].seen.covers(one):
		default:
			return false
		}
	}
	return true
}

// visible reports whether the accesses of a stamp come before what a lane does now
// through another proxy.
func (o *order) visible(s stamp, warp, lane int) bool {
	if s.lanes == 0 || o.warps[warp].fenced.covers(s) {
		return true
	}
	for m := s.lanes; m != 0; m &= m - 1 {
		one := stamp{lanes: 1 << first(m), clock: s.clock, actor: s.actor}
		switch {
		case int(s.actor) == warp && first(m) == lane && s.clock < o.fences[warp][lane]:
		case o.warps[warp].fenced.covers(one):
		case o.lanes[warp] != nil && o.lanes[warp][lane].fenced.covers(one):
		default:
			return false
		}
	}
	return true
}

// visibleToAll and beforeAll are the same for what a warp does as one.
func (o *order) visibleToAll(s stamp, warp int, alive uint32) bool {
	if o.warps[warp].fenced.covers(s) {
		return true
	}
	for m := alive; m != 0; m &= m - 1 {
		if !o.visible(s, warp, first(m)) {
			return false
		}
	}
	return true
}

func (o *order) beforeAll(s stamp, warp int, alive uint32) bool {
	if o.warps[warp].seen.covers(s) {
		return true
	}
	for m := alive; m != 0; m &= m - 1 {
		if !o.before(s, warp, first(m)) {
			return false
		}
	}
	return true
}
