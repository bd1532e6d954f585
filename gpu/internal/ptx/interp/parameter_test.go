package interp_test

import (
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// A kernel that copies 64-bit words of its parameters, which lie at 0, 8 and, because
// of its alignment, 64.
const parameterKernel = `.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pout, .param .u32 small, .param .align 64 .b8 table[32])
{
	.reg .b64 %d<8>;
	ld.param.u64 %d0, [pout];
`

func TestParametersInMemory(t *testing.T) {
	for _, r := range []struct {
		name, body string
		want       uint32
	}{
		{"by name", "ld.param.u64 %d1, [table+24];", 11},
		{"by address in their space", "mov.b64 %d2, table;\nld.param.u64 %d1, [%d2+8];", 9},
		{"by generic address", "mov.b64 %d2, table;\ncvta.param.u64 %d2, %d2;\nld.u64 %d1, [%d2];", 8},
		{"and back", "mov.b64 %d2, table;\ncvta.param.u64 %d2, %d2;\ncvta.to.param.u64 %d2, %d2;\nld.param.u64 %d1, [%d2+16];", 10},
		{"another one", "ld.param.u64 %d1, [small];", 1},
	} {
		k := compileText(t, parameterKernel+r.body+"\nst.global.u64 [%d0], %d1;\nret;\n}\n", interp.Options{Check: true})
		if k.ParamWords() != 12 {
			t.Fatalf("%d words of parameters, want 12", k.ParamWords())
		}
		space, at := buffers(t)
		params := []uint64{at[1], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
		if _, err := k.Run(space, interp.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: params}); err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		got := make([]byte, 8)
		if err := space.Read(got, at[1]); err != nil || uint32(got[0]) != r.want {
			t.Errorf("%s: %v, %v; want %d", r.name, got, err, r.want)
		}
	}
}

func TestParameterFaults(t *testing.T) {
	const generic = "mov.b64 %d0, pgone;\ncvta.param.u64 %d0, %d0;\n"
	checkFaults(t, []fault{
		{
			name: "behind", kind: interp.OutOfBounds, says: "read of 8 bytes at 24 of 24 bytes of parameters",
			trial: trial{body: generic + `ld.u64 %d1, [%d0+8]; // fault`}, fixed: []string{"+8", ""},
		},
		{
			name: "misaligned", kind: interp.Misaligned, says: "read of 8 bytes at 0x14 of parameter memory",
			trial: trial{body: generic + `ld.u64 %d1, [%d0+4]; // fault`}, fixed: []string{"+4", "-8"},
		},
		{
			name: "write", kind: interp.OutOfBounds, says: "parameters, which are read-only",
			trial: trial{body: generic + `st.u64 [%d0], 1; // fault`}, fixed: []string{"st.u64 [%d0], 1;", "ld.u64 %d1, [%d0];"},
		},
	})
}
