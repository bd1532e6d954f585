package interp_test

import (
	"fmt"
	"strings"
	"testing"

	"blockfp8/gpu/internal/ptx/interp"
)

// boxTrial copies a box of 256 bytes to a place in dyn, which begins at byte 1024, and
// gives out what lies there.
func boxTrial(m *interp.TensorMap, to int, corner [3]int32) trial {
	target := fmt.Sprintf("[dyn+%d]", to)
	body := makeForTx + expect + fmt.Sprintf("mov.u32 %%r1, %d;\nmov.u32 %%r2, %d;\nmov.u32 %%r3, %d;\n", corner[0], corner[1], corner[2]) +
		strings.NewReplacer("[dyn]", target, "%r0, %r0, %r0", "%r1, %r2, %r3").Replace(bulkCopy) + landed +
		"mov.u32 %r4, " + strings.Trim(target, "[]") + ";\nmad.lo.u32 %r4, %t, 4, %r4;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%o], %r5;"
	return trial{shared: 2048, tensor: m, body: body}
}

// Byte x of row y of group z lies at the sum of these times their strides, or is zero
// where the tensor has none; in shared memory, the eight pieces of a row change places
// with the row's number.
func TestBulkCopyRows(t *testing.T) {
	chunks := interp.TensorMap{Extents: [3]uint64{128, 1, 2}, Strides: [2]uint64{256, 128}, Box: [3]uint32{128, 1, 2}}
	short := interp.TensorMap{Extents: [3]uint64{40, 3, 2}, Strides: [2]uint64{48, 96}, Box: [3]uint32{128, 2, 1}}
	for _, r := range []struct {
		tensor interp.TensorMap
		to     int
		corner [3]int32
		// Some words of what has to be there, by their number.
		words map[int]uint32
	}{
		{twoRows, 0, [3]int32{}, map[int]uint32{0: 0, 1: 1, 31: 31, 36: 32, 39: 35, 32: 36}},
		{twoRows, 768, [3]int32{}, map[int]uint32{24: 0, 0: 24, 60: 32}},
		{twoRows, 128, [3]int32{16, 1, 0}, map[int]uint32{4: 36, 0: 40, 24: 0, 32: 0, 63: 0}},
		{twoRows, 0, [3]int32{-32, -1, 0}, map[int]uint32{0: 0, 31: 0, 32: 0, 44: 0, 45: 1, 40: 4}},
		{twoRows, 0, [3]int32{5, 0, 0}, map[int]uint32{0: 2 << 24, 1: 3 << 24}},
		{twoRows, 0, [3]int32{128, 0, 0}, map[int]uint32{0: 0, 33: 0}},
		{twoRows, 0, [3]int32{0, 0, 1}, map[int]uint32{1: 0, 37: 0}},
		{twoRows, 0, [3]int32{-2147483648, 2147483647, 0}, map[int]uint32{1: 0, 37: 0}},
		{chunks, 0, [3]int32{}, map[int]uint32{1: 1, 37: 33}},
		{chunks, 0, [3]int32{0, 0, 1}, map[int]uint32{1: 33, 37: 0}},
		{short, 256, [3]int32{0, 1, 1}, map[int]uint32{8: 36, 12: 40, 0: 44, 1: 45, 2: 0, 44: 48}},
	} {
		run := boxTrial(&r.tensor, r.to, r.corner)
		out, _, err := run.run(t)
		if err != nil {
			t.Errorf("%+v to %d from %d: %v", r.tensor, r.to, r.corner, err)
			continue
		}
		for i, want := range r.words {
			if out[i] != want {
				t.Errorf("%+v to %d from %d: word %d is %#x, want %#x", r.tensor, r.to, r.corner, i, out[i], want)
			}
		}
		for at := range 4 * len(out) {
			place := 1024 + r.to + at
			x := place%16 + (place/16%8^place/128%8)*16
			row := at / 128
			want := byteOf(&r.tensor, r.corner, row, x)
			if got := byte(out[at/4] >> (8 * (at % 4))); got != want {
				t.Errorf("%+v to %d from %d: byte %d of row %d is %d, want %d", r.tensor, r.to, r.corner, x, row, got, want)
			}
		}
	}
}

// byteOf is byte x of a row of a box at some coordinates, of a tensor in the buffer in,
// whose words count up from 0.
func byteOf(m *interp.TensorMap, corner [3]int32, row, x int) byte {
	coordinates := [3]int64{
		int64(corner[0]) + int64(x), int64(corner[1]) + int64(row)%int64(m.Box[1]), int64(corner[2]) + int64(row)/int64(m.Box[1]),
	}
	for i, c := range coordinates {
		if c < 0 || c >= int64(m.Extents[i]) {
			return 0
		}
	}
	at := coordinates[0] + coordinates[1]*int64(m.Strides[0]) + coordinates[2]*int64(m.Strides[1])
	if at%4 != 0 {
		return 0
	}
	return byte(at / 4)
}

func TestBulkCopyCounters(t *testing.T) {
	for _, r := range []struct {
		corner        [3]int32
		read, sectors uint64
	}{
		{[3]int32{}, 256, 8},
		{[3]int32{100, 1, 0}, 28, 1},
		{[3]int32{28, 0, 0}, 200, 8}, // 100 bytes of each row from its first sector's last bytes on
		{[3]int32{0, 2, 0}, 0, 0},
	} {
		run := boxTrial(&twoRows, 0, r.corner)
		_, c, err := run.run(t)
		if err != nil || c.BulkBytes != 256 || c.SharedWritten != 0 || c.GlobalRead != r.read || c.GlobalSectors != r.sectors+8 || c.GlobalRequests != 1+2 {
			t.Errorf("from %d: %v, %+v; want %d bytes in %d sectors", r.corner, err, c, r.read, r.sectors)
		}
	}
}
