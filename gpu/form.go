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
)

const (
	chunkBytes     = 128      // of K, what a stage holds
	maxSharedBytes = 99 << 10 // of a block on the smallest chip of the family
	maxGridYZ      = 65535
	mmaK           = 32 // of K, what an MMA takes: no scale block is shorter
)

// forms is the ladder of each family, lowest level first.
var forms = [...]form{
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l0", level: 0, kind: plainTokensFirst},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l1", level: 1, kind: plainWeightsFirst},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r1t1", 2, ringForm, 1, 1, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r1t2", 2, ringForm, 1, 2, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r2t1", 2, ringForm, 2, 1, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r2t2", 2, ringForm, 2, 2, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r1t1_fine", 2, ringForm, 1, 1, 4, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r1t2_fine", 2, ringForm, 1, 2, 4, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t1", 3, splitForm, 1, 1, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t2", 3, splitForm, 1, 2, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t1_s4", 3, splitForm, 1, 1, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t2_s4", 3, splitForm, 1, 2, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t1_fine", 3, splitForm, 1, 1, 2, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t2_fine", 3, splitForm, 1, 2, 2, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r2t1", 4, splitForm, 2, 1, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r2t2", 4, splitForm, 2, 2, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r2t4", 4, splitForm, 2, 4, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r4t1", 4, splitForm, 4, 1, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r2t1_fine", 4, splitForm, 2, 1, 2, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r2t2_fine", 4, splitForm, 2, 2, 2, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t1", 5, residentForm, 1, 1, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t2", 5, residentForm, 1, 2, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t1_s8", 5, residentForm, 1, 1, 8, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t2_s8", 5, residentForm, 1, 2, 8, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t1_fine", 5, residentForm, 1, 1, 4, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t2_fine", 5, residentForm, 1, 2, 4, true},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l6", level: 6, kind: prefillForm, stages: 3},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l6_fine", level: 6, kind: prefillForm, stages: 3, fine: true},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l7_r1t1", level: 7, kind: oneShotForm, rows: 1, tokens: 1},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l7_r1t2", level: 7, kind: oneShotForm, rows: 1, tokens: 2},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l7_r2t1", level: 7, kind: oneShotForm, rows: 2, tokens: 1},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l7_r2t2", level: 7, kind: oneShotForm, rows: 2, tokens: 2},
	{family: ue8m0MX, name: "w8a8_ue8m0_mx_l0", level: 0, kind: plainTokensFirst},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r1t1", 1, warpForm, 1, 1, 8, false},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r1t2", 1, warpForm, 1, 2, 8, false},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r2t1", 1, warpForm, 2, 1, 8, false},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r2t2", 1, warpForm, 2, 2, 8, false},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r1t1_fine", 1, warpForm, 1, 1, 8, true},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r1t2_fine", 1, warpForm, 1, 2, 8, true},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r2t1_fine", 1, warpForm, 2, 1, 8, true},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r2t2_fine", 1, warpForm, 2, 2, 8, true},
	{family: ue8m0MX, name: "w8a8_ue8m0_mx_l2", level: 2, kind: prefillForm, stages: 3},
	{family: ue8m0MX, name: "w8a8_ue8m0_mx_l2_fine", level: 2, kind: prefillForm, stages: 3, fine: true},
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

// takesAnyBlockK reports whether the form takes scale blocks of any multiple of
// mmaK columns.
func (f *form) takesAnyBlockK() bool {
	return f.kind == plainTokensFirst || f.kind == plainWeightsFirst || f.family == ue8m0MX && f.fine
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
	return !unaligned || f.kind == plainTokensFirst || f.kind == plainWeightsFirst || f.kind == prefillForm
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
