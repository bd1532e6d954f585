package interp_test

import (
	"errors"
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx"
	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/gpu/internal/ptx/interp/opcheck"
	"blockfp8/ref"
)

// statementLine is the line of the statement in the module of compileStatement.
const statementLine = 11

// compileStatement compiles one statement among registers of every type.
func compileStatement(t *testing.T, chip interp.Chip, statement string) error {
	t.Helper()
	m, err := ptx.Parse("test.ptx", `.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %p<4>;
	.reg .b16 %h<8>;
	.reg .b32 %r<20>;
	.reg .b64 %d<8>;
	.shared .b32 cell[4];
	`+statement+`
	ret;
}
`)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	_, err = interp.Compile(m, chip, interp.Options{})
	return err
}

// What is not known, or cannot be done bit for bit, is an error when the module is
// loaded, with the line and the reason.
func TestErrorsAtLoad(t *testing.T) {
	const mma = "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r0,%r1,%r2,%r3}, "
	const wgmmaSmall, bulkTensor = "wgmma.mma_async.sync.aligned.m64n8k32.f32.", "cp.async.bulk.tensor."
	for _, r := range []struct {
		chip            interp.Chip
		statement, want string
	}{
		{sm90, "tcgen05.fence::before_thread_sync;", "opcode tcgen05 is not known"},
		{sm90, "add.fancy.u32 %r0, %r1, %r2;", "modifier .fancy is not supported here"},
		{sm90, "add.u32.fancy %r0, %r1, %r2;", "modifier .fancy is not supported"},
		{sm90, "add.u32 %r0, %r1;", "operand missing"},
		{sm90, "add.u32 %r0, %r1, %r2, %r3;", "4 operands, 3 are expected"},
		{sm90, "add.u32 %d0, %r1, %r2;", "register %d0 has 64 bits, 32 are expected"},
		{sm90, "add.u64 %d0, %d1, %r2;", "register %r2 has 32 bits, 64 are expected"},
		{sm90, "add.u32 %p0, %r1, %r2;", "%p0 is no register for values"},
		{sm90, "add.u32 %r0, %r1, %p1;", "%p1 is no register for values"},
		{sm90, "add.u32 %r0, %r1, !%r2;", "a value cannot be negated"},
		{sm90, "add.u32 5, %r1, %r2;", "a register is expected as destination"},
		{sm90, "add.u32 %r0|%p0, %r1, %r2;", "a pair of destinations"},
		{sm90, "add.u32 %r0, %r1, 0f3F800000;", "does not fit type u32"},
		{sm90, "add.sat.u32 %r0, %r1, %r2;", "modifier .sat needs type s32"},
		{sm90, "sub.u16x2 %r0, %r1, %r2;", "no subtraction of pairs"},
		{sm90, "add.f64 %d0, %d1, %d2;", "modifier .f64 is not supported here"},
		{sm90, "add.rz.f16 %h0, %h1, %h2;", "rounds to nearest"},
		{sm90, "add.ftz.bf16 %h0, %h1, %h2;", "do not go with bf16"},
		{sm90, "add.rn.f32x2 %d0, %d1, %d2;", "sm_90 does not have this instruction; sm_100 and later"},
		{sm89, "add.bf16 %h0, %h1, %h2;", "sm_89 does not have this instruction; sm_90 and later"},
		{sm90, "fma.f32 %r0, %r1, %r2, %r3;", "a rounding is missing"},
		{sm90, "fma.rn.relu.f32 %r0, %r1, %r2, %r3;", "modifier .relu does not go"},
		{sm90, "fma.rn.oob.f16 %h0, %h1, %h2, %h3;", "modifier .oob is not supported"},
		{sm90, "div.full.f32 %r0, %r1, %r2;", "not exact"},
		{sm90, "div.approx.ftz.f32 %r0, %r1, %r2;", "not exact"},
		{sm90, "rcp.approx.ftz.f32 %r0, %r1;", "an approximation is not supported"},
		{sm90, "sqrt.approx.f32 %r0, %r1;", "an approximation is not supported"},
		{sm90, "ex2.approx.f32 %r0, %r1;", "opcode ex2 is not known"},
		{sm90, "mul.wide.u64 %d0, %d1, %d2;", "modifier .wide needs 16 or 32 bits"},
		{sm90, "mul.u32 %r0, %r1, %r2;", "modifier .u32 is not supported here, only .lo"},
		{sm90, "mad24.hi.sat.s32 %r0, %r1, %r2, %r3;", "type .sat is not supported here"},
		{sm90, "min.f32 %r0, %r1, %r2, %r3;", "4 operands, 3 are expected"},
		{sm90, "max.relu.u32 %r0, %r1, %r2;", "modifier .relu needs type s32"},

		{sm90, "setp.lt.b32 %p0, %r1, %r2;", "comparison .lt does not go with b32"},
		{sm90, "setp.lo.s32 %p0, %r1, %r2;", "comparison .lo does not go with s32"},
		{sm90, "setp.equ.u32 %p0, %r1, %r2;", "comparison .equ does not go with u32"},
		{sm90, "setp.lt.ftz.s32 %p0, %r1, %r2;", "modifier .ftz does not go with s32"},
		{sm90, "setp.lt.f16 %p0|%p1, %h1, %h2;", "f16 has no second result"},
		{sm90, "setp.lt.s32 %r0, %r1, %r2;", "%r0 is no predicate"},
		{sm90, "setp.lt.s32 %p0, %r1, %r2, %p1;", "4 operands, 3 are expected"},
		{sm90, "setp.lt.nand.s32 %p0, %r1, %r2, %p1;", "modifier .nand is not supported here"},
		{sm90, "lop3.b32 %r0, %r1, %r2, %r3, 0x100;", "a truth table of 0x100"},
		{sm90, "lop3.b32 %r0, %r1, %r2, %r3, %r4;", "operand 4 has to be a constant"},
		{sm90, "prmt.b32.xyz %r0, %r1, %r2, %r3;", "modifier .xyz is not supported"},
		{sm90, "shf.l.b32 %r0, %r1, %r2, %r3;", "modifier .b32 is not supported here, only .wrap, .clamp"},
		{sm90, "mov.b32 {%h0,%h1,%h2}, %r0;", "3 parts of b32"},
		{sm90, "mov.b64 {%h0,%h1}, %d0;", "register %h0 has 16 bits, 32 are expected"},
		{sm90, "mov.u32 %r0, %clock;", "special register %clock is not supported"},

		{sm90, "mov.f16 %h0, %h1;", "type f16 is not moved"},
		{sm90, "selp.f16 %h0, %h1, %h2, %p0;", "type f16 is not moved"},
		{sm90, "selp.b32 %r0, %r1, %r2, %r3;", "%r3 is no predicate"},
		{sm90, "selp.b32 %r0, %r1, %r2, 0.5;", "operand 3 has to be a predicate"},
		{sm90, "and.pred %p0|%p1, %p2, %p3;", "a second predicate where one is expected"},
		{sm90, "not.pred !%p0, %p1;", "a destination cannot be negated"},
		{sm90, "not.pred 1, %p1;", "operand 0 has to be a predicate"},
		{sm90, "add %r0, %r1, %r2;", "(none)"},
		{sm90, "popc %r0, %r1;", "a type is missing"},
		{sm90, "setp %p0, %r1, %r2;", "a comparison is missing"},
		{sm90, "add.u32 %r0, %r1|%p0, %r2;", "a pair where one value is expected"},
		{sm90, "add.u32 %r0, %r1, [%r2];", "a value is expected"},
		{sm90, "ld.shared.b32 %r0, %r1;", "operand 1 has to be an address"},
		{sm90, "slct.ftz.s32.s32 %r0, %r1, %r2, %r3;", "modifier .ftz does not go with s32"},
		{sm90, "set.lt.f16x2.f16 %r0, %h1, %h2;", "a result f16 of a comparison of f16"},
		{sm90, "set.lt.f16.s32 %h0, %r1, %r2;", "a result f16 of a comparison of s32"},
		{sm90, "set.lt.u16.f16x2 %h0, %r1, %r2;", "a result u16 of a comparison of f16x2"},
		{sm90, "min.ftz.bf16 %h0, %h1, %h2;", "modifier .ftz does not go with bf16"},
		{sm90, "neg.ftz.bf16 %h0, %h1;", "modifier .ftz does not go with bf16"},
		{sm90, "div.rn.f16 %h0, %h1, %h2;", "type f32 is expected"},
		{sm120, "add.sat.f32x2 %d0, %d1, %d2;", "modifier .sat does not go with f32x2"},

		{sm90, "cvt.ftz.f32.bf16 %r0, %h0;", "do not go with f32 and bf16"},
		{sm90, "cvt.ftz.f16x2.f32 %r0, %r1, %r2;", "do not go with f16x2"},
		{sm90, "cvt.f16.f32 %h0, %r0;", "a rounding is missing"},
		{sm90, "cvt.rn.f32.f16 %r0, %h0;", "a rounding where none is needed"},
		{sm90, "cvt.rn.s32.f32 %r0, %r1;", "a rounding to integer is missing"},
		{sm90, "cvt.rni.f32.s32 %r0, %r1;", "a rounding is missing"},
		{sm90, "cvt.rni.f16.f32 %h0, %r1;", "does not go with f16 and f32"},
		{sm90, "cvt.rn.f32.f32 %r0, %r1;", "does not go with f32 and f32"},
		{sm90, "cvt.rzi.s32.s64 %r0, %d1;", "a rounding between integers"},
		{sm90, "cvt.f64.f32 %d0, %r1;", "type f64 is not supported"},
		{sm90, "cvt.rna.tf32.f32 %r0, %r1;", "type .rna is not supported"},
		{sm90, "cvt.u64.u32 %r0, %r1;", "register %r0 has 32 bits, 64 are expected"},
		{sm90, "cvt.ftz.s32.s32 %r0, %r1;", "modifier .ftz needs type f32"},
		{sm90, "cvt.rn.satfinite.s32.f32 %r0, %r1;", "do not go with s32 and f32"},
		{sm90, "cvt.rn.e4m3x2.f32 %h0, %r1, %r2;", "a conversion to e4m3x2 is .rn.satfinite"},
		{sm90, "cvt.rz.satfinite.e5m2x2.f32 %h0, %r1, %r2;", "a conversion to e5m2x2 is .rn.satfinite"},
		{sm90, "cvt.rp.satfinite.ue8m0x2.f32 %h0, %r1, %r2;", "type .ue8m0x2 is not supported"},
		{sm90, "cvt.rn.bf16x2.ue8m0x2 %r0, %h1;", "sm_100 and later"},
		{sm80, "cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;", "sm_89 and later"},
		{sm90, "cvt.rm.f16x2.f32 %r0, %r1, %r2;", "is not supported"},

		{sm90, "ld.global.f16 %h0, [%d0];", "cannot be moved"},
		{sm90, "ld.global.v4.b64 {%d0,%d1,%d2,%d3}, [%d0];", "cannot be moved"},
		{sm90, "ld.shared.nc.b32 %r0, [%r1];", "type .nc is not supported"},
		{sm90, "ld.relaxed.global.b32 %r0, [%d1];", "modifier .global is not supported here, only .cta"},
		{sm90, "ld.global.L2::cache_hint.b32 %r0, [%d1], %d2;", "type .L2::cache_hint is not supported"},
		{sm90, "ld.global.u64 %r0, [%d1];", "register %r0 has 32 bits, 64 are expected"},
		{sm90, "ld.global.u32 %r0, [%h1];", "register %h1 has 16 bits"},
		{sm90, "st.param.b32 [p], %r0;", "read-only"},
		{sm90, "st.global.nc.b32 [%d0], %r0;", "type .nc is not supported"},
		{sm90, "atom.global.sub.u32 %r0, [%d0], %r1;", "modifier .sub is not supported here"},
		{sm90, "atom.global.add.s64 %d0, [%d0], %d1;", "modifier .s64 is not supported here"},
		{sm90, "atom.global.add.noftz.f16x2 %r0, [%d0], %r1;", "modifier .noftz is not supported here"},
		{sm90, "atom.local.add.u32 %r0, [%d0], %r1;", "not shared"},
		{sm90, "red.global.exch.b32 [%d0], %r1;", "modifier .exch is not supported here"},
		{sm90, "cp.async.cg.shared.global [%r0], [%d0], 8;", "a copy of 8 bytes with .cg"},
		{sm90, "cp.async.ca.shared.global [%r0], [%d0], 12;", "a copy of 12 bytes"},
		{sm90, "cp.async.bulk.commit_group;", "modifier .commit_group is not supported here, only .tensor"},

		{sm90, "shfl.bfly.b32 %r0, %r1, %r2, %r3;", "modifier .bfly is not supported here, only .sync"},
		{sm90, "shfl.sync.rot.b32 %r0, %r1, %r2, %r3, -1;", "modifier .rot is not supported here"},
		{sm90, "vote.sync.all.pred %p0, %r0, -1;", "%r0 is no predicate"},
		{sm90, "match.any.sync.b32 %r0|%p0, %r1, -1;", "a predicate where none is expected"},
		{sm90, "redux.sync.add.f32 %r0, %r1, -1;", "type .f32 is not supported here"},
		{sm90, "redux.sync.and.u32 %r0, %r1, -1;", "type .u32 is not supported here"},
		{sm89, "elect.sync %r0|%p0, -1;", "sm_90 and later"},

		{sm90, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%r2];", "modifier .m16n16 is not supported here"},
		{sm90, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, [%r2];", "1 registers, 2 are expected"},
		{sm89, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r0};", "sm_90 and later"},
		{sm90, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r0,%r1,%r2,%r3};", "modifier .e5m2 is not supported here"},
		{sm90, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r0,%r1};", "modifier .f16 is not supported here, only .f32"},
		{sm120, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r0,%r1,%r2,%r3};", "how sm_120 multiplies f16 is not known"},
		{sm89, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r0,%r1,%r2,%r3};", "how sm_89 multiplies bf16 is not known"},
		{sm90, mma + "%r10, {0, 0}, %r11, {0, 0};", "sm_90 does not have this instruction"},
		{sm120, mma + "%r10, {4, 0}, %r11, {0, 0};", "selector 4 of operand 5; at most 3"},
		{sm120, mma + "%r10, {0, 2}, %r11, {0, 0};", "selector 2 of operand 5; at most 1"},
		{sm120, mma + "%r10, {0, 0}, %r11, {0, 4};", "selector 4 of operand 7; at most 3"},
		{sm120, mma + "%r10, {%h0, 0}, %r11, {0, 0};", "operand 5 has to be {byte, thread}, constants"},
		{sm120, mma + "%r10, {0}, %r11, {0, 0};", "operand 5 has to be {byte, thread}, constants"},
		{sm120, mma + "%r10, %r12, %r11, {0, 0};", "operand 5 has to be {byte, thread}, constants"},

		{sm90, wgmmaSmall + "e5m2.e4m3 {%r0,%r1,%r2,%r3}, %d0, %d1, 1, 1, 1;", "modifier .e5m2 is not supported here"},
		{sm90, wgmmaSmall + "e4m3.e4m3 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, %d1, 1, 1, 1;", "a value is expected"},
		{sm90, wgmmaSmall + "e4m3.e4m3 {%r0,%r1,%r2}, %d0, %d1, 1, 1, 1;", "3 registers, 4 are expected"},
		{sm90, wgmmaSmall + "e4m3.e4m3 {%r0,%r1,%r2,%r3}, %d0, %d1, 1, 1, -1;", "operand 5 has to be 1"},
		{sm90, wgmmaSmall + "e4m3.e4m3 {%r0,%r1,%r2,%r3}, %d0, %d1, 1;", "operand missing"},
		{sm90, wgmmaSmall + "e4m3.e4m3 {%r0,%r1,%r2,%r3}, %d0, %r4, 1, 1, 1;", "register %r4 has 32 bits, 64 are expected"},
		{sm90, "wgmma.mma_async.sync.aligned.m64n12k32.f32.e4m3.e4m3 {%r0}, %d0, %d1, 1, 1, 1;", "shape .m64n12k32; m64nNk32 is supported, N a multiple of 8 up to 256"},
		{sm90, "wgmma.mma_async.sync.aligned.m64n264k32.f32.e4m3.e4m3 {%r0}, %d0, %d1, 1, 1, 1;", "shape .m64n264k32"},
		{sm90, "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r0}, %d0, %d1, 1, 1, 1, 0, 0;", "shape .m64n8k16"},
		{sm90, "wgmma.mma_async.sync.aligned;", "a shape is missing"},
		{sm90, "wgmma.mma_async.sp.sync.aligned.m64n8k64.f32.e4m3.e4m3 {%r0}, %d0, %d1, 1, 1, 1;", "modifier .sp is not supported here, only .sync"},
		{sm90, "wgmma.wait_group.sync.aligned -1;", "a wait for all but -1 groups"},
		{sm90, "wgmma.wait_group.sync.aligned %r0;", "operand 0 has to be a constant"},
		{sm120, wgmmaSmall + "e4m3.e4m3 {%r0,%r1,%r2,%r3}, %d0, %d1, 1, 1, 1;", "sm_120 does not have this instruction"},
		{sm90, "setmaxnreg.inc.sync.aligned.u32 100;", "100 registers; a multiple of 8 from 24 to 256 is possible"},
		{sm90, "setmaxnreg.dec.sync.aligned.u32 16;", "16 registers; a multiple of 8"},
		{sm90, "setmaxnreg.set.sync.aligned.u32 24;", "modifier .set is not supported here, only .inc, .dec"},

		{sm90, "mbarrier.inval.shared.b64 [%r0];", "modifier .inval is not supported here"},
		{sm90, "mbarrier.arrive.noComplete.shared.b64 %d0, [%r0], 1;", "modifier .noComplete is not supported here"},
		{sm90, "mbarrier.arrive.shared::cluster.b64 _, [%r0];", "modifier .shared::cluster is not supported here"},
		{sm90, "mbarrier.arrive.expect_tx.shared.b64 _, [%r0];", "operand missing"},
		{sm90, "mbarrier.arrive.relaxed.cta.shared.b64 _, [%r0];", "modifier .relaxed is not supported here"},
		{sm90, "mbarrier.try_wait.parity.shared.b64 %p0, [%r0];", "operand missing"},
		{sm90, "mbarrier.try_wait.shared.b64 %p0, [%r0], %r1;", "register %r1 has 32 bits, 64 are expected"},
		{sm90, "mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 0, 100;", "4 operands, 3 are expected"},
		{sm89, "mbarrier.try_wait.parity.shared.b64 %p0, [%r0], 0;", "sm_90 and later"},
		{sm89, "mbarrier.arrive.expect_tx.shared.b64 _, [%r0], 16;", "sm_90 and later"},
		{sm90, "fence.mbarrier_init.acquire.cluster;", "modifier .acquire is not supported here, only .release"},
		{sm90, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d0], 16, [%r1];", "modifier .shared::cluster is not supported here, only .tensor"},
		{sm90, bulkTensor + "2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d0, {%r2, %r3}], [%r1];", "modifier .2d is not supported here, only .3d"},
		{sm90, bulkTensor + "3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r0], [%d0, {%r2, %r3, %r4}], [%r1];", "modifier .im2col is not supported here"},
		{sm90, bulkTensor + "3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%d0, {%r2, %r3, %r4}], [%r1], %h0;", "modifier .multicast::cluster is not supported"},
		{sm90, bulkTensor + "3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d0, {%r2, %r3}], [%r1];", "operand 1 has to be a tensor map with 3 coordinates"},
		{sm90, bulkTensor + "3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d0], [%r1];", "operand 1 has to be a tensor map with 3 coordinates"},
		{sm90, bulkTensor + "3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d0, {%r2, %r3, %d4}], [%r1];", "register %d4 has 64 bits, 32 are expected"},
		{sm90, bulkTensor + "3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d0, {%r2, %r3, %r4}], [%r1], %d1;", "4 operands, 3 are expected"},
		{sm90, bulkTensor + "3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r0], [%d0, {%r2, %r3, %r4}], [%r1];", "operand missing"},
		{sm89, bulkTensor + "3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d0, {%r2, %r3, %r4}], [%r1];", "sm_90 and later"},

		{sm90, "prefetch.global.L3 [%d0];", "modifier .L3 is not supported here"},
		{sm90, "griddepcontrol.stop;", "modifier .stop is not supported here"},
		{sm90, "fence.proxy.alias;", "modifier .alias is not supported here, only .async"},
		{sm90, "fence.proxy.async.global;", "modifier .global is not supported"},
		{sm90, "membar.proxy.alias;", "modifier .proxy is not supported here"},
		{sm90, "bar.red.popc.u32 %r0, 0, %p0;", "modifier .red is not supported here"},
	} {
		err := compileStatement(t, r.chip, r.statement)
		var syntax *ptx.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: %v", r.statement, err)
			continue
		}
		if syntax.Line != statementLine || !strings.Contains(syntax.Text, r.want) {
			t.Errorf("%s: %v; want line %d and %q", r.statement, err, statementLine, r.want)
		}
	}
}

// What belongs to a chip's own target is an error in a module for another one.
func TestErrorsOfTarget(t *testing.T) {
	for _, statement := range []string{"wgmma.fence.sync.aligned;", "setmaxnreg.inc.sync.aligned.u32 24;"} {
		m, err := ptx.Parse("test.ptx", ".version 8.4\n.target sm_90\n.address_size 64\n.entry k() { "+statement+" }")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := interp.Compile(m, sm90, interp.Options{}); err == nil || !strings.Contains(err.Error(), "an instruction of .target sm_90a alone; the module is for sm_90") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// Forms that are known, in all their spellings.
func TestNoErrorsAtLoad(t *testing.T) {
	for _, statement := range []string{
		"setmaxnreg.dec.sync.aligned.u32 24;", "setmaxnreg.inc.sync.aligned.u32 256;", "griddepcontrol.wait;", "griddepcontrol.launch_dependents;",
		"fence.proxy.async;", "fence.proxy.async.shared::cta;", "fence.proxy.async.shared::cluster;", "fence.mbarrier_init.release.cluster;",
		"mbarrier.init.b64 [%d0], %r0;", "mbarrier.init.shared.b64 [%r1], 4;", "mbarrier.arrive.shared.b64 %d0, [%r1];", "mbarrier.arrive.shared::cta.b64 _, [%r1], %r2;",
		"mbarrier.arrive.release.cluster.shared::cta.b64 _, [%r1];", "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], %r2;",
		"mbarrier.test_wait.shared.b64 %p0, [%r1], %d0;", "mbarrier.test_wait.parity.acquire.cta.shared.b64 %p0, [%r1], %r0;", "mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 1, %r2;",
		"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], [%d0, {%r2, -1, %r4}], [cell];",
		"cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r0], [%d0, {0, 0, 0}], [%r1], %d1;",
		"wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 7;",
		"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%r0,%r1,%r2,%r3}, %d0, %d1, !%p0, 1, 1;", "bar.sync 1, 512;",
	} {
		if err := compileStatement(t, sm90, statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

var (
	sm80 = interp.Chip{Name: "sm_80", Target: 80, SharedPerBlock: 163 << 10, Multiprocessors: 108}
	sm89 = interp.Chip{Name: "sm_89", Target: 89, MMA: ref.SM89, SharedPerBlock: 99 << 10, Multiprocessors: 128}
)

// Every opcode has a form that is recorded, unless it has no result, or works on
// memory with a state of its own.
func TestEveryOpcodeIsRecorded(t *testing.T) {
	recorded := map[string]bool{}
	for _, f := range opcheck.Forms() {
		for statement := range strings.SplitSeq(f.Text, ";") {
			words := strings.Fields(statement)
			if strings.HasPrefix(words[0], "@") {
				words = words[1:]
			}
			opcode, _, _ := strings.Cut(words[0], ".")
			recorded[opcode] = true
		}
	}
	without := strings.Fields("bra ret exit trap brkpt nanosleep griddepcontrol prefetch barrier membar fence setmaxnreg mbarrier wgmma")
	for _, opcode := range without {
		recorded[opcode] = true
	}
	for _, opcode := range interp.Opcodes() {
		if !recorded[opcode] {
			t.Errorf("%s has no form", opcode)
		}
	}
}
