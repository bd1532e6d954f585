package gpu

import (
	"fmt"
	"slices"

	"blockfp8/gpu/internal/driver"
)

// EncodeTensorMap keeps the map as it is, one word for each field, so that it can be
// held against the operands.
func (d *fakeDriver) EncodeTensorMap(m driver.TensorMap) ([driver.TensorMapWords]uint64, error) {
	if err := m.Check(); err != nil {
		return [driver.TensorMapWords]uint64{}, err
	}
	return fakeMap(m), nil
}

func fakeMap(m driver.TensorMap) [driver.TensorMapWords]uint64 {
	return [driver.TensorMapWords]uint64{uint64(m.Base), m.Columns, m.Rows, m.Groups, m.RowStride, m.GroupStride, uint64(m.BoxRows), uint64(m.BoxGroups)}
}

// checkParameters tells whether a multiplication has as many parameters as its kernel,
// and maps of the very codes that its pointers and strides are about.
func checkParameters(f *form, p []uint64, groups uint64) error {
	const numbers, first, all = 28, 32, 64
	if !f.takesMaps() {
		if len(p) != numbers {
			return fmt.Errorf("%w: %s with %d parameters, want %d", errFake, f.name, len(p), numbers)
		}
		return nil
	}
	if len(p) != all {
		return fmt.Errorf("%w: %s with %d parameters and words of maps, want %d", errFake, f.name, len(p), all)
	}
	want := append(mapWords(f, p, p[1], p[6], groups, p[9], p[20], 8*f.tokens), mapWords(f, p, p[2], p[7], groups, p[10], p[21], 16*f.rows)...)
	if f.fewTokens() && p[27]%2 == 1 && (p[8]%128 != 0 || groups > 1 && (p[20]|p[21])%128 != 0) {
		return fmt.Errorf("%w: %s with maps of chunks for K = %d and groups %d and %d bytes apart", errFake, f.name, p[8], p[20], p[21])
	}
	if got := p[first:]; !slices.Equal(got, want) {
		return fmt.Errorf("%w: %s with the maps %v, want %v", errFake, f.name, got, want)
	}
	return nil
}

// mapWords is the map of a matrix [groups, rows, K] of codes as it is given to a kernel
// with other parameters p. The decode form's lowest bit of the last one says that a
// map is of chunks of 128 columns.
func mapWords(f *form, p []uint64, base, rows, groups, stride, groupStride uint64, box int) []uint64 {
	k := p[8]
	if k == 0 {
		return make([]uint64, driver.TensorMapWords)
	}
	m := driver.TensorMap{
		Base: driver.Ptr(base), Columns: k, Rows: rows, Groups: groups, RowStride: stride, GroupStride: groupStride, BoxRows: uint32(box), BoxGroups: 1,
	}
	if groups == 1 {
		m.GroupStride = stride
	}
	if f.fewTokens() && p[27]%2 == 1 {
		m.Columns, m.Groups, m.GroupStride, m.BoxGroups = 128, k/128, 128, 64/uint32(16*f.rows)
		if groups > 1 {
			m.Groups += (groups - 1) * groupStride / 128
		}
	}
	words := fakeMap(m)
	return words[:]
}
