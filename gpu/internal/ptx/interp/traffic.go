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
		var touched sectors
		for m := on; m != 0; m &= m - 1 {
			touched.add(addresses[first(m)], uint64(a.size))
		}
		c.GlobalRequests++
		c.GlobalSectors += touched.different()
	}
}

// sectors are those of 32 bytes that a request touches: at most two by each lane.
type sectors struct {
	list  [2 * lanes]uint64
	n     int
	bytes uint64
}

// add adds what one lane asks for.
func (s *sectors) add(at, size uint64) {
	if size == 0 {
		return
	}
	s.bytes += size
	for sector := at / sectorBytes; sector <= (at+size-1)/sectorBytes && s.n < len(s.list); sector++ {
		// Neighbours ask for the same one more often than not.
		if s.n == 0 || s.list[s.n-1] != sector {
			s.list[s.n] = sector
			s.n++
		}
	}
}

// different returns how many there are.
func (s *sectors) different() uint64 {
	touched := s.list[:s.n]
	slices.Sort(touched)
	return uint64(len(slices.Compact(touched)))
}

// countRead counts a request that asks for different sizes, or for nothing.
func (c *Counters) countRead(s *sectors) {
	if s.bytes > 0 {
		c.GlobalRead += s.bytes
		c.GlobalRequests++
		c.GlobalSectors += s.different()
	}
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
