package gpu

// The orders in which forms of f32scale wgmma are tried. The decode forms' tiles have
// 16, 32 or 64 weight rows and 8, 16 or 32 tokens.
var (
	wgmmaTokens8 = [...][]int{
		wgmmaLadder("l1_r16t8", "l1_r16t8_fine"), wgmmaLadder("l1_r32t8", "l1_r16t8", "l1_r32t8_fine"), wgmmaLadder("l1_r64t8", "l1_r16t8", "l1_r32t8_fine"),
	}
	wgmmaTokens16 = [...][]int{
		wgmmaLadder("l1_r16t16"), wgmmaLadder("l1_r32t16", "l1_r16t16"), wgmmaLadder("l1_r64t16", "l1_r16t16"),
	}
	wgmmaTokens32 = wgmmaLadder("l1_r64t32")
)

// wgmmaPrefill are the tiles of 128 tokens by 64, 128 or 256 weight rows, with what a
// tile costs beside the others, as measured on an H200.
var wgmmaPrefill = [...]struct {
	rows, cost int
	forms      []int
}{
	{256, 33, wgmmaLadder("l2_c256", "l1_r64t64", "l1_r64t32")},
	{128, 17, wgmmaLadder("l2_c128", "l1_r64t64", "l1_r64t32")},
	{64, 10, wgmmaLadder("l2_c64", "l1_r64t64", "l1_r64t32")},
}

// wgmmaLadder returns forms, best first, and after them those that take what these
// leave: a long K, blocks of 32 and 64 columns, and then rows at any address and any
// block size.
func wgmmaLadder(names ...string) []int {
	return ladder(f32scaleWGMMA, append(names, "l2_c64", "l1_r32t16_fine", "l1_r16t8_fine", "l0"))
}

// wgmmaCandidates returns the forms to try for a problem. gpu/kernels/harness.py has the
// same rule (chosen_wgmma).
func wgmmaCandidates(p Problem, processors int) []int {
	short, narrow := p.K <= shortK, ceilDiv(p.N, 64)*p.groups() < processors/2
	switch {
	case p.M <= 8:
		return wgmmaTokens8[decodeRows(p, processors)]
	case p.M <= 16, p.M <= 32 && !short, p.M <= 64 && !short && narrow:
		return wgmmaTokens16[decodeRows(p, processors)]
	case p.M <= 32:
		return wgmmaTokens32
	}
	return prefillRows(p, processors)
}

// decodeRows chooses tiles of 16, 32 or 64 weight rows (0, 1, 2): the most that leave
// nearly every processor one; 32 where a processor has several, unless these are as
// many as two blocks can share and the tokens few. Of a long K, 64 rows of one group
// are too many for a block.
func decodeRows(p Problem, processors int) int {
	tiles := func(rows int) int { return ceilDiv(p.N, rows) * p.groups() }
	most := 0
	for i, rows := range [...]int{64, 32} {
		if 10*tiles(rows) >= 9*processors {
			most = 2 - i
			break
		}
	}
	switch {
	case most < 2, p.K > shortK && p.groups() > 1, p.K <= shortK && tiles(64) <= processors, p.K <= shortK && p.M <= 8 && tiles(64) > 2*processors:
		return most
	}
	return 1
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
