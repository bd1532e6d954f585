package interp

import (
	"math/bits"
	"slices"

	"blockfp8/gpu/internal/ptx"
)

const (
	sectorBytes = 32
	banks       = 32
	bankBytes   = 4
	rowBytes    = banks * bankBytes // what shared memory passes at once
)

// count adds a request of a warp to the counters.
func (w *warp) count(a access, on uint32, addresses *vector) {
	c := &w.block.counters
	n := uint64(bits.OnesCount32(on) * a.size)
	space, _ := resolve(a.space, addresses[first(on)])
	switch {
	case space == ptx.Shared && a.write:
		c.SharedWritten += n
	case space == ptx.Shared:
		c.SharedRead += n
	case space == ptx.Global && a.write:
		c.GlobalWritten += n
	case space == ptx.Global:
		c.GlobalRead += n
	}
	switch space {
	case ptx.Shared:
		w.countShared(on, addresses, a.size)
	case ptx.Global:
		c.GlobalRequests++
		c.GlobalSectors += sectors(on, addresses, a.size)
	}
}

// sectors returns the number of different 32-byte sectors that lanes touch.
func sectors(on uint32, addresses *vector, size int) uint64 {
	var list [2 * lanes]uint64
	n := 0
	for m := on; m != 0; m &= m - 1 {
		at := addresses[first(m)]
		for s := at / sectorBytes; s <= (at+uint64(size)-1)/sectorBytes; s++ {
			if n == 0 || list[n-1] != s {
				list[n] = s
				n++
			}
		}
	}
	touched := list[:n]
	slices.Sort(touched)
	return uint64(len(slices.Compact(touched)))
}

// countShared counts a request to shared memory. Wide accesses go in parts: as
// many lanes at once as ask for 128 bytes.
func (w *warp) countShared(on uint32, addresses *vector, size int) {
	c := &w.block.counters
	c.SharedRequests++
	together := min(lanes, rowBytes/size)
	for from := 0; from < lanes; from += together {
		part := on & (uint32(1<<uint(together)-1) << uint(from))
		if part != 0 {
			c.BankConflicts += conflicts(part, addresses, size)
		}
	}
}

// conflicts returns how many more passes than one lanes need: the most different
// words that they ask of one bank, less one.
func conflicts(on uint32, addresses *vector, size int) uint64 {
	var words [banks][]uint64
	var store [banks][4]uint64
	most := 0
	for m := on; m != 0; m &= m - 1 {
		at := addresses[first(m)]
		for word := at / bankBytes; word <= (at+uint64(size)-1)/bankBytes; word++ {
			b := word % banks
			if words[b] == nil {
				words[b] = store[b][:0]
			}
			if !slices.Contains(words[b], word) {
				words[b] = append(words[b], word)
				most = max(most, len(words[b]))
			}
		}
	}
	return uint64(max(most-1, 0))
}
