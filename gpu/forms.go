package gpu

// forms is the ladder of each family, lowest level first.
var forms = [...]form{
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l0", level: 0, kind: plainTokensFirst},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l1", level: 1, kind: plainWeightsFirst},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r1t1", 2, ringForm, 1, 1, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r1t2", 2, ringForm, 1, 2, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r2t1", 2, ringForm, 2, 1, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r2t2", 2, ringForm, 2, 2, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r1t1_fine", 2, ringForm, 1, 1, 4, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l2_r1t2_fine", 2, ringForm, 1, 2, 4, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t1", 3, splitForm, 1, 1, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t2", 3, splitForm, 1, 2, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t1_s4", 3, splitForm, 1, 1, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t2_s4", 3, splitForm, 1, 2, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t1_fine", 3, splitForm, 1, 1, 2, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l3_t2_fine", 3, splitForm, 1, 2, 2, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r2t1", 4, splitForm, 2, 1, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r2t2", 4, splitForm, 2, 2, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r2t4", 4, splitForm, 2, 4, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r4t1", 4, splitForm, 4, 1, 2, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r2t1_fine", 4, splitForm, 2, 1, 2, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l4_r2t2_fine", 4, splitForm, 2, 2, 2, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t1", 5, residentForm, 1, 1, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t2", 5, residentForm, 1, 2, 4, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t1_s8", 5, residentForm, 1, 1, 8, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t2_s8", 5, residentForm, 1, 2, 8, false},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t1_fine", 5, residentForm, 1, 1, 4, true},
	{f32scaleMMA, "w8a8_f32scale_mma_l5_r1t2_fine", 5, residentForm, 1, 2, 4, true},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l6", level: 6, kind: prefillForm, stages: 3},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l6_fine", level: 6, kind: prefillForm, stages: 3, fine: true},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l7_r1t1", level: 7, kind: oneShotForm, rows: 1, tokens: 1},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l7_r1t2", level: 7, kind: oneShotForm, rows: 1, tokens: 2},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l7_r2t1", level: 7, kind: oneShotForm, rows: 2, tokens: 1},
	{family: f32scaleMMA, name: "w8a8_f32scale_mma_l7_r2t2", level: 7, kind: oneShotForm, rows: 2, tokens: 2},
	{family: ue8m0MX, name: "w8a8_ue8m0_mx_l0", level: 0, kind: plainTokensFirst},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r1t1", 1, warpForm, 1, 1, 8, false},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r1t2", 1, warpForm, 1, 2, 8, false},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r2t1", 1, warpForm, 2, 1, 8, false},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r2t2", 1, warpForm, 2, 2, 8, false},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r1t1_fine", 1, warpForm, 1, 1, 8, true},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r1t2_fine", 1, warpForm, 1, 2, 8, true},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r2t1_fine", 1, warpForm, 2, 1, 8, true},
	{ue8m0MX, "w8a8_ue8m0_mx_l1_r2t2_fine", 1, warpForm, 2, 2, 8, true},
	{family: ue8m0MX, name: "w8a8_ue8m0_mx_l2", level: 2, kind: prefillForm, stages: 3},
	{family: ue8m0MX, name: "w8a8_ue8m0_mx_l2_fine", level: 2, kind: prefillForm, stages: 3, fine: true},
	{family: f32scaleWGMMA, name: "w8a8_f32scale_wgmma_l0", level: 0, kind: plainWarpgroup, rows: 4, tokens: 2},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l1_r16t8", 1, decodeForm, 1, 1, 0, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l1_r16t16", 1, decodeForm, 1, 2, 0, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l1_r32t8", 1, decodeForm, 2, 1, 0, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l1_r32t16", 1, decodeForm, 2, 2, 0, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l1_r16t8_fine", 1, decodeForm, 1, 1, 0, true},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l1_r32t8_fine", 1, decodeForm, 2, 1, 0, true},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l1_r32t16_fine", 1, decodeForm, 2, 2, 0, true},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l2_c64", 2, persistentForm, 4, 16, 8, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l2_c128", 2, persistentForm, 8, 16, 6, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l2_c256", 2, persistentForm, 16, 16, 4, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l3_r64t8", 3, warpgroupForm, 4, 1, 0, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l3_r64t16", 3, warpgroupForm, 4, 2, 0, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l3_r64t32", 3, warpgroupForm, 4, 4, 0, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l3_r64t64", 3, warpgroupForm, 4, 8, 0, false},
	{f32scaleWGMMA, "w8a8_f32scale_wgmma_l3_r32t32", 3, warpgroupForm, 2, 4, 0, false},
}

// formNamed returns the index of a form, or -1.
func formNamed(name string) int {
	for i := range forms {
		if forms[i].name == name {
			return i
		}
	}
	return -1
}
