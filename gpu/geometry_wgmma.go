package gpu

const (
	warpgroup     = 128  // threads
	swizzleBytes  = 1024 // what tiles are aligned to in shared memory
	stageBarriers = 16   // bytes of the two barriers of a stage
	weightStage   = 64 * chunkBytes
)

// decode starts as many blocks as the device has processors. The tokens stay in shared
// memory where a block has more than one tile and there is room; otherwise they come
// again with each tile, in as many slots as there are stages.
func (f *form) decode(t Target, m, n, k, groups int) (geometry, bool) {
	g := tiles(n, 16*f.rows, m, 8*f.tokens, groups, 1, 0)
	steps := max(1, ceilDiv(ceilDiv(k, chunkBytes), f.ways()))
	perBlock := ceilDiv(int(g.grid[0]), max(1, t.Multiprocessors))
	g.grid[0] = min(g.grid[0], uint32(max(1, t.Multiprocessors)))
	g.block[0] = uint32(f.warpgroups()*warpgroup + 32)
	stages := min(f.stages, perBlock*steps)
	if perBlock > 1 {
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
	scales := 4 * ceilDiv(k, chunkBytes) * (tokens + 2*rows)
	terms := 8 * f.warpgroups() * f.ways() * tokens * (rows + 4)
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
