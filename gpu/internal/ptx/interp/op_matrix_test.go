package interp_test

import "testing"

// In the matrices of these tests element c of row r is r*256 + c, and matrix i adds
// 0x1000*i: lane l holds row l%8 of matrix l/8 in its cell.
func matrixRow(k, lane int) uint64 {
	base := uint64(lane/8)<<12 | uint64(lane%8)<<8
	return (base+uint64(2*k+1))<<16 | base + uint64(2*k)
}

func TestLdmatrixRows(t *testing.T) {
	const store = "st.shared.v4.b32 [%cell], {r, r, r, r}; bar.warp.sync -1; "
	for _, r := range []struct {
		form   string
		lane   int
		result int
		want   uint64
	}{
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {R}, [%cell]", 0, 0, 0x00010000},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {R}, [%cell]", 13, 0, 0x03030302}, // row 3, columns 2 and 3
		{"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {R}, [%cell]", 13, 0, 0x03030203},
		{"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {R, R}, [%cell]", 31, 1, 0x17071706},
		{"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {R, R}, [%cell]", 31, 1, 0x17071607},
		{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {R, R, R, R}, [%cell]", 5, 3, 0x31033102},
		{"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {R, R, R, R}, [%cell]", 5, 2, 0x23012201},
	} {
		got := onWarp(t, sm90, store+r.form, matrixRow)
		if got[r.result][r.lane] != r.want {
			t.Errorf("%s: result %d of lane %d is %#08x, want %#08x", r.form, r.result, r.lane, got[r.result][r.lane], r.want)
		}
	}
}

// Lane l holds elements 2*(l%4) and the next of row l/4 of every matrix, which are
// numbered as above.
func TestStmatrixRows(t *testing.T) {
	fragment := func(k, lane int) uint64 {
		at := uint64(k)<<12 | uint64(lane/4)<<8 | uint64(lane%4*2)
		return (at+1)<<16 | at
	}
	for _, r := range []struct {
		form   string
		lane   int
		result int
		want   uint64
	}{
		{"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%cell], {r}; bar.warp.sync -1; setp.lt.u32 %q, %lane, 8; @%q ld.shared.v4.b32 {R, R, R, R}, [%cell]", 3, 1, 0x03030302},
		{"stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%cell], {r}; bar.warp.sync -1; setp.lt.u32 %q, %lane, 8; @%q ld.shared.v4.b32 {R, R, R, R}, [%cell]", 3, 1, 0x03030203},
		{"stmatrix.sync.aligned.m8n8.x2.shared.b16 [%cell], {r, r}; bar.warp.sync -1; setp.lt.u32 %q, %lane, 16; @%q ld.shared.v4.b32 {R, R, R, R}, [%cell]", 15, 3, 0x17071706},
		{"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%cell], {r, r, r, r}; bar.warp.sync -1; ld.shared.v4.b32 {R, R, R, R}, [%cell]", 24, 0, 0x30013000},
	} {
		got := onWarp(t, sm90, r.form, fragment)
		if got[r.result][r.lane] != r.want {
			t.Errorf("%s: result %d of lane %d is %#08x, want %#08x", r.form, r.result, r.lane, got[r.result][r.lane], r.want)
		}
	}
}

// Row 9 of A is 1 at k and 0 elsewhere, column 5 of B is k+1: D(9, 5) = k+1 + C.
func TestHalfMMARows(t *testing.T) {
	small := []uint64{0, 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900, 0x4980, 0x4A00, 0x4A80, 0x4B00, 0x4B80, 0x4C00}
	floats := []uint64{0, 0x3F800000, 0x40000000, 0x40400000, 0x40800000, 0x40A00000, 0x40C00000, 0x40E00000, 0x41000000, 0x41100000, 0x41200000, 0x41300000, 0x41400000, 0x41500000, 0x41600000, 0x41700000, 0x41800000}
	for k := range 16 {
		got := onWarp(t, sm90, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {R, R, R, R}, {r, r, r, r}, {r, r}, {r, r, r, r}", func(i, lane int) uint64 {
			g, at := lane/4, lane%4*2
			switch {
			case i < 4: // A: registers 1 and 3 hold rows 8 to 15, 2 and 3 the upper k
				if g+i%2*8 != 9 || k&^1 != at+i/2*8 {
					return 0
				}
				return 0x3C00 << (16 * (k % 2))
			case i < 6 && g == 5: // B
				from := at + (i-4)*8
				return small[from+2]<<16 | small[from+1]
			}
			return 0
		})
		if got[3][6] != floats[k+1] {
			t.Errorf("k %d: %#x, want %#x", k, got[3][6], floats[k+1])
		}
	}
}

func TestHalfMMAArithmeticRows(t *testing.T) {
	for _, r := range []struct {
		name         string
		t            string
		a, b         uint64 // at k 0 of row and column 0
		a1, b1, c, d uint64 // at k 1, and the accumulator before and after
	}{
		{"a product and c", "f16", 0x3C00, 0x4000, 0, 0, 0x3F800000, 0x40400000},
		{"cut toward zero", "f16", 0x3C00, 0x3C00, 0, 0, 0x33FFFFFF, 0x3F800000},             // 1 + almost 2^-23
		{"of both signs", "f16", 0xBC00, 0x3C00, 0, 0, 0xB3FFFFFF, 0xBF800000},               //
		{"below 2^-25 of the largest", "f16", 0x3C00, 0x3C00, 0x3C00, 0xBC00, 0x32FFFFFF, 0}, // 1 - 1 + less than 2^-25
		{"at 2^-25", "f16", 0x3C00, 0x3C00, 0x3C00, 0xBC00, 0x33000000, 0x33000000},
		{"an exact zero", "f16", 0x8000, 0x3C00, 0, 0, 0x80000000, 0},
		{"subnormals", "f16", 0x0001, 0x3C00, 0, 0, 0, 0x33800000},
		{"infinity", "f16", 0x7C00, 0x3C00, 0, 0, 0, 0x7F800000},
		{"infinity less infinity", "f16", 0x7C00, 0x3C00, 0x7C00, 0xBC00, 0, 0x7FFFFFFF},
		{"infinity times zero", "f16", 0x7C00, 0, 0, 0, 0, 0x7FFFFFFF},
		{"NaN", "f16", 0xFE00, 0, 0, 0, 0, 0x7FFFFFFF},
		{"c is NaN", "f16", 0, 0, 0, 0, 0xFFC00000, 0x7FFFFFFF},
		{"bfloat16", "bf16", 0x3F80, 0x4040, 0, 0, 0x3F800000, 0x40800000},
		{"overflow", "bf16", 0x7F00, 0x4000, 0, 0, 0, 0x7F800000},
	} {
		got := onWarp(t, sm90, "mma.sync.aligned.m16n8k16.row.col.f32."+r.t+"."+r.t+".f32 {R, R, R, R}, {r, r, r, r}, {r, r}, {r, r, r, r}", func(i, lane int) uint64 {
			if lane != 0 {
				return 0
			}
			return map[int]uint64{0: r.a1<<16 | r.a, 4: r.b1<<16 | r.b, 6: r.c}[i]
		})
		if got[0][0] != r.d {
			t.Errorf("%s: %#x, want %#x", r.name, got[0][0], r.d)
		}
	}
}

const codesMMA = ".m16n8k32.row.col.f32.e4m3.e4m3.f32"

// A(9, 18) = 2 and B(18, 5) = 3 in e4m3: D(9, 5) = 6 + C.
func TestMMARows(t *testing.T) {
	in := func(i, lane int) uint64 {
		switch {
		case i == 3 && lane == 4: // row 9 is g 1 of the odd registers; k 18 is byte 2 of t 0 in the upper half
			return 0x40 << 16
		case i == 5 && lane == 20:
			return 0x44 << 16
		case i == 9 && lane == 6:
			return 0x3F800000
		}
		return 0
	}
	for _, r := range []struct {
		form string
		chip string
	}{{"mma.sync.aligned" + codesMMA, "sm_90"}, {"mma.sync.aligned" + codesMMA, "sm_120"}, {"mma.sync.aligned.kind::f8f6f4" + codesMMA, "sm_120"}} {
		chip := sm90
		if r.chip == "sm_120" {
			chip = sm120
		}
		got := onWarp(t, chip, r.form+" {R, R, R, R}, {r, r, r, r}, {r, r}, {r, r, r, r}", in)
		if got[3][6] != 0x40E00000 || got[3][5] != 0 {
			t.Errorf("%s on %s: %#x beside %#x, want 0x40e00000 beside 0", r.form, r.chip, got[3][6], got[3][5])
		}
	}
}

// The same with scales: those of row 9 lie in lane 4 + 1 (or 4 + 3 with thread 1),
// those of column 5 in lane 20 and those behind it.
func TestScaledMMARows(t *testing.T) {
	for _, r := range []struct {
		a, b           string
		laneA, laneB   int
		scaleA, scaleB uint64
		want           uint64
	}{
		{"0, 0", "0, 0", 5, 20, 0x00000080, 0x00000081, 0x42400000}, // 6 * 2 * 4 = 48
		{"3, 1", "2, 3", 7, 23, 0x80000000, 0x007F0000, 0x41400000}, // 6 * 2 = 12
		{"1, 0", "0, 1", 5, 21, 0x0000FF00, 0x0000007F, 0x7FFFFFFF},
	} {
		text := "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X" + codesMMA + ".ue8m0 {R, R, R, R}, {r, r, r, r}, {r, r}, {r, r, r, r}, r, {" + r.a + "}, r, {" + r.b + "}"
		got := onWarp(t, sm120, text, func(i, lane int) uint64 {
			switch {
			case i == 3 && lane == 4:
				return 0x40 << 16
			case i == 5 && lane == 20:
				return 0x44 << 16
			case i == 10 && lane == r.laneA:
				return r.scaleA
			case i == 11 && lane == r.laneB:
				return r.scaleB
			}
			return 0
		})
		if got[3][6] != r.want {
			t.Errorf("selectors {%s} and {%s}: %#x, want %#x", r.a, r.b, got[3][6], r.want)
		}
	}
}
