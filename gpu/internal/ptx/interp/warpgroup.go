package interp

// groupWarps is the number of warps that execute wgmma together, from a multiple of
// it on.
const groupWarps = 4

// warpgroup remembers which wgmma its warps have executed: each has to execute the
// same ones with the same operands, but not at the same time.
type warpgroup struct {
	past  int             // instructions that all warps have executed
	ahead []multiply      // later ones
	count [groupWarps]int // by warp, how many it has executed
}

// multiply is one wgmma.
type multiply struct {
	at   int // the instruction
	a, b uint64
	add  bool
	warp int // that executed it first
}

// joins checks that a wgmma is what the other warps of the group execute.
func (w *warp) joins(m multiply) bool {
	b := w.block
	g := &b.warpgroups[w.index/groupWarps]
	if (w.index/groupWarps+1)*groupWarps > len(b.warps) {
		w.fail(Warpgroup, 0, "wgmma in a warpgroup of %d warps; it has to have %d", len(b.warps)%groupWarps, groupWarps)
		return false
	}
	i := g.count[w.index%groupWarps] - g.past
	g.count[w.index%groupWarps]++
	if i == len(g.ahead) {
		g.ahead = append(g.ahead, m)
		return true
	}
	switch other := g.ahead[i]; {
	case other.at != m.at:
		w.fail(Warpgroup, 0, "warp %d of the warpgroup executes wgmma at %s instead", other.warp, w.place(other.at))
		return false
	case other.a != m.a || other.b != m.b || other.add != m.add:
		w.fail(Warpgroup, 0, "descriptors %#x and %#x, scale-d %v; in warp %d of the warpgroup they are %#x and %#x, %v", m.a, m.b, m.add, other.warp, other.a, other.b, other.add)
		return false
	}
	g.forget()
	return true
}

// forget drops what all warps have executed.
func (g *warpgroup) forget() {
	least := g.count[0]
	for _, n := range g.count {
		least = min(least, n)
	}
	g.ahead = g.ahead[:copy(g.ahead, g.ahead[least-g.past:])]
	g.past = least
}

// alone returns the fault of a block in which only some warps of a group have executed
// a wgmma, or nil.
func (b *block) alone() *Finding {
	for i := range b.warpgroups {
		g := &b.warpgroups[i]
		if len(g.ahead) == 0 {
			continue
		}
		m := g.ahead[0]
		for j, n := range g.count {
			if n == g.past {
				w := b.warps[m.warp]
				w.failAt(m.at, Warpgroup, 0, "warp %d of the warpgroup has not executed this wgmma", i*groupWarps+j)
				return w.finding
			}
		}
	}
	return nil
}
