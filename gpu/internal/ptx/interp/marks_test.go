package interp_test

import (
	"errors"
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// Rows of A that nobody wrote, as at the lower edge of a matrix, go through
// ldmatrix, mma and stmatrix, and matter only where they are stored to global
// memory: cells hold 16 rows of 16 bytes, of which the first 8 are written.
func TestUndefinedRows(t *testing.T) {
	const prologue = `
	.shared .align 16 .b8 rows[512];
	mov.u32 %r0, %laneid;
	mov.u32 %r1, rows;
	mad.lo.u32 %r1, %r0, 16, %r1;
	setp.lt.u32 %p0, %r0, 8;
	@%p0 st.shared.v4.u32 [%r1], {0, 0, 0, 0};
	bar.warp.sync -1;
	mov.u32 %r7, 0;
	ldmatrix.sync.aligned.m8n8.x2$.shared.b16 {%r2, %r3}, [%r1];
`
	const mma = `
	.reg .b32 %c<4>;
	mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%c0, %c1, %c2, %c3}, {%A, %B, %r7, %r7}, {%r7, %r7}, {%r7, %r7, %r7, %r7};
`
	rows := strings.NewReplacer("%A", "%r2", "%B", "%r3").Replace(mma)
	column := strings.NewReplacer("{%A, %B, %r7, %r7}, {%r7, %r7}", "{%r7, %r7, %r7, %r7}, {%r2, %r3}").Replace(mma)
	for _, r := range []struct {
		name, body string
		want       interp.FindingKind
	}{
		{"a defined matrix", strings.Replace(prologue, "$", "", 1) + "st.global.u32 [%d0], %r2;", ""},
		{"an undefined matrix", strings.Replace(prologue, "$", "", 1) + "st.global.u32 [%d0], %r3;", interp.Undefined},
		{"an undefined matrix, transposed", strings.Replace(prologue, "$", ".trans", 1) + "st.global.u32 [%d0], %r3;", interp.Undefined},
		{"defined rows of D", strings.Replace(prologue, "$", "", 1) + rows + "st.global.f32 [%d0], %c0; st.global.f32 [%d0], %c1;", ""},
		{"undefined rows of D", strings.Replace(prologue, "$", "", 1) + rows + "st.global.f32 [%d0], %c2;", interp.Undefined},
		{"undefined columns of B", strings.Replace(prologue, "$", "", 1) + column + "st.global.f32 [%d0], %c0;", interp.Undefined},
		{"stored again", strings.Replace(prologue, "$", "", 1) + `
	stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r3, %r2};
	bar.warp.sync -1;
	mov.u32 %r5, rows;
	ld.shared.u32 %r4, [%r5+128];
	st.global.u32 [%d0], %r4;`, ""},
		{"stored again, undefined", strings.Replace(prologue, "$", "", 1) + `
	stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r1], {%r3, %r2};
	bar.warp.sync -1;
	mov.u32 %r5, rows;
	ld.shared.u32 %r4, [%r5];
	st.global.u32 [%d0], %r4;`, interp.Undefined},
	} {
		_, err := runBody(t, 1, 32, r.body)
		var finding *interp.Finding
		if r.want == "" && err == nil {
			continue
		}
		if !errors.As(err, &finding) || finding.Kind != r.want {
			t.Errorf("%s: %v, want a finding %q", r.name, err, r.want)
		}
	}
}
