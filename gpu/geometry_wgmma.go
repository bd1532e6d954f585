package gpu

const (
	warpgroup     = 128  // threads
	swizzleBytes  = 1024 // what tiles are aligned to in shared memory
	stageBarriers = 16   // bytes of the two barriers of a stage
	weightStage   = 64 * chunkBytes
	longK         = 4096
)

// decodeWish is how a form for few tokens is launched if there is room for it.
type decodeWish struct {
	stages int  // of weights
	blocks int  // per processor, at most
	stay   bool // tokens stay in shared memory, for all steps
}

// wish follows measurements on an H200, of single multiplications and of whole decode
// steps: mostly half of the shared memory, so that the next launch's blocks find room
// beside this one's.
func (f *form) wish(t Target, n, k, groups int) decodeWish {
	tiles, processors := ceilDiv(n, 16*f.rows)*groups, max(1, t.Multiprocessors)
	if f.kind == warpgroupForm {
		return f.warpgroupWish(tiles, processors, k)
	}
	tokens8 := f.tokens == 1
	switch {
	case f.rows == 1 && tokens8 && k > longK:
		return decodeWish{6, 2, false}
	case f.rows == 1 && !tokens8:
		return decodeWish{6, 1, true}
	case f.rows == 1:
		return decodeWish{8, 1, false}
	case k <= shortK && tiles > processors:
		return decodeWish{5, 2, false}
	case k <= shortK && !tokens8:
		return decodeWish{6, 1, false}
	case k <= longK:
		return decodeWish{8, 1, tiles <= processors}
	}
	return decodeWish{12, 1, tokens8}
}

func (f *form) warpgroupWish(tiles, processors, k int) decodeWish {
	switch {
	case f.ways() > 1:
		return decodeWish{6, 1, false}
	case f.tokens > 4 && tiles > processors && k <= longK:
		return decodeWish{5, 2, false}
	case f.tokens > 2 && tiles > processors && k <= longK:
		return decodeWish{6, 2, false}
	case k > shortK && f.tokens <= 4:
		return decodeWish{12, 1, false}
	case k > shortK || tiles <= processors:
		return decodeWish{8, 1, false}
	case tiles <= 2*processors:
		return decodeWish{6, 2, true}
	}
	return decodeWish{8, 2, false}
}

// stepsAtOnce is how many steps of a block are at the tensor cores at once. With fewer
// stages, unless there are no more steps, somebody would wait for a stage's phase but one,
// which a barrier cannot tell from the one before it.
func (f *form) stepsAtOnce() int {
	if f.kind == warpgroupForm {
		return 2
	}
	return f.warpgroups()
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
	for least := min(stages, f.stepsAtOnce()); stages >= least; stages-- {
		if ring := f.decodeRing(g, k, stages, stages); f.fits(ring) {
			return ring, true
		}
	}
	return geometry{}, false
}

// decodeRing is a form for few tokens with that many stages of weights and slots for
// tokens.
// The second parameter's lowest bit is for the maps, see mapsChunks.
func (f *form) decodeRing(g geometry, k, stages, slots int) geometry {
	rows, tokens := 16*f.rows, 8*f.tokens
	ring := stages*(weightStage+stageBarriers) + slots*(tokens*f.ways()*chunkBytes)
	scales := 4 * ceilDiv(k, chunkBytes) * f.scalesPerChunk() * (tokens + 2*rows)
	g.shared = uint32(swizzleBytes + ring + scales + f.termBytes())
	g.tune = [2]uint64{uint64(stages), 2 * uint64(slots)}
	return g
}

// termBytes is the size of the two buffers in which terms change hands: between all warps
// of a block, or from the warps of the second chunk of a step to those of the first.
func (f *form) termBytes() int {
	rows, tokens := 16*f.rows, 8*f.tokens
	if f.kind == warpgroupForm {
		return 8 * (f.ways() - 1) * tokens * rows
	}
	return 8 * f.warpgroups() * f.ways() * f.scalesPerChunk() * tokens * (rows + 4)
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
