package gpu

// form is one compiled kernel: a level of its family's ladder with its tile. All
// forms of a family give the same bits.
type form struct {
	family family
	name   string // of the function in the PTX
	level  int
	kind   formKind
	rows   int  // tiles of 16 weight rows per warp or block
	tokens int  // tiles of 8 tokens
	stages int  // of the ring of copies
	fine   bool // takes block sizes that are not multiples of 128, see takesBlockK
}

// formKind says how a form's blocks and memory follow from the shape.
type formKind uint8

const (
	plainTokensFirst  formKind = iota // level 0
	plainWeightsFirst                 // level 1
	ringForm                          // level 2: a warp per tile
	splitForm                         // levels 3 and 4: K over the warps of a block
	residentForm                      // level 5: activations stay in shared memory
	prefillForm                       // level 6, and 2 of ue8m0 mx: tiles of 64 tokens
	oneShotForm                       // level 7: the split form with a stage for every chunk
	warpForm                          // level 1 of ue8m0 mx: a block of one warp per tile
	plainWarpgroup                    // level 0 of f32scale wgmma
	decodeForm                        // level 1 of f32scale wgmma: warpgroups share K out
	persistentForm                    // level 2 of f32scale wgmma: blocks stay for many tiles
	warpgroupForm                     // level 3 of f32scale wgmma: a warpgroup chains a tile in registers
)

const (
	chunkBytes = 128 // of K, what a stage holds
	maxGridYZ  = 65535
	mmaK       = 32 // of K, what an MMA takes: no scale block is shorter

	warpgroupTiles = 4 // of 16 rows, what an MMA of a warpgroup takes
)

// plain reports whether the form is the lowest of its family, or the next to it: they
// take every shape and need no dynamic shared memory.
func (f *form) plain() bool {
	return f.kind == plainTokensFirst || f.kind == plainWeightsFirst || f.kind == plainWarpgroup
}

// maxShared is the most bytes of dynamic shared memory that the form may be launched
// with.
func (f *form) maxShared() int {
	if f.plain() {
		return 0
	}
	return families[f.family].shared
}

// takesMaps reports whether the form's kernel copies codes through tensor maps, which
// it takes as parameters.
func (f *form) takesMaps() bool { return f.fewTokens() || f.kind == persistentForm }

// fewTokens reports whether the form's blocks have a ring of stages of 64 rows of codes,
// the weights of one tile in one or several chunks of K.
func (f *form) fewTokens() bool { return f.kind == decodeForm || f.kind == warpgroupForm }

// warpgroups is how many of a block of the forms for few tokens multiply; one more warp
// copies.
func (f *form) warpgroups() int {
	switch {
	case f.kind == warpgroupForm:
		return 1
	case f.fine:
		return 2
	case f.rows == 1 && f.tokens == 2:
		return 3
	}
	return 4
}

// ways is how many successive chunks of K the MMAs of the forms for few tokens multiply
// at once: as many of their rows as fill that side of four tiles.
func (f *form) ways() int { return warpgroupTiles / f.rows }

// takesAnyBlockK reports whether the form takes scale blocks of any multiple of
// mmaK columns.
func (f *form) takesAnyBlockK() bool {
	return f.plain() || f.family == ue8m0MX && f.fine
}

// takesBlockK reports whether the form takes scale blocks of that many columns.
func (f *form) takesBlockK(blockK int) bool {
	switch {
	case f.takesAnyBlockK():
		return blockK%mmaK == 0
	case f.family == ue8m0MX:
		return blockK%chunkBytes == 0
	case f.fine:
		return blockK == 32 || blockK == 64 || blockK == 128
	}
	return blockK == 128
}

// blockSizes says the same in words.
func (f *form) blockSizes() string {
	switch {
	case f.takesAnyBlockK():
		return "a block along K of a multiple of 32"
	case f.family == ue8m0MX:
		return "a block along K of a multiple of 128"
	case f.fine:
		return "a block along K of 32, 64 or 128"
	}
	return "a block along K of 128"
}

// takesRows reports whether the form takes rows of codes at any address, or these
// are aligned.
func (f *form) takesRows(unaligned bool) bool {
	return !unaligned || f.plain() || f.kind == prefillForm
}

// scaleRows is what the weight rows of a scale, and those before the first, must be
// multiples of.
func (f *form) scaleRows() int {
	if f.kind == persistentForm {
		return 128
	}
	return 1
}

// takes reports whether the form takes the blocks and rows of a problem.
func (f *form) takes(p Problem) bool {
	return f.takesBlockK(p.BlockK) && f.takesRows(p.Unaligned) && p.BlockN%f.scaleRows() == 0 && p.RowOffset%f.scaleRows() == 0
}

// scalesPerChunk is the number of scale blocks that the form's stages have room
// for: none where scales go straight to registers.
func (f *form) scalesPerChunk() int {
	switch {
	case f.family == ue8m0MX:
		return 0
	case f.fine:
		return 4
	}
	return 1
}
