package gpu

// geometry is how a form is launched for a shape.
type geometry struct {
	grid, block [3]uint32
	shared      uint32 // bytes of dynamic shared memory
	rowsAtOnce  int    // rows of the activations that one launch covers at most
	tune        [2]uint64
}

const (
	splitWarps    = 8 // of a block of the split form, at most
	minSplitWarps = 4 // and at least
	splitChunks   = 2 // per warp and phase
	oneShotChunks = 4
	ringWarps     = 4
	residentWarps = 8
	prefillGroup  = 8 // rows of tiles that run together
	prefillM      = 64
	prefillN      = 128
)

// geometry returns the launch of the form for m > 0 rows, and whether the form
// can be launched for the shape at all. It follows the headers of the kernels'
// sources.
func (f *form) geometry(t Target, m, n, k, groups int) (geometry, bool) {
	if groups > maxGridYZ {
		return geometry{}, false
	}
	switch f.kind {
	case plainTokensFirst:
		return tiles(n, 8, m, 16, groups, 1, 0), true
	case plainWeightsFirst:
		return tiles(n, 64, m, 8, groups, 4, 0), true
	case ringForm:
		return f.ring(m, n, groups), true
	case splitForm:
		return f.split(m, n, k, groups)
	case residentForm:
		return f.resident(t, m, n, k, groups)
	case prefillForm:
		return f.prefill(m, n, groups), true
	case oneShotForm:
		return f.oneShot(m, n, k, groups)
	case warpForm:
		return tiles(n, 16*f.rows, m, 8*f.tokens, groups, 1, f.stages*f.stageBytes()), true
	case plainWarpgroup:
		return tiles(n, 16*f.rows, m, 8*f.tokens, groups, 4, 0), true
	case decodeForm, warpgroupForm:
		return f.decode(t, m, n, k, groups)
	case persistentForm:
		return f.persistent(t, m, n, groups), true
	}
	return geometry{}, false
}

// tiles is the geometry of a grid of tileN by tileM outputs per block.
func tiles(n, tileN, m, tileM, groups, warps, shared int) geometry {
	rows := min(ceilDiv(m, tileM), maxGridYZ)
	return geometry{
		grid:       [3]uint32{uint32(ceilDiv(n, tileN)), uint32(rows), uint32(groups)},
		block:      [3]uint32{uint32(32 * warps), 1, 1},
		shared:     uint32(shared),
		rowsAtOnce: maxGridYZ * tileM,
	}
}

func (f *form) fits(g geometry) bool { return int(g.shared) <= f.maxShared() }

// stageBytes is the size of a stage: weights, tokens and the scales of both.
func (f *form) stageBytes() int {
	scales := 8*f.tokens + 16*f.rows
	return align(2048*f.rows+1024*f.tokens+4*scales*f.scalesPerChunk(), 128)
}

// ring gives a block as many warps as its memory holds, up to ringWarps.
func (f *form) ring(m, n, groups int) geometry {
	warps := min(ringWarps, f.maxShared()/(f.stages*f.stageBytes()))
	return tiles(n, 16*f.rows*warps, m, 8*f.tokens, groups, warps, warps*f.stages*f.stageBytes())
}

// split spreads K over a block's warps. Eight of them pay off where each gets more
// than one chunk and has one tile of rows; otherwise four leave room for more
// blocks.
func (f *form) split(m, n, k, groups int) (geometry, bool) {
	chunks := ceilDiv(k, chunkBytes)
	most := splitWarps
	if f.rows > 1 || chunks <= splitWarps {
		most = minSplitWarps
	}
	perPhase := splitChunks
	if f.rows > 1 && f.tokens == 1 {
		perPhase *= 2
	}
	for warps := most; warps >= minSplitWarps; warps-- {
		perWarp := max(1, ceilDiv(chunks, warps))
		for q := min(perPhase, perWarp); q > 0; q-- {
			evened := ceilDiv(perWarp, ceilDiv(perWarp, q))
			if g := f.splitOf(m, n, groups, warps, evened); f.fits(g) {
				return g, true
			}
		}
	}
	return geometry{}, false
}

// splitOf is the split form with that many warps and chunks per warp and phase.
func (f *form) splitOf(m, n, groups, warps, perPhase int) geometry {
	terms := 4 * (8*f.tokens*(16*f.rows+4) + 16*f.rows) * f.scalesPerChunk()
	g := tiles(n, 16*f.rows, m, 8*f.tokens, groups, warps, warps*(f.stages*f.stageBytes()+perPhase*terms))
	g.tune[0] = uint64(perPhase)
	return g
}

// resident starts as many blocks as the device has processors, of as many warps
// as their memory holds.
func (f *form) resident(t Target, m, n, k, groups int) (geometry, bool) {
	chunks, blocks := ceilDiv(k, chunkBytes), f.scalesPerChunk()
	tokens := chunks*1024*f.tokens + align(chunks*32*f.tokens*blocks, 128)
	ring := f.stages * (2048*f.rows + 64*f.rows*blocks)
	warps := min(residentWarps, (f.maxShared()-tokens)/ring)
	if warps < 1 {
		return geometry{}, false
	}
	g := tiles(n, 16*f.rows*warps, m, 8*f.tokens, groups, warps, tokens+warps*ring)
	g.grid[0] = min(g.grid[0], uint32(max(1, t.Multiprocessors)))
	return g, true
}

// oneShot gives every chunk of K a stage of its own, at most oneShotChunks to a
// warp, and a block four warps if they are enough.
func (f *form) oneShot(m, n, k, groups int) (geometry, bool) {
	chunks := ceilDiv(k, chunkBytes)
	warps := minSplitWarps
	if chunks > warps*oneShotChunks {
		warps = splitWarps
	}
	g := f.oneShotOf(m, n, k, groups, warps)
	return g, f.fits(g) && chunks <= warps*oneShotChunks
}

// oneShotOf is the one-shot form with that many warps.
func (f *form) oneShotOf(m, n, k, groups, warps int) geometry {
	stage := 2048*f.rows + 1024*f.tokens + 4*(8*f.tokens+16*f.rows)
	return tiles(n, 16*f.rows, m, 8*f.tokens, groups, warps, warps*ceilDiv(ceilDiv(k, chunkBytes), warps)*stage)
}

func (f *form) prefill(m, n, groups int) geometry {
	// The grid is one-dimensional: 2^31 blocks.
	tilesN := ceilDiv(n, prefillN)
	tilesM := min(ceilDiv(m, prefillM), (1<<31-1)/tilesN)
	shared := f.stages * (128*(prefillM+prefillN) + 4*(prefillM+prefillN)*f.scalesPerChunk())
	return geometry{
		grid:       [3]uint32{uint32(tilesM * tilesN), 1, uint32(groups)},
		block:      [3]uint32{256, 1, 1},
		shared:     uint32(shared),
		rowsAtOnce: (1<<31 - 1) / tilesN * prefillM,
		tune:       [2]uint64{prefillGroup, 0},
	}
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
