package safetensors

import (
	"cmp"
	"fmt"
	"slices"
)

// arrange sorts entries into file order and checks that they cover a data
// section of the given size: no overlap, no hole, nothing beyond the end.
func arrange(entries []entry, size int64) error {
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	var covered int64
	for _, e := range entries {
		if e.begin != covered {
			return e.fail(ErrOffsets, fmt.Sprintf("data from byte %d, where the one before it ends", covered), fmt.Sprintf("[%d %d]", e.begin, e.end))
		}
		if e.end > size {
			return e.fail(ErrTruncated, fmt.Sprintf("data up to byte %d", e.end), fmt.Sprintf("%d bytes of data", size))
		}
		covered = e.end
	}
	if covered != size {
		return &Error{Kind: ErrOffsets, Want: fmt.Sprintf("tensors that cover %d bytes of data", size), Got: fmt.Sprint(covered)}
	}
	return nil
}
