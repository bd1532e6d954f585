package interp_test

import (
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/gpu/internal/ptx/interp/opcheck"
)

// onWarp runs a form on the 32 lanes of a warp: input k of a lane is in(k, lane).
// Result j of a lane is at [j][lane].
func onWarp(t *testing.T, chip interp.Chip, form string, in func(k, lane int) uint64) [][]uint64 {
	t.Helper()
	f := opcheck.Form{Text: form}
	inputs, results := f.Counts()
	values := make(words, 0, 32*inputs)
	for k := range inputs {
		for lane := range 32 {
			values = append(values, in(k, lane))
		}
	}
	out, err := opcheck.Run(chip, []opcheck.Form{f}, 32, func(int) []uint64 { return values })
	if err != nil {
		t.Fatal(err)
	}
	lanes := make([][]uint64, results)
	for j := range lanes {
		lanes[j] = out[0][32*j : 32*j+32]
	}
	return lanes
}

// Every lane holds 100 + its number.
func TestShuffleRows(t *testing.T) {
	for _, r := range []struct {
		form        string
		lane        int
		value, pred uint64
	}{
		{"shfl.sync.bfly.b32 R|P, r, 1, 0x1f, -1", 4, 105, 1},
		{"shfl.sync.bfly.b32 R|P, r, 16, 0x1f, -1", 31, 115, 1},
		{"shfl.sync.up.b32 R|P, r, 2, 0, -1", 5, 103, 1},
		{"shfl.sync.up.b32 R|P, r, 2, 0, -1", 1, 101, 0},
		{"shfl.sync.down.b32 R|P, r, 3, 0x1f, -1", 5, 108, 1},
		{"shfl.sync.down.b32 R|P, r, 3, 0x1f, -1", 30, 130, 0},
		{"shfl.sync.idx.b32 R|P, r, 7, 0x1f, -1", 30, 107, 1},
		{"shfl.sync.idx.b32 R|P, r, 9, 0x7, -1", 3, 103, 0},     // 9 is beyond the clamp
		{"shfl.sync.idx.b32 R|P, r, 1, 0x181f, -1", 13, 109, 1}, // segments of 8: lane 8+1
		{"shfl.sync.down.b32 R|P, r, 2, 0x181f, -1", 6, 106, 0}, // over the end of a segment
		{"shfl.sync.down.b32 R|P, r, 33, 0x1f, -1", 6, 107, 1},  // of the distance five bits count
		{"shfl.sync.up.b32 R|P, r, 1, 0x1800, -1", 8, 108, 0},   // over the start of a segment
		{"shfl.sync.bfly.b32 R|P, r, 4, 0x1c03, -1", 9, 109, 0}, // segments of 4
		{"shfl.sync.bfly.b32 R|P, r, 2, 0x1c1f, -1", 9, 111, 1},
	} {
		got := onWarp(t, sm90, r.form, func(_, lane int) uint64 { return uint64(100 + lane) })
		if got[0][r.lane] != r.value || got[1][r.lane] != r.pred {
			t.Errorf("%s: lane %d has %d, %d; want %d, %d", r.form, r.lane, got[0][r.lane], got[1][r.lane], r.value, r.pred)
		}
	}
}

func TestVoteRows(t *testing.T) {
	const some = "setp.lt.u32 %q, %lane, 4; @%q " // lanes 0 to 3
	even := func(_, lane int) uint64 { return uint64(1 - lane%2) }
	for _, r := range []struct {
		form string
		in   func(k, lane int) uint64
		lane int
		want words
	}{
		{"vote.sync.all.pred P, p, -1", even, 0, words{0}},
		{"vote.sync.any.pred P, p, -1", even, 1, words{1}},
		{"vote.sync.uni.pred P, p, -1", even, 1, words{0}},
		{"vote.sync.uni.pred P, p, -1", func(int, int) uint64 { return 0 }, 1, words{1}},
		{"vote.sync.all.pred P, !p, -1", func(int, int) uint64 { return 0 }, 1, words{1}},
		{"vote.sync.ballot.b32 R, p, -1", even, 9, words{0x55555555}},
		{some + "vote.sync.ballot.b32 R, p, 0xF", even, 2, words{0x5}},
		{some + "vote.sync.ballot.b32 R, p, 0xF", even, 4, words{0}},
		{some + "activemask.b32 R", even, 3, words{0xF}},
		{some + "elect.sync R|P, 0xF", even, 0, words{0, 1}},
		{some + "elect.sync R|P, 0xF", even, 1, words{0, 0}},
		{"elect.sync _|P, -1", even, 0, words{1}},
		{"match.any.sync.b32 R, r, -1", even, 1, words{0xAAAAAAAA}},
		{"match.all.sync.b32 R|P, r, -1", even, 1, words{0, 0}},
		{"match.all.sync.b64 R|P, d, -1", func(int, int) uint64 { return 1 << 40 }, 1, words{0xFFFFFFFF, 1}},
		{"redux.sync.add.u32 R, r, -1", func(_, lane int) uint64 { return uint64(lane) }, 5, words{496}},
		{"redux.sync.min.s32 R, r, -1", func(_, lane int) uint64 { return 0xFFFFFFFF - uint64(lane) }, 5, words{0xFFFFFFE0}},
		{"redux.sync.min.u32 R, r, -1", func(_, lane int) uint64 { return 0x80000000 >> lane }, 5, words{1}},
		{"redux.sync.max.s32 R, r, -1", func(_, lane int) uint64 { return 0x80000000 >> lane }, 5, words{0x40000000}},
		{"redux.sync.and.b32 R, r, -1", func(_, lane int) uint64 { return 0xF0 | uint64(lane) }, 5, words{0xF0}},
		{"redux.sync.or.b32 R, r, -1", func(_, lane int) uint64 { return 1 << lane }, 5, words{0xFFFFFFFF}},
		{"redux.sync.xor.b32 R, r, -1", func(_, lane int) uint64 { return uint64(lane) }, 5, words{0}},
		{some + "redux.sync.add.s32 R, r, 0xF", func(int, int) uint64 { return 0xFFFFFFFF }, 3, words{0xFFFFFFFC}},
	} {
		got := onWarp(t, sm90, r.form, r.in)
		for j, want := range r.want {
			if got[j][r.lane] != want {
				t.Errorf("%s: result %d of lane %d is %#x, want %#x", r.form, j, r.lane, got[j][r.lane], want)
			}
		}
	}
}
