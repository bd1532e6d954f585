package opcheck

func warpForms() []Form {
	var f forms
	f.add("int",
		"shfl.sync.<bfly,up,down,idx>.b32 R|P, r, r, r, -1",
		"shfl.sync.<bfly,down,idx>.b32 R|P, r, r, 0x1f, -1", "shfl.sync.up.b32 R|P, r, r, 0, -1",
		"shfl.sync.<bfly,down>.b32 R, r, <1,4,16>, <0x1f,0x181f>, -1",
		"vote.sync.<all,any,uni>.pred P, p, -1", "vote.sync.ballot.b32 R, p, -1", "vote.sync.ballot.b32 R, !p, -1",
		"setp.eq.u32 P, r, r; vote.sync.<all,any,uni>.pred P, P0, -1",
		"setp.lt.u32 %q, %lane, 7; @%q vote.sync.ballot.b32 R, p, 0x7F",
		"setp.ne.u32 %q, %lane, 5; @%q vote.sync.<all,any,uni>.pred P, p, 0xFFFFFFDF",
		"redux.sync.<add,min,max>.<u32,s32> R, r, -1", "redux.sync.<and,or,xor>.b32 R, r, -1",
		"setp.lt.u32 %q, %lane, 11; @%q redux.sync.<add,max>.s32 R, r, 0x7FF",
		"activemask.b32 R", "elect.sync R|P, -1", "setp.gt.u32 %q, %lane, 6; @%q elect.sync R|P, 0xFFFFFF80",
	)
	f.add("few", "match.any.sync.b32 R, r, -1", "match.any.sync.b64 R, d, -1", "match.all.sync.b32 R|P, r, -1",
		"and.b32 R, r, 0; match.all.sync.b32 R|P, R0, -1", "setp.lt.u32 %q, %lane, 9; @%q match.any.sync.b32 R, r, 0x1FF")
	return f
}
