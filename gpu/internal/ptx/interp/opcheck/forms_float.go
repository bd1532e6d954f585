package opcheck

func floatForms() []Form {
	var f forms
	f.add("f32",
		"<add,sub,mul>.<rn,rz,rm,rp>.f32 R, r, r", "<add,sub,mul>.<rn,rz,rm,rp>.ftz.f32 R, r, r", "<add,sub,mul>.<rn,rm,ftz>.sat.f32 R, r, r", "<add,sub,mul>.f32 R, r, r",
		"fma.<rn,rz,rm,rp><,.ftz><,.sat>.f32 R, r, r, r", "mad.<rn,rz>.f32 R, r, r, r",
		"div.<rn,rz,rm,rp><,.ftz>.f32 R, r, r", "<rcp,sqrt>.<rn,rz,rm,rp><,.ftz>.f32 R, r",
		"<abs,neg><,.ftz>.f32 R, r",
		"<min,max><,.ftz><,.NaN>.f32 R, r, r", "<min,max><,.ftz><,.NaN>.xorsign.abs.f32 R, r, r",
		"copysign.f32 R, r, r", "testp.<finite,infinite,number,notanumber,normal,subnormal>.f32 P, r",
	)
	return f
}

func halfForms() []Form {
	var f forms
	f.add("f16",
		"<add,sub,mul><,.rn><,.ftz><,.sat>.f16 H, h, h", "<add,sub,mul><,.rn><,.ftz><,.sat>.f16x2 R, r, r",
		"fma.rn<,.ftz><,.sat,.relu>.f16 H, h, h, h", "fma.rn<,.ftz><,.sat,.relu>.f16x2 R, r, r, r",
		"<abs,neg><,.ftz>.f16 H, h", "<abs,neg><,.ftz>.f16x2 R, r",
		"<min,max><,.ftz><,.NaN><,.xorsign.abs>.f16 H, h, h", "<min,max><,.ftz><,.NaN><,.xorsign.abs>.f16x2 R, r, r",
	)
	f.add("bf16",
		"<add,sub,mul><,.rn>.bf16 H, h, h", "<add,sub,mul><,.rn>.bf16x2 R, r, r",
		"fma.rn<,.relu>.bf16 H, h, h, h", "fma.rn<,.relu>.bf16x2 R, r, r, r",
		"<abs,neg>.bf16 H, h", "<abs,neg>.bf16x2 R, r",
		"<min,max><,.NaN><,.xorsign.abs>.bf16 H, h, h", "<min,max><,.NaN><,.xorsign.abs>.bf16x2 R, r, r",
	)
	return f
}
