package gpu

const (
	warpgroup     = 128  // threads
	swizzleBytes  = 1024 // what tiles are aligned to in shared memory
	stageBarriers = 16   // bytes of the two barriers of a stage
	weightStage   = 64 * chunkBytes
	longK         = 4096
)

// decodeWish is how a decode form is launched if there is room for it.
type decodeWish struct {
	stages int  // of weights
	blocks int  // per processor, at most
	stay   bool // tokens stay in shared memory, for all steps
}

// wish follows measurements on an H200: half of the shared memory, so that the next
// launch's blocks find room beside this one's, except where K is long.
func (f *form) wish(t Target, n, k, groups int) decodeWish {
	short, tokens8 := k <= shortK, f.tokens == 1
	switch {
	case short && ceilDiv(n, 16*f.rows)*groups <= t.Multiprocessors:
		return decodeWish{8, 1, false}
	case short && tokens8 && f.rows == 4:
		return decodeWish{7, 2, false}
	case short, f.tokens > 2:
		return decodeWish{5, 2, false}
	case f.rows == 1 && tokens8:
		return decodeWish{7, 1, false}
	case f.rows == 1:
		return decodeWish{5, 1, k <= longK}
	case f.rows == 2 && k <= longK:
		return decodeWish{8, 1, true}
	case f.rows == 2:
		return decodeWish{12, 1, tokens8}
	}
	return decodeWish{12, 1, false}
}

// decode starts blocks that stay for many tiles. Where there is no room for tokens to
// stay they come again with each tile, in as many slots as there are stages; where
// there is none for that many stages, there are fewer.
func (f *form) decode(t Target, m, n, k, groups int) (geometry, bool) {
	wish := f.wish(t, n, k, groups)
	g := tiles(n, 16*f.rows, m, 8*f.tokens, groups, 1, 0)
	most := max(1, t.Multiprocessors) * wish.blocks
	steps := max(1, ceilDiv(ceilDiv(k, chunkBytes), f.ways()))
	stages := min(wish.stages, ceilDiv(int(g.grid[0]), most)*steps)
	g.grid[0] = min(g.grid[0], uint32(most))
	g.block[0] = uint32(f.warpgroups()*warpgroup + 32)
	if wish.stay {
		if staying := f.decodeRing(g, k, stages, steps); f.fits(staying) {
			return staying, true
		}
	}
	for ; stages > 0; stages-- {
		if ring := f.decodeRing(g, k, stages, stages); f.fits(ring) {
			return ring, true
		}
	}
	return geometry{}, false
}

// decodeRing is the decode form with that many stages of weights and slots for tokens.
// The second parameter's lowest bit is for the maps, see mapsChunks.
func (f *form) decodeRing(g geometry, k, stages, slots int) geometry {
	rows, tokens := 16*f.rows, 8*f.tokens
	ring := stages*(weightStage+stageBarriers) + slots*(tokens*f.ways()*chunkBytes)
	scales := 4 * ceilDiv(k, chunkBytes) * f.scalesPerChunk() * (tokens + 2*rows)
	terms := 8 * f.warpgroups() * f.ways() * f.scalesPerChunk() * tokens * (rows + 4)
	g.shared = uint32(swizzleBytes + ring + scales + terms)
	g.tune = [2]uint64{uint64(stages), 2 * uint64(slots)}
	return g
}

// persistent starts as many blocks as the device has processors, of two warpgroups that
// multiply and one that copies.
func (f *form) persistent(t Target, m, n, groups int) geometry {
	rows, tokens := 16*f.rows, 8*f.tokens
	tilesN := ceilDiv(n, rows)
	most := (1<<31 - 1) / tilesN // tiles are counted in 32 bits
	tiles := tilesN * min(ceilDiv(m, tokens), most)
	return geometry{
		grid:       [3]uint32{uint32(min(tiles, max(1, t.Multiprocessors))), 1, uint32(groups)},
		block:      [3]uint32{3 * warpgroup, 1, 1},
		shared:     uint32(swizzleBytes + f.stages*((rows+tokens)*chunkBytes+stageBarriers)),
		rowsAtOnce: most * tokens,
		tune:       [2]uint64{prefillGroup, 0},
	}
}
