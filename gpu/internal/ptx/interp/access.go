package interp

import (
	"slices"

	"blockfp8/gpu/internal/ptx"
	"blockfp8/gpu/internal/ptx/memory"
)

// Where shared and local memory lie among generic addresses.
const (
	sharedWindow = 0x0100_0000_0000
	localWindow  = 0x0200_0000_0000
	paramWindow  = 0x0300_0000_0000
	windowSize   = 1 << 32
)

// access is one request of a warp to memory: size bytes for each lane.
type access struct {
	space ptx.Space // NoSpace is a generic address
	size  int
	write bool
	// atomic accesses both read and write.
	atomic bool
}

// view returns the bytes that a lane may read or write, after all checks; nil
// after a fault. holes then says which of them are undefined, and again which of
// them another lane has written in the same instruction.
func (w *warp) view(a access, lane int, address uint64) []byte {
	w.holes, w.again = 0, 0
	space, address := resolve(a.space, address)
	if address%uint64(a.size) != 0 {
		w.fail(Misaligned, lane, "%s of %d bytes at %#x of %s memory", a.verb(), a.size, address, spaceNames[space])
		return nil
	}
	switch space {
	case ptx.Shared:
		return w.sharedView(a, lane, address)
	case ptx.Local:
		return w.localView(a, lane, address)
	case ptx.Param:
		return w.paramView(a, lane, address)
	}
	return w.globalView(a, lane, address)
}

var spaceNames = map[ptx.Space]string{ptx.Global: "global", ptx.Shared: "shared", ptx.Local: "local", ptx.Param: "parameter", ptx.Const: "constant"}

func (a access) verb() string {
	if a.write {
		return "write"
	}
	return "read"
}

// resolve turns a generic address into one of its space.
func resolve(space ptx.Space, address uint64) (ptx.Space, uint64) {
	switch {
	case space == ptx.NoSpace && address-sharedWindow < windowSize:
		return ptx.Shared, address - sharedWindow
	case space == ptx.NoSpace && address-localWindow < windowSize:
		return ptx.Local, address - localWindow
	case space == ptx.NoSpace && address-paramWindow < windowSize:
		return ptx.Param, address - paramWindow
	case space == ptx.NoSpace:
		return ptx.Global, address
	}
	return space, address
}

// holds reports whether memory of n bytes has size bytes at an address, which may be
// any number.
func holds(n int, address uint64, size int) bool {
	return size <= n && address <= uint64(n-size)
}

func (w *warp) sharedView(a access, lane int, address uint64) []byte {
	s := w.block.shared
	if !holds(len(s.bytes), address, a.size) {
		w.fail(OutOfBounds, lane, "%s of %d bytes at %d of %d bytes of shared memory", a.verb(), a.size, address, len(s.bytes))
		return nil
	}
	offset := int(address)
	if s.cells != nil {
		switch {
		case a.atomic:
			w.changes(lane, offset, a.size)
		case a.write:
			w.writes(lane, offset, a.size)
		default:
			w.reads(lane, offset, a.size)
		}
	}
	return s.bytes[offset : offset+a.size]
}

func (w *warp) localView(a access, lane int, address uint64) []byte {
	size := w.block.kernel.local
	if !holds(size, address, a.size) {
		w.fail(OutOfBounds, lane, "%s of %d bytes at %d of %d bytes of local memory", a.verb(), a.size, address, size)
		return nil
	}
	offset := lane*size + int(address)
	return w.local[offset : offset+a.size]
}

// paramView is for generic addresses: the parameters of a kernel are read-only.
func (w *warp) paramView(a access, lane int, address uint64) []byte {
	params := w.block.params
	switch {
	case !holds(len(params), address, a.size):
		w.fail(OutOfBounds, lane, "%s of %d bytes at %d of %d bytes of parameters", a.verb(), a.size, address, len(params))
		return nil
	case a.write:
		w.fail(OutOfBounds, lane, "write of %d bytes at %d of parameters, which are read-only", a.size, address)
		return nil
	}
	return params[address : address+uint64(a.size)]
}

func (w *warp) globalView(a access, lane int, address uint64) []byte {
	to := w.allocation(address, a.size)
	if to == nil {
		_, err := w.block.space.Find(address, a.size)
		w.fail(OutOfBounds, lane, "%s: %v", a.verb(), err)
		return nil
	}
	offset := address - to.Base
	if to.Defined != nil {
		state := to.Defined[offset : offset+uint64(a.size)]
		if a.write {
			for i := range state {
				state[i] = 1
			}
		} else if i := slices.Index(state, 0); i >= 0 {
			w.fail(Undefined, lane, "byte %d of an allocation of %d bytes was never written", offset+uint64(i), len(to.Bytes))
			return nil
		}
	}
	return to.Bytes[offset : offset+uint64(a.size)]
}

// allocation finds what holds an address, first where the warp has been lately.
func (w *warp) allocation(address uint64, size int) *memory.Allocation {
	for i, a := range &w.recent {
		if a != nil && a.Holds(address, size) {
			w.recent[0], w.recent[i] = a, w.recent[0]
			return a
		}
	}
	a, err := w.block.space.Find(address, size)
	if err != nil {
		return nil
	}
	copy(w.recent[1:], w.recent[:3])
	w.recent[0] = a
	return a
}
