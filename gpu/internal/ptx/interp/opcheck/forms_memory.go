package opcheck

func memoryForms() []Form {
	var f forms
	f.add("int",
		"st.shared.b64 [%cell], d; ld.shared.<u8,s8> H, [%cell+3]", "st.shared.b64 [%cell], d; ld.shared.<u8,s8,u16,s16,u32,b32> R, [%cell+4]",
		"st.shared.b64 [%cell], d; ld.shared.<u8,s8,u16,s16,u32,s32> D, [%cell+4]",
		"st.shared.v2.u32 [%cell], {r, r}; ld.shared.v4.u16 {H, H, H, H}, [%cell]", "st.shared.v4.b32 [%cell], {r, r, r, r}; ld.shared.v2.b64 {D, D}, [%cell]",
		"st.shared.b32 [%cell], 0; st.shared.u8 [%cell+1], r; ld.shared.b32 R, [%cell]", "st.shared.b32 [%cell], 0; st.shared.u16 [%cell+2], r; ld.shared.b32 R, [%cell]",
		"st.shared.v2.s8 [%cell], {h, h}; ld.shared.v2.s8 {R, R}, [%cell]",
	)
	// Each thread has its own cell, so that the order does not matter.
	const after = "; ld.shared.b32 R, [%cell]"
	f.add("int",
		"st.shared.b32 [%cell], r; atom.shared.<add,min,max>.<u32,s32> R, [%cell], r"+after,
		"st.shared.b32 [%cell], r; atom.shared.<and,or,xor,exch>.b32 R, [%cell], r"+after,
		"st.shared.b32 [%cell], r; atom.shared.<inc,dec>.u32 R, [%cell], r"+after,
		"st.shared.b32 [%cell], r; atom.shared.cas.b32 R, [%cell], r, r"+after,
		"st.shared.b32 [%cell], r; red.shared.<add.u32,max.s32,xor.b32> [%cell], r"+after,
		"st.shared.b64 [%cell], d; atom.shared.<add.u64,min.u64,max.s64,exch.b64,and.b64> D, [%cell], d; ld.shared.b64 D, [%cell]",
		"st.shared.b64 [%cell], d; atom.shared.cas.b64 D, [%cell], d, d; ld.shared.b64 D, [%cell]",
	)
	// The results' own memory serves as global memory.
	const global = "; ld.volatile.global.b32 R, [%to]"
	f.add("int",
		"st.global.b32 [%to], r; atom.global.<add,min,max>.<u32,s32> R, [%to], r"+global,
		"st.global.b32 [%to], r; atom.relaxed.gpu.global.<inc,dec>.u32 R, [%to], r"+global,
		"st.global.b32 [%to], r; atom.acq_rel.sys.global.cas.b32 R, [%to], r, r"+global,
		"st.global.b32 [%to], r; red.global.<add.u32,or.b32> [%to], r"+global,
	)
	f.add("f32",
		"st.shared.b32 [%cell], r; atom.shared.add.f32 R, [%cell], r"+after,
		"st.global.b32 [%to], r; atom.global.add.f32 R, [%to], r"+global,
		"st.global.b32 [%to], r; red.global.add.f32 [%to], r"+global,
	)
	// The source is the thread's first input, and those behind it.
	const done = "; cp.async.wait_all; ld.shared.v2.b64 {D, D}, [%cell]"
	const clear = "st.shared.v2.b64 [%cell], {-1, -1}; bar.warp.sync -1; mov.u64 D, d; "
	f.add("int",
		clear+"cp.async.ca.shared.global [%cell], [%from], <4,8>"+done,
		clear+"and.b64 %from, %from, -16; cp.async.<ca,cg>.shared.global [%cell], [%from], 16"+done,
		clear+"and.b32 %word, r, 7; cp.async.ca.shared.global [%cell], [%from], 8, %word"+done,
		clear+"and.b32 %word, r, 3; cp.async.ca.shared.global [%cell], [%from], 4, %word"+done,
		clear+"setp.lt.s32 %q, r, 0; cp.async.ca.shared.global [%cell], [%from], 8, %q"+done,
		"cvt.u64.u32 %wide, %cell; cvta.shared.u64 %wide, %wide; isspacep.<shared,global,local> P, %wide",
		"isspacep.<shared,global,local> P, %to",
		"cvt.u64.u32 %wide, %cell; cvta.shared.u64 %wide, %wide; st.b32 [%wide], r; cvta.to.shared.u64 %wide, %wide; ld.shared.b32 R, [%wide]",
	)
	return f
}
