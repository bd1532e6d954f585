package opcheck

import "strings"

func matrixForms() []Form {
	var f forms
	const store = "st.shared.v4.b32 [%cell], {r, r, r, r}; bar.warp.sync -1; "
	const load = "; bar.warp.sync -1; ld.shared.v4.b32 {R, R, R, R}, [%cell]"
	f.add("int",
		store+"ldmatrix.sync.aligned.m8n8.x1<,.trans>.shared.b16 {R}, [%cell]",
		store+"ldmatrix.sync.aligned.m8n8.x2<,.trans>.shared.b16 {R, R}, [%cell]",
		store+"ldmatrix.sync.aligned.m8n8.x4<,.trans>.shared.b16 {R, R, R, R}, [%cell]",
		store+"stmatrix.sync.aligned.m8n8.x1<,.trans>.shared.b16 [%cell], {r}"+load,
		store+"stmatrix.sync.aligned.m8n8.x2<,.trans>.shared.b16 [%cell], {r, r}"+load,
		store+"stmatrix.sync.aligned.m8n8.x4<,.trans>.shared.b16 [%cell], {r, r, r, r}"+load,
	)
	const halves = "mma.sync.aligned.m16n8k16.row.col.f32.%.%.f32 {R, R, R, R}, {r, r, r, r}, {r, r}, {r, r, r, r}"
	const codes = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {R, R, R, R}, {r, r, r, r}, {r, r}, {r, r, r, r}"
	for _, draw := range []string{"tame16", "f16"} {
		f.add(draw+" "+draw+" "+draw+" "+draw+" "+draw+" "+draw+" near32", strings.ReplaceAll(halves, "%", "f16"))
	}
	for _, draw := range []string{"tamebf", "bf16"} {
		f.add(draw+" "+draw+" "+draw+" "+draw+" "+draw+" "+draw+" f32", strings.ReplaceAll(halves, "%", "bf16"))
	}
	f.add("code code code code code code near32", codes)
	return f
}
