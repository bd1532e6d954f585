package gpu

// The orders in which forms of f32scale wgmma for few tokens are tried, by the best one.
var (
	wgmmaR16T8  = wgmmaLadder("l1_r16t8", "l1_r16t8_fine")
	wgmmaR32T8  = wgmmaLadder("l1_r32t8", "l1_r16t8", "l1_r32t8_fine")
	wgmmaR64T8  = wgmmaLadder("l3_r64t8", "l1_r16t8", "l1_r32t8_fine")
	wgmmaR16T16 = wgmmaLadder("l1_r16t16")
	wgmmaR32T16 = wgmmaLadder("l1_r32t16", "l1_r16t16")
	wgmmaR64T16 = wgmmaLadder("l3_r64t16", "l1_r16t16")
	wgmmaR32T32 = wgmmaLadder("l3_r32t32")
	wgmmaR64T32 = wgmmaLadder("l3_r64t32")
	wgmmaR64T64 = wgmmaLadder("l3_r64t64")
)

// wgmmaPrefill are the tiles of 128 tokens by 64, 128 or 256 weight rows, with what a
// tile costs beside the others, as measured on an H200.
var wgmmaPrefill = [...]struct {
	rows, cost int
	forms      []int
}{
	{256, 33, wgmmaLadder("l2_c256", "l3_r64t32")},
	{128, 17, wgmmaLadder("l2_c128", "l3_r64t32")},
	{64, 10, wgmmaLadder("l2_c64", "l3_r64t32")},
}

// wgmmaLadder returns forms, best first, and after them those that take what these
// leave: a long K, blocks of 32 and 64 columns, and then rows at any address and any
// block size.
func wgmmaLadder(names ...string) []int {
	return ladder(f32scaleWGMMA, append(names, "l2_c64", "l1_r32t16_fine", "l1_r16t8_fine", "l0"))
}

// wgmmaCandidates returns the forms to try for a problem. gpu/kernels/harness_plans.py has
// the same rule (chosen_wgmma).
func wgmmaCandidates(p Problem, processors int) []int {
	d := decodeTiles{p, processors}
	switch {
	case p.M <= 8:
		return d.tokens8()
	case p.M <= 16:
		return d.tokens16()
	case p.M <= 32:
		return d.tokens32(1)
	case p.M <= 64 && 2*d.tiles(64) <= processors:
		return d.tokens32(2)
	case p.M <= 64 && p.K > shortK/2:
		return wgmmaR64T64
	case p.M <= 128:
		return d.tokens128()
	}
	return prefillRows(p, processors)
}

// decodeTiles chooses tiles for few tokens: mostly the most weight rows that leave nearly
// every processor a tile, by measurements on an H200.
type decodeTiles struct {
	Problem
	processors int
}

func (d decodeTiles) tiles(rows int) int { return ceilDiv(d.N, rows) * d.groups() }

// nearly reports whether that many tiles leave nearly every processor one.
func (d decodeTiles) nearly(tiles int) bool { return 10*tiles >= 9*d.processors }

func (d decodeTiles) tokens8() []int {
	switch {
	case d.K <= shortK && d.nearly(d.tiles(64)):
		return wgmmaR64T8
	case !d.nearly(d.tiles(32)), d.K > longK && d.tiles(16) <= 2*d.processors:
		return wgmmaR16T8
	}
	return wgmmaR32T8
}

func (d decodeTiles) tokens16() []int {
	switch {
	case d.nearly(d.tiles(64)) && (d.K <= shortK || d.tiles(64) <= d.processors):
		return wgmmaR64T16
	case d.nearly(d.tiles(32)):
		return wgmmaR32T16
	}
	return wgmmaR16T16
}

// tokens32 is for that many rows of tiles. A short K leaves a tile of 64 rows too little
// to do to be halved.
func (d decodeTiles) tokens32(rows int) []int {
	if rows == 1 && d.K <= shortK || d.nearly(rows*d.tiles(64)) || rows*d.tiles(32) > d.processors {
		return wgmmaR64T32
	}
	return wgmmaR32T32
}

// tokens128 is for one row of level 2's tiles, which memory bounds.
func (d decodeTiles) tokens128() []int {
	if d.nearly(d.tiles(128)) {
		return wgmmaPrefill[1].forms
	}
	return wgmmaPrefill[2].forms
}

// prefillRows chooses the tile with which the device is done first, if every processor
// takes one after the other.
func prefillRows(p Problem, processors int) []int {
	best, least := 0, 0
	for i, tile := range wgmmaPrefill {
		rounds := ceilDiv(ceilDiv(p.M, 128)*ceilDiv(p.N, tile.rows)*p.groups(), processors)
		if cost := rounds * tile.cost; i == 0 || cost < least {
			best, least = i, cost
		}
	}
	return wgmmaPrefill[best].forms
}
