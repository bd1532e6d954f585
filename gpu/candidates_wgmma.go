package gpu

// The orders in which forms of f32scale wgmma are tried. The decode forms' tiles have
// 16, 32 or 64 weight rows.
var (
	wgmmaTokens8 = [...][]int{
		wgmmaLadder("l1_r16t8"), wgmmaLadder("l1_r32t8", "l1_r16t8"), wgmmaLadder("l1_r64t8", "l1_r16t8"),
	}
	wgmmaTokens16 = [...][]int{
		wgmmaLadder("l1_r16t16"), wgmmaLadder("l1_r32t16", "l1_r16t16"), wgmmaLadder("l1_r64t16", "l1_r16t16"),
	}
	wgmmaTokens32 = wgmmaLadder("l1_r64t32")
	wgmmaTokens64 = wgmmaLadder("l1_r64t64", "l1_r64t32")
	wgmmaMany     = wgmmaLadder("l2_c128", "l1_r64t64", "l1_r64t32")
	wgmmaMost     = wgmmaLadder("l2_c256", "l1_r64t64", "l1_r64t32")
)

// wgmmaLadder returns forms, best first, and after them those that take what these
// leave: a long K, and then rows at any address and any block size.
func wgmmaLadder(names ...string) []int {
	return ladder(f32scaleWGMMA, append(names, "l2_c64", "l0"))
}

// wgmmaCandidates returns the forms to try for m tokens and that many weight rows in
// all groups.
func wgmmaCandidates(m, rows, processors int) []int {
	switch {
	case m <= 8:
		return wgmmaTokens8[decodeRows(rows, processors)]
	case m <= 16:
		return wgmmaTokens16[decodeRows(rows, processors)]
	case m <= 32:
		return wgmmaTokens32
	case m <= 64:
		return wgmmaTokens64
	case ceilDiv(m, 128)*ceilDiv(rows, 256) < processors:
		return wgmmaMany
	}
	return wgmmaMost
}

// decodeRows chooses tiles of 16, 32 or 64 weight rows: the most that leave nearly every
// processor one.
func decodeRows(rows, processors int) int {
	for i, tile := range [...]int{64, 32} {
		if 10*ceilDiv(rows, tile) >= 9*processors {
			return 2 - i
		}
	}
	return 0
}
