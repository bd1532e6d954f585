package opcheck

func integerForms() []Form {
	var f forms
	f.add("int",
		"<add,sub>.<u16,s16> H, h, h", "<add,sub>.<u32,s32,sat.s32> R, r, r", "<add,sub>.<u64,s64> D, d, d",
		"<add>.<u16x2,s16x2> R, r, r",
		"mul.<lo,hi>.<u16,s16> H, h, h", "mul.<lo,hi>.<u32,s32> R, r, r", "mul.<lo,hi>.<u64,s64> D, d, d",
		"mul.wide.<u16,s16> R, h, h", "mul.wide.<u32,s32> D, r, r",
		"mad.<lo,hi>.<u16,s16> H, h, h, h", "mad.<lo,hi>.<u32,s32> R, r, r, r", "mad.<lo,hi>.<u64,s64> D, d, d, d",
		"mad.wide.<u16,s16> R, h, h, r", "mad.wide.<u32,s32> D, r, r, d",
		"mul24.<lo,hi>.<u32,s32> R, r, r", "mad24.<lo,hi>.<u32,s32> R, r, r, r",
		"sad.<u16,s16> H, h, h, h", "sad.<u32,s32> R, r, r, r", "sad.<u64,s64> D, d, d, d",
		"<div,rem>.<u16,s16> H, h, h", "<div,rem>.<u32,s32> R, r, r", "<div,rem>.<u64,s64> D, d, d",
		"<abs,neg>.s16 H, h", "<abs,neg>.s32 R, r", "<abs,neg>.s64 D, d",
		"<min,max>.<u16,s16> H, h, h", "<min,max>.<u32,s32,relu.s32,u16x2,s16x2,relu.s16x2> R, r, r", "<min,max>.<u64,s64> D, d, d",
		"popc.b32 R, r", "popc.b64 R, d", "clz.b32 R, r", "clz.b64 R, d", "brev.b32 R, r", "brev.b64 D, d",
		"bfind<,.shiftamt>.<u32,s32> R, r", "bfind<,.shiftamt>.<u64,s64> R, d",
		"dp4a.<u32,s32>.<u32,s32> R, r, r, r",
	)
	return f
}

func carryForms() []Form {
	var f forms
	f.add("int",
		"add.cc.u32 R, r, r; addc.cc.u32 R, r, r; addc.u32 R, 0, 0",
		"sub.cc.u32 R, r, r; subc.cc.u32 R, r, r; subc.u32 R, 0, 0",
		"add.cc.u64 D, d, d; addc.u64 D, d, d",
		"sub.cc.s64 D, d, d; subc.s64 D, d, d",
		"mad.lo.cc.u32 R, r, r, r; madc.hi.cc.u32 R, r0, r1, r; addc.u32 R, 0, 0",
		"mad.<lo,hi>.cc.s32 R, r, r, r; madc.lo.s32 R, r, r, r",
		"mad.lo.cc.u64 D, d, d, d; madc.hi.u64 D, d0, d1, d",
	)
	return f
}

func logicForms() []Form {
	var f forms
	f.add("int",
		"<and,or,xor>.b16 H, h, h", "<and,or,xor>.b32 R, r, r", "<and,or,xor>.b64 D, d, d", "<and,or,xor>.pred P, p, p", "<and,or>.pred P, !p, p",
		"<not,cnot>.b16 H, h", "<not,cnot>.b32 R, r", "<not,cnot>.b64 D, d", "not.pred P, p", "mov.pred P, p", "mov.pred P, !p",
		"lop3.b32 R, r, r, r, <0x00,0x01,0x02,0x04,0x08,0x10,0x20,0x40,0x80,0x96,0xE8,0xCA,0xFE,0x1B,0xFF>",
		"lop3.<or,and>.b32 R|P, r, r, r, <0x80,0xE8>, p",
		"prmt.b32<,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16> R, r, r, r",
		"prmt.b32 R, r, r, <0x3210,0x7531,0xFB73,0x5410>",
		"selp.b16 H, h, h, p", "selp.<b32,s32,f32> R, r, r, p", "selp.b64 D, d, d, !p",
		"slct.u16.s32 H, h, h, r", "slct.s32.s32 R, r, r, r", "slct.b64.s32 D, d, d, r",
		"mov.b32 {H, H}, r", "mov.b64 {R, R}, d", "mov.b64 {H, H, H, H}, d", "mov.b32 R, {h, h}", "mov.b64 D, {r, r}", "mov.b64 D, {h, h, h, h}",
		"mov.b16 H, h", "mov.u32 R, r", "mov.f32 R, r", "mov.u64 D, d",
	)
	f.add("int int f32", "slct<,.ftz>.s32.f32 R, r, r, r")
	return f
}

func shiftForms() []Form {
	var f forms
	f.add("int",
		"shl.b16 H, h, r", "shl.b32 R, r, r", "shl.b64 D, d, r",
		"shr.<b16,u16,s16> H, h, r", "shr.<b32,u32,s32> R, r, r", "shr.<b64,u64,s64> D, d, r",
		"shf.<l,r>.<wrap,clamp>.b32 R, r, r, r",
		"bfe.<u32,s32> R, r, r, r", "bfe.<u64,s64> D, d, r, r",
		"bfi.b32 R, r, r, r, r", "bfi.b64 D, d, d, r, r",
	)
	return f
}

func compareForms() []Form {
	var f forms
	f.add("int",
		"setp.<eq,ne>.b16 P|P, h, h", "setp.<eq,ne>.b32 P|P, r, r", "setp.<eq,ne>.b64 P, d, d",
		"setp.<eq,ne,lt,le,gt,ge>.s16 P, h, h", "setp.<eq,ne,lt,le,gt,ge>.s32 P, r, r", "setp.<lt,le,gt,ge>.s64 P, d, d",
		"setp.<eq,lo,ls,hi,hs>.u16 P, h, h", "setp.<lt,le,gt,ge,lo,ls,hi,hs>.u32 P, r, r", "setp.<lo,ls,hi,hs>.u64 P, d, d",
		"setp.<lt,ge>.<and,or,xor>.s32 P|P, r, r, p", "setp.lt.<and,or,xor>.u32 P|P, r, r, !p",
		"setp.lt.s32 %q, r, r; @%q add.s32 R, r0, r1; @!%q mov.b32 R0, 7", "mov.b32 R, 1; @!p mul.lo.s32 R0, r, r",
		"set.<eq,lt>.<u32,s32,f32>.s32 R, r, r", "set.ge.and.u32.u64 R, d, d, p",
	)
	f.add("f32",
		"setp.<eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan>.f32 P|P, r, r", "setp.<eq,lt,geu>.ftz.f32 P|P, r, r",
		"setp.gt.<and,or,xor>.f32 P|P, r, r, p",
		"set.<le,neu>.<u32,f32>.f32 R, r, r", "set.lt.ftz.u32.f32 R, r, r", "set.lt.xor.u32.f32 R, r, r, p",
	)
	f.add("f16",
		"setp.<eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan>.f16 P, h, h", "setp.<eq,lt>.ftz.f16 P, h, h",
		"setp.<lt,geu>.f16x2 P|P, r, r", "setp.eq.and.f16x2 P|P, r, r, p",
		"set.<lt,equ>.f16.f16 H, h, h", "set.le.u32.f16 R, h, h", "set.<gt,nan>.f16x2.f16x2 R, r, r", "set.ge.u32.f16x2 R, r, r",
	)
	f.add("bf16",
		"setp.<eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan>.bf16 P, h, h", "setp.<lt,geu>.bf16x2 P|P, r, r",
		"set.<lt,equ>.bf16.bf16 H, h, h", "set.<gt,nan>.bf16x2.bf16x2 R, r, r", "set.ge.u32.bf16x2 R, r, r",
	)
	return f
}
