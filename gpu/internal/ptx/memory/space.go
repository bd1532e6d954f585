// Package memory is the global memory of an emulated device: allocations with
// addresses, and, byte by byte, whether anything was ever written.
package memory

import (
	"fmt"
	"slices"
	"sync"
)

const (
	firstAddress = 0x7_0000_0000 // far from 0 and from the windows of generic addresses
	alignment    = 256
	// gap lies after every allocation, so that running over the end of one never
	// reaches the next.
	gap = 64 << 10
)

// Space is the global memory of one device. Its methods are safe for concurrent
// use; the bytes of an allocation are not guarded against concurrent access, as on
// a device.
type Space struct {
	total int64
	check bool

	mu    sync.RWMutex
	used  int64
	next  uint64
	live  []*Allocation // ascending by address
	freed []extent      // for messages, the oldest dropped
}

// extent is where an allocation was.
type extent struct {
	base  uint64
	bytes int
}

// Allocation is one range of memory.
type Allocation struct {
	Base  uint64
	Bytes []byte
	// Defined is 1 for every byte that was written, or nil where a space does not
	// check.
	Defined []byte
}

// Fault is an access to memory that is not there.
type Fault struct{ Text string }

func (f *Fault) Error() string { return f.Text }

// OutOfMemory is a request that does not fit.
type OutOfMemory struct{ Want, Free int64 }

func (e *OutOfMemory) Error() string {
	return fmt.Sprintf("%d bytes do not fit in the %d that are free", e.Want, e.Free)
}

// NewSpace returns an empty memory of that many bytes. If check, it keeps track
// of the bytes that were written.
func NewSpace(total int64, check bool) *Space {
	return &Space{total: total, check: check, next: firstAddress}
}

// Info returns the bytes that are free, and all.
func (s *Space) Info() (free, total int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.total - s.used, s.total
}

// Alloc returns the address of new memory, a multiple of 256. Nothing in it is
// defined; unchecked, it holds a pattern that is no number.
func (s *Space) Alloc(bytes int64) (uint64, error) {
	address, err := s.Reserve(bytes)
	if err != nil {
		return 0, err
	}
	return address, s.Provide(address, bytes)
}

// Reserve returns an address that nothing else gets, for bytes bytes of memory
// that Provide makes later.
func (s *Space) Reserve(bytes int64) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes <= 0 || bytes > s.total {
		return 0, &OutOfMemory{Want: bytes, Free: s.total - s.used}
	}
	address := s.next
	s.next += (uint64(bytes) + gap + alignment - 1) / alignment * alignment
	return address, nil
}

// Provide makes memory at an address that Reserve gave for that many bytes.
// After a Free it may be made again, as new.
func (s *Space) Provide(address uint64, bytes int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if free := s.total - s.used; bytes > free {
		return &OutOfMemory{Want: bytes, Free: free}
	}
	i, found := s.search(address)
	if found && s.live[i].Base == address {
		return &Fault{fmt.Sprintf("memory at %#x is there already", address)}
	}
	s.used += bytes
	s.live = slices.Insert(s.live, i+1, s.undefined(address, bytes))
	return nil
}

func (s *Space) undefined(address uint64, bytes int64) *Allocation {
	a := &Allocation{Base: address, Bytes: make([]byte, bytes)}
	for i := range a.Bytes {
		a.Bytes[i] = 0xFF
	}
	if s.check {
		a.Defined = make([]byte, bytes)
	}
	return a
}

const rememberFreed = 1024

// Free gives memory back. The address is never used again, except by Provide.
func (s *Space) Free(address uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.search(address)
	if !ok || s.live[i].Base != address {
		return &Fault{fmt.Sprintf("free of %#x, which is no allocation%s", address, s.near(address))}
	}
	a := s.live[i]
	s.live = slices.Delete(s.live, i, i+1)
	s.used -= int64(len(a.Bytes))
	if len(s.freed) == rememberFreed {
		s.freed = slices.Delete(s.freed, 0, 1)
	}
	s.freed = append(s.freed, extent{a.Base, len(a.Bytes)})
	return nil
}

// search returns the index of the allocation with the largest base that is not
// above the address.
func (s *Space) search(address uint64) (int, bool) {
	i, found := slices.BinarySearchFunc(s.live, address, func(a *Allocation, at uint64) int {
		switch {
		case a.Base < at:
			return -1
		case a.Base > at:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	return i, i >= 0
}

// Holds reports whether size bytes at the address lie in the allocation.
func (a *Allocation) Holds(address uint64, size int) bool {
	return size >= 0 && within(address, a.Base, len(a.Bytes)) && uint64(size) <= uint64(len(a.Bytes))-(address-a.Base)
}

// within reports whether an address is in a range, or right behind it.
func within(address, base uint64, bytes int) bool {
	return address >= base && address-base <= uint64(bytes)
}

// Find returns the allocation that holds size bytes at the address, or a *Fault
// that says what is near.
func (s *Space) Find(address uint64, size int) (*Allocation, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i, ok := s.search(address); ok && s.live[i].Holds(address, size) {
		return s.live[i], nil
	}
	return nil, &Fault{fmt.Sprintf("%d bytes at %#x are not allocated%s", size, address, s.near(address))}
}

// near describes what an address might have been meant for.
func (s *Space) near(address uint64) string {
	for _, f := range s.freed {
		if address != f.base+uint64(f.bytes) && within(address, f.base, f.bytes) {
			return fmt.Sprintf(": byte %d of %d that were freed", address-f.base, f.bytes)
		}
	}
	if i, ok := s.search(address); ok {
		a := s.live[i]
		return fmt.Sprintf(": byte %d of an allocation of %d", address-a.Base, len(a.Bytes))
	}
	if len(s.live) > 0 {
		return fmt.Sprintf(": %d bytes before the first allocation", s.live[0].Base-address)
	}
	return ""
}
