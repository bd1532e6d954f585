package opcheck

func convertForms() []Form {
	var f forms
	// Between integers: results in registers of their size and in larger ones.
	// Where nothing can be out of range there is no .sat.
	f.add("int",
		"cvt.<u8,s8>.<u16,s16> H, h", "cvt.<u8,s8,u16,s16>.<u32,s32> R, r", "cvt.<u16,s16>.<u32,s32> H, r",
		"cvt.<u8,s8,u16,s16,u32,s32>.<u64,s64> D, d", "cvt.<u32,s32>.<u64,s64> R, d",
		"cvt.<u64,s64>.<u32,s32> D, r", "cvt.<u32,s32>.<u32,s32> R, r", "cvt.<u64,s64>.<u64,s64> D, d",
		"cvt.<u32,s32>.<u8,s8,u16,s16> R, r", "cvt.<u32,s32>.<u16,s16> R, h", "cvt.<u64,s64>.<u16,s16> D, h", "cvt.<u16,s16>.<u8,s8> H, h",
		"cvt.sat.<u8,s8>.<u16,s16> H, h", "cvt.sat.<u8,s8,u16,s16>.<u32,s32> R, r", "cvt.sat.<u16,s16>.<u32,s32> H, r",
		"cvt.sat.<u8,s8,u16,s16,u32,s32>.<u64,s64> D, d", "cvt.sat.<u32,s32>.<u64,s64> R, d",
		"cvt.sat.u64.s32 D, r", "cvt.sat.u32.s32 R, r", "cvt.sat.s32.u32 R, r", "cvt.sat.u64.s64 D, d", "cvt.sat.s64.u64 D, d", "cvt.sat.u32.s16 R, h",
	)
	f.add("int",
		"cvt.<rn,rz,rm,rp>.f32.<u32,s32> R, r", "cvt.<rn,rz,rm,rp>.f32.<u64,s64> R, d", "cvt.rn.f32.<u16,s16> R, h", "cvt.rn.f32.<u8,s8> R, r",
		"cvt.rn.sat.f32.<s32,u32> R, r", "cvt.<rn,rz,rm,rp>.f16.<u32,s32> H, r", "cvt.<rn,rz,rm,rp>.f16.<u64,s64> H, d", "cvt.rn.f16.<u16,s16,u8,s8> H, h",
		"cvt.<rn,rz,rm,rp>.bf16.<u32,s32> H, r", "cvt.<rn,rz>.bf16.<u64,s64> H, d", "cvt.rn.bf16.<u16,s16> H, h",
	)
	f.add("f32",
		"cvt.<rni,rzi,rmi,rpi><,.ftz>.<u32,s32>.f32 R, r", "cvt.<rni,rzi,rmi,rpi>.<u64,s64>.f32 D, r", "cvt.<rni,rzi>.<u16,s16>.f32 H, r",
		"cvt.<rni,rzi>.<u8,s8>.f32 R, r", "cvt.rzi.sat.<u8,s32>.f32 R, r", "cvt.rzi.ftz.<u64,s64>.f32 D, r",
		"cvt.<rni,rzi,rmi,rpi><,.ftz><,.sat>.f32.f32 R, r", "cvt<.ftz,.sat,.ftz.sat>.f32.f32 R, r",
		"cvt.<rn,rz,rm,rp>.f16.f32 H, r", "cvt.rn<.ftz,.sat,.ftz.sat>.f16.f32 H, r", "cvt.<rn,rz>.relu.f16.f32 H, r", "cvt.<rn,rz,rm,rp>.bf16.f32 H, r", "cvt.<rn,rz>.relu.bf16.f32 H, r",
	)
	f.add("f16",
		"cvt<,.ftz,.sat,.ftz.sat>.f32.f16 R, h", "cvt.<rni,rzi,rmi,rpi>.<u32,s32>.f16 R, h", "cvt.<rni,rzi>.<u64,s64>.f16 D, h", "cvt.<rni,rzi>.<u16,s16>.f16 H, h", "cvt.rzi.<u8,s8>.f16 R, h",
		"cvt.<rni,rzi,rmi,rpi>.f16.f16 H, h", "cvt.rni.sat.f16.f16 H, h", "cvt.rn.bf16.f16 H, h",
	)
	f.add("bf16",
		"cvt.f32.bf16 R, h", "cvt.<rni,rzi,rmi,rpi>.<u32,s32>.bf16 R, h", "cvt.<rni,rzi>.<u64,s64>.bf16 D, h", "cvt.rzi.<u16,s16>.bf16 H, h",
		"cvt.<rni,rzi,rmi,rpi>.bf16.bf16 H, h", "cvt.rn.f16.bf16 H, h",
	)
	return f
}

func packedForms() []Form {
	var f forms
	f.add("f32",
		"cvt.<rn,rz><,.relu>.<f16x2,bf16x2>.f32 R, r, r", "cvt.rn.satfinite<,.relu>.<e4m3x2,e5m2x2>.f32 H, r, r",
	)
	f.add("f16", "cvt.rn.satfinite<,.relu>.<e4m3x2,e5m2x2>.f16x2 H, r")
	f.add("code", "cvt.rn<,.relu>.f16x2.<e4m3x2,e5m2x2> R, h")
	return f
}
