package gpu

// form is one compiled kernel of the f32scale mma family: a level of the ladder
// with its tile. All forms give the same bits.
type form struct {
	name   string // of the function in the PTX
	level  int
	kind   formKind
	rows   int  // tiles of 16 weight rows per warp or block
	tokens int  // tiles of 8 tokens
	stages int  // of the ring of copies
	fine   bool // takes block sizes 32 and 64 next to 128
}

// formKind says how a form's blocks and memory follow from the shape.
type formKind uint8

const (
	plainTokensFirst  formKind = iota // level 0
	plainWeightsFirst                 // level 1
	ringForm                          // level 2: a warp per tile
	splitForm                         // levels 3 and 4: K over the warps of a block
	residentForm                      // level 5: activations stay in shared memory
	prefillForm                       // level 6: tiles of 64 tokens
	oneShotForm                       // level 7: the split form with a stage for every chunk
)

const (
	chunkBytes     = 128      // of K, what a stage holds
	maxSharedBytes = 99 << 10 // of a block on the smallest chip of the family
	maxGridYZ      = 65535
	plainBlockK    = 32 // levels 0 and 1 take any multiple of it
)

// forms is the ladder, lowest level first.
var forms = [...]form{
	{name: "w8a8_f32scale_mma_l0", level: 0, kind: plainTokensFirst},
	{name: "w8a8_f32scale_mma_l1", level: 1, kind: plainWeightsFirst},
	{"w8a8_f32scale_mma_l2_r1t1", 2, ringForm, 1, 1, 4, false},
	{"w8a8_f32scale_mma_l2_r1t2", 2, ringForm, 1, 2, 4, false},
	{"w8a8_f32scale_mma_l2_r2t1", 2, ringForm, 2, 1, 4, false},
	{"w8a8_f32scale_mma_l2_r2t2", 2, ringForm, 2, 2, 4, false},
	{"w8a8_f32scale_mma_l2_r1t1_fine", 2, ringForm, 1, 1, 4, true},
	{"w8a8_f32scale_mma_l2_r1t2_fine", 2, ringForm, 1, 2, 4, true},
	{"w8a8_f32scale_mma_l3_t1", 3, splitForm, 1, 1, 2, false},
	{"w8a8_f32scale_mma_l3_t2", 3, splitForm, 1, 2, 2, false},
	{"w8a8_f32scale_mma_l3_t1_s4", 3, splitForm, 1, 1, 4, false},
	{"w8a8_f32scale_mma_l3_t2_s4", 3, splitForm, 1, 2, 4, false},
	{"w8a8_f32scale_mma_l3_t1_fine", 3, splitForm, 1, 1, 2, true},
	{"w8a8_f32scale_mma_l3_t2_fine", 3, splitForm, 1, 2, 2, true},
	{"w8a8_f32scale_mma_l4_r2t1", 4, splitForm, 2, 1, 2, false},
	{"w8a8_f32scale_mma_l4_r2t2", 4, splitForm, 2, 2, 2, false},
	{"w8a8_f32scale_mma_l4_r2t4", 4, splitForm, 2, 4, 2, false},
	{"w8a8_f32scale_mma_l4_r4t1", 4, splitForm, 4, 1, 2, false},
	{"w8a8_f32scale_mma_l4_r2t1_fine", 4, splitForm, 2, 1, 2, true},
	{"w8a8_f32scale_mma_l4_r2t2_fine", 4, splitForm, 2, 2, 2, true},
	{"w8a8_f32scale_mma_l5_r1t1", 5, residentForm, 1, 1, 4, false},
	{"w8a8_f32scale_mma_l5_r1t2", 5, residentForm, 1, 2, 4, false},
	{"w8a8_f32scale_mma_l5_r1t1_s8", 5, residentForm, 1, 1, 8, false},
	{"w8a8_f32scale_mma_l5_r1t2_s8", 5, residentForm, 1, 2, 8, false},
	{"w8a8_f32scale_mma_l5_r1t1_fine", 5, residentForm, 1, 1, 4, true},
	{"w8a8_f32scale_mma_l5_r1t2_fine", 5, residentForm, 1, 2, 4, true},
	{name: "w8a8_f32scale_mma_l6", level: 6, kind: prefillForm, stages: 3},
	{name: "w8a8_f32scale_mma_l6_fine", level: 6, kind: prefillForm, stages: 3, fine: true},
	{name: "w8a8_f32scale_mma_l7_r1t1", level: 7, kind: oneShotForm, rows: 1, tokens: 1},
	{name: "w8a8_f32scale_mma_l7_r1t2", level: 7, kind: oneShotForm, rows: 1, tokens: 2},
	{name: "w8a8_f32scale_mma_l7_r2t1", level: 7, kind: oneShotForm, rows: 2, tokens: 1},
	{name: "w8a8_f32scale_mma_l7_r2t2", level: 7, kind: oneShotForm, rows: 2, tokens: 2},
}

// formNamed returns the index of a form, or -1.
func formNamed(name string) int {
	for i := range forms {
		if forms[i].name == name {
			return i
		}
	}
	return -1
}

// takesBlockK reports whether the form takes scale blocks of that many columns.
func (f *form) takesBlockK(blockK int) bool {
	switch {
	case f.kind == plainTokensFirst || f.kind == plainWeightsFirst:
		return blockK%plainBlockK == 0
	case f.fine:
		return blockK == 32 || blockK == 64 || blockK == 128
	}
	return blockK == 128
}

// takesRows reports whether the form takes rows of codes at any address, or these
// are aligned.
func (f *form) takesRows(unaligned bool) bool {
	return !unaligned || f.kind == plainTokensFirst || f.kind == plainWeightsFirst || f.kind == prefillForm
}

// blocksPerChunk is the number of scale blocks that the form's stages have room
// for.
func (f *form) blocksPerChunk() int {
	if f.fine {
		return 4
	}
	return 1
}
