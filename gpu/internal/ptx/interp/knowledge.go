package interp

// knowledge says which accesses come before a point: those of an actor whose clock is
// below the one that is known of it. Actors are whatever accesses shared memory by
// itself, see order.
type knowledge struct {
	whole []uint32       // by actor, of all of its lanes; 0 beyond the end
	parts []*vectorClock // by warp, of single lanes; nil or short where nothing is beyond whole
}

// vectorClock is a clock for each lane.
type vectorClock [lanes]uint32

func (k *knowledge) reset() {
	clear(k.whole)
	clear(k.parts)
}

// raise lets an actor be known up to a clock.
func (k *knowledge) raise(actor int, clock uint32) {
	for len(k.whole) <= actor {
		k.whole = append(k.whole, 0)
	}
	k.whole[actor] = max(k.whole[actor], clock)
}

// raiseLanes does the same for some lanes of a warp.
func (k *knowledge) raiseLanes(warp int, on, clock uint32) {
	if warp < len(k.whole) && k.whole[warp] >= clock {
		return
	}
	for len(k.parts) <= warp {
		k.parts = append(k.parts, nil)
	}
	if k.parts[warp] == nil {
		k.parts[warp] = new(vectorClock)
	}
	part := k.parts[warp]
	for m := on; m != 0; m &= m - 1 {
		part[first(m)] = max(part[first(m)], clock)
	}
}

// join adds what is known elsewhere.
func (k *knowledge) join(other *knowledge) {
	for actor, clock := range other.whole {
		if clock > 0 {
			k.raise(actor, clock)
		}
	}
	for warp, part := range other.parts {
		if part == nil {
			continue
		}
		for lane, clock := range part {
			if clock > 0 {
				k.raiseLanes(warp, 1<<lane, clock)
			}
		}
	}
}

// covers reports whether accesses are known.
func (k *knowledge) covers(s stamp) bool {
	a := int(s.actor)
	if a < len(k.whole) && s.clock < k.whole[a] {
		return true
	}
	if a >= len(k.parts) || k.parts[a] == nil {
		return false
	}
	for m := s.lanes; m != 0; m &= m - 1 {
		if s.clock >= k.parts[a][first(m)] {
			return false
		}
	}
	return true
}

// view is what comes before a point, and what of it other proxies can see there.
type view struct {
	seen   knowledge
	fenced knowledge // with a fence between the proxies on the way
}

func (v *view) reset() {
	v.seen.reset()
	v.fenced.reset()
}

func (v *view) join(other *view) {
	v.seen.join(&other.seen)
	v.fenced.join(&other.fenced)
}

// fence lets other proxies see all that comes before.
func (v *view) fence() { v.fenced.join(&v.seen) }
