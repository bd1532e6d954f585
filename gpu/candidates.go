package gpu

// Where the forms change places, as measured on an H200 with the dense layers of
// a decode step. All give the same bits, so this is about time only.
const (
	decodeTokens = 32   // up to this M the decode forms are ahead
	shortK       = 2048 // up to this K activations stay in shared memory
	// From this many weight rows for each processor on, a weight fills the device
	// by its rows alone.
	rowsPerProcessor = 96
	// Up to this K, and this many rows for each processor, everything can be in
	// flight at once.
	oneShotK    = 1024
	oneShotRows = 128
)

// On SM12x, as predicted (docs/predict.md) and not measured: where such tiles give no
// processor more than one, they are nearly twice as fast as the prefill tile, which
// leaves most processors without any. On an H200, whose MMA is emulated, they are not.
const (
	smallTileTokens = 32
	smallTileRows   = 32
)

// The orders in which forms are tried; the last takes every shape.
var (
	manyTokens = f32scaleLadder("l6", "l6_fine")
	smallTiles = f32scaleLadder("l4_r2t4", "l6", "l6_fine")
	// A weight that fills the device by its rows, with a short K ...
	wideShort1 = f32scaleLadder("l5_r1t1", "l5_r1t1_fine", "l3_t1", "l3_t1_fine")
	someShort1 = f32scaleLadder("l7_r1t1", "l3_t1", "l3_t1_fine")
	wideShort2 = f32scaleLadder("l5_r1t2", "l5_r1t2_fine", "l3_t2", "l3_t2_fine")
	// ... or a long one.
	wide1 = f32scaleLadder("l4_r2t1", "l4_r2t1_fine")
	wide2 = f32scaleLadder("l4_r2t2", "l4_r2t2_fine")
	// Others need K spread over warps.
	narrow1 = f32scaleLadder("l3_t1", "l3_t1_fine")
	narrow2 = f32scaleLadder("l3_t2", "l3_t2_fine")
)

// The same for ue8m0 mx, whose K stays whole: what changes places is how many rows
// a warp takes, and the tile of many tokens, which also takes what the others leave.
var (
	mxManyTokens = mxLadder()
	mxSmallTiles = mxLadder("l1_r2t2", "l1_r2t2_fine")
	mxWide1      = mxLadder("l1_r2t1", "l1_r2t1_fine")
	mxWide2      = mxSmallTiles
	mxNarrow1    = mxLadder("l1_r1t1", "l1_r1t1_fine")
	mxNarrow2    = mxLadder("l1_r1t2", "l1_r1t2_fine")
)

// f32scaleLadder returns forms, best first, and after them the one that takes what
// they leave: rows at any address, any block size.
func f32scaleLadder(names ...string) []int {
	return ladder(f32scaleMMA, append(names, "l1"))
}

func mxLadder(names ...string) []int {
	return ladder(ue8m0MX, append(names, "l2", "l2_fine"))
}

// ladder returns forms of a family by what their names end with.
func ladder(f family, names []string) []int {
	var indices []int
	for _, name := range names {
		indices = append(indices, formNamed(families[f].name+"_"+name))
	}
	return indices
}

// candidates returns the forms of a family to try for a problem, best first.
func (f family) candidates(t Target, p Problem) []int {
	rows, processors := p.N*p.groups(), max(1, t.Multiprocessors)
	wide := rows >= rowsPerProcessor*processors
	switch f {
	case ue8m0MX:
		return mxCandidates(p.M, wide, fewSmallTiles(p.M, rows, processors))
	case f32scaleWGMMA:
		return wgmmaCandidates(p, processors)
	}
	short := p.K <= shortK
	switch {
	case p.M > decodeTokens && hasMX(t.Arch) && fewSmallTiles(p.M, rows, processors):
		return smallTiles
	case p.M > decodeTokens:
		return manyTokens
	case p.M <= 8 && p.K <= oneShotK && rows <= oneShotRows*processors:
		return someShort1
	case p.M <= 8 && wide && short:
		return wideShort1
	case p.M <= 8 && wide:
		return wide1
	case p.M <= 8:
		return narrow1
	case short && (wide || p.M > 16):
		return wideShort2
	case wide || p.M > 16 || short:
		return wide2
	}
	return narrow2
}

// fewSmallTiles reports whether small tiles give no processor more than one.
func fewSmallTiles(m, rows, processors int) bool {
	return ceilDiv(m, smallTileTokens) <= processors/ceilDiv(max(rows, 1), smallTileRows)
}

// mxCandidates is what package predict finds best, or a first guess where it finds no
// difference: nothing of it was measured.
func mxCandidates(m int, wide, fewSmallTiles bool) []int {
	switch {
	case m > decodeTokens && fewSmallTiles:
		return mxSmallTiles
	case m > decodeTokens:
		return mxManyTokens
	case m <= 8 && wide:
		return mxWide1
	case m <= 8:
		return mxNarrow1
	case wide:
		return mxWide2
	}
	return mxNarrow2
}

// reasons says in words why a kind of form was chosen.
var reasons = [...]string{
	plainTokensFirst:  "the plain kernel",
	plainWeightsFirst: "takes every block size and shape",
	ringForm:          "few tokens",
	splitForm:         "few tokens, or few tiles: K is spread over the warps of a block",
	residentForm:      "few tokens and a short K: the activations stay in shared memory",
	oneShotForm:       "few tokens and a K whose codes fit in shared memory at once",
	prefillForm:       "many tokens, or rows of any alignment: weights are reused from shared memory",
	warpForm:          "few tokens, or few tiles: a warp for every tile of rows, through all of K",
	plainWarpgroup:    "takes every block size and rows at any address",
	decodeForm:        "few tokens: warpgroups share out K, and the next launch's weights are on their way",
	persistentForm:    "many tokens: blocks stay, and the copies of a tile overlap with another's products",
	warpgroupForm:     "few tokens: a warpgroup multiplies a tile alone and chains in registers, and the next launch's weights are on their way",
}
