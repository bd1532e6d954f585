package memory

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
)

// alloc is memory that a test cannot do without.
func alloc(t *testing.T, s *Space, n int64) uint64 {
	t.Helper()
	p, err := s.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// faults checks that an error is a Fault which says something.
func faults(t *testing.T, err error, says string) {
	t.Helper()
	var f *Fault
	if !errors.As(err, &f) || !strings.Contains(f.Text, says) {
		t.Errorf("got %v, want a fault that says %q", err, says)
	}
}

func TestAddresses(t *testing.T) {
	s := NewSpace(1<<20, false)
	first, second := alloc(t, s, 1), alloc(t, s, 300)
	if first != 0x7_0000_0000 || second != 0x7_0001_0100 {
		t.Errorf("allocations at %#x and %#x", first, second)
	}
	if err := s.Free(first); err != nil {
		t.Fatal(err)
	}
	if third := alloc(t, s, 1); third != 0x7_0002_0300 {
		t.Errorf("the third allocation is at %#x, a freed address may not come again", third)
	}
}

func TestAccounting(t *testing.T) {
	s := NewSpace(1000, true)
	p := alloc(t, s, 600)
	if free, total := s.Info(); free != 400 || total != 1000 {
		t.Errorf("%d of %d bytes free", free, total)
	}
	for _, n := range []int64{401, 1 << 62, 0, -1} {
		_, err := s.Alloc(n)
		var full *OutOfMemory
		if !errors.As(err, &full) || *full != (OutOfMemory{Want: n, Free: 400}) {
			t.Errorf("allocation of %d bytes: %v", n, err)
		}
	}
	if err := s.Free(p); err != nil {
		t.Fatal(err)
	}
	if free, _ := s.Info(); free != 1000 {
		t.Errorf("%d bytes free after all was given back", free)
	}
}

func TestFaults(t *testing.T) {
	s := NewSpace(1<<20, false)
	faults(t, s.Free(0), "free of 0x0")
	gone, p := alloc(t, s, 8), alloc(t, s, 100)
	if err := s.Free(gone); err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	faults(t, s.Free(gone), "free of 0x700000000, which is no allocation: byte 0 of 8 that were freed")
	faults(t, s.Free(p+4), "byte 4 of an allocation of 100")
	faults(t, s.Read(one, gone+7), "1 bytes at 0x700000007 are not allocated: byte 7 of 8 that were freed")
	faults(t, s.Read(one, p+100), "1 bytes at 0x700010164 are not allocated: byte 100 of an allocation of 100")
	faults(t, s.Write(p+99, []byte{1, 2}), "2 bytes at 0x700010163 are not allocated: byte 99 of an allocation of 100")
	faults(t, s.Read(one, 16), "bytes before the first allocation")
	faults(t, s.Fill(p, 0, 101), "101 bytes")
	faults(t, s.Fill(p, 0, -1), "-1 bytes")
	faults(t, s.Copy(p, gone, 1), "0x700000000")
	faults(t, s.Copy(gone, p, 1), "0x700000000")
	faults(t, s.Read(one, ^uint64(0)), "0xffffffffffffffff")
}

func TestHolds(t *testing.T) {
	a := &Allocation{Base: 1000, Bytes: make([]byte, 10)}
	for _, c := range []struct {
		address uint64
		size    int
		want    bool
	}{
		{1000, 10, true},
		{1000, 11, false},
		{1009, 1, true},
		{1010, 0, true},
		{1010, 1, false},
		{1011, 0, false},
		{999, 1, false},
		{1005, -1, false},
		{1000, 1<<63 - 1, false},
		{^uint64(0), 2000, false},
	} {
		if got := a.Holds(c.address, c.size); got != c.want {
			t.Errorf("Holds(%d, %d) = %v", c.address, c.size, got)
		}
	}
}

func TestFindAmongMany(t *testing.T) {
	s := NewSpace(1<<20, false)
	var at []uint64
	for i := range int64(50) {
		at = append(at, alloc(t, s, 1+i))
	}
	for i := 0; i < 50; i += 3 {
		if err := s.Free(at[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range at {
		a, err := s.Find(p, 1+i)
		if i%3 == 0 {
			faults(t, err, "that were freed")
		} else if err != nil || a.Base != p || len(a.Bytes) != 1+i {
			t.Errorf("allocation %d: %+v, %v", i, a, err)
		}
	}
}

func TestContents(t *testing.T) {
	for _, check := range []bool{false, true} {
		s := NewSpace(1<<20, check)
		p, q := alloc(t, s, 8), alloc(t, s, 8)
		for _, err := range []error{
			s.Write(p+1, []byte{1, 2, 3}),
			s.Fill(p+6, 9, 2),
			s.Copy(q+2, p, 4),
			s.Copy(p, q, 0),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		got := make([]byte, 8)
		for _, c := range []struct {
			at            uint64
			want, defined []byte
		}{
			{p, []byte{0xFF, 1, 2, 3, 0xFF, 0xFF, 9, 9}, []byte{0, 1, 1, 1, 0, 0, 1, 1}},
			{q, []byte{0xFF, 0xFF, 0xFF, 1, 2, 3, 0xFF, 0xFF}, []byte{0, 0, 0, 1, 1, 1, 0, 0}},
		} {
			if err := s.Read(got, c.at); err != nil || !bytes.Equal(got, c.want) {
				t.Errorf("read % x, %v, want % x", got, err, c.want)
			}
			a, err := s.Find(c.at, 8)
			if err != nil {
				t.Fatal(err)
			}
			if !check {
				c.defined = nil
			}
			if !bytes.Equal(a.Defined, c.defined) {
				t.Errorf("defined %v, want %v", a.Defined, c.defined)
			}
		}
	}
}

// Memory in stream order: an address first, memory later, and again after a free.
func TestReserveAndProvide(t *testing.T) {
	s := NewSpace(1000, true)
	early, err := s.Reserve(10)
	if err != nil {
		t.Fatal(err)
	}
	late := alloc(t, s, 10)
	if free, _ := s.Info(); free != 990 {
		t.Errorf("%d bytes free beside a reservation", free)
	}
	faults(t, s.Write(early, []byte{1}), "not allocated")
	for range 2 {
		if err := s.Provide(early, 10); err != nil {
			t.Fatal(err)
		}
		faults(t, s.Provide(early, 10), "there already")
		if a, err := s.Find(early, 10); err != nil || a.Defined[0] != 0 {
			t.Errorf("%+v, %v: provided memory is not new", a, err)
		}
		if a, err := s.Find(late, 10); err != nil || a.Base != late {
			t.Errorf("%+v, %v: the neighbour is lost", a, err)
		}
		if err := s.Write(early, []byte{1}); err != nil {
			t.Fatal(err)
		}
		if err := s.Free(early); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Reserve(1001); err == nil {
		t.Error("more than all memory was reserved")
	}
	full, err := s.Reserve(1000)
	if err != nil {
		t.Fatal(err)
	}
	var out *OutOfMemory
	if err := s.Provide(full, 1000); !errors.As(err, &out) || out.Free != 990 {
		t.Errorf("provided beside 10 other bytes: %v", err)
	}
}

// Only where freed memory was is kept, and not for ever.
func TestFreedAreForgotten(t *testing.T) {
	s := NewSpace(1<<20, false)
	first := alloc(t, s, 8)
	freed := first
	for range rememberFreed + 1 {
		if err := s.Free(freed); err != nil {
			t.Fatal(err)
		}
		freed = alloc(t, s, 8)
	}
	if _, err := s.Find(first, 1); err == nil || strings.Contains(err.Error(), "freed") {
		t.Errorf("the oldest of %d freed allocations: %v", rememberFreed+1, err)
	}
	if len(s.freed) != rememberFreed {
		t.Errorf("%d freed allocations are remembered", len(s.freed))
	}
}

func TestConcurrentUse(t *testing.T) {
	s := NewSpace(1<<20, true)
	var all sync.WaitGroup
	for g := range byte(8) {
		all.Go(func() {
			for range 100 {
				p, err := s.Alloc(64)
				if err != nil {
					t.Error(err)
					return
				}
				got := make([]byte, 64)
				if err := errors.Join(s.Fill(p, g, 64), s.Read(got, p), s.Free(p)); err != nil {
					t.Error(err)
				}
				if !bytes.Equal(got, bytes.Repeat([]byte{g}, 64)) {
					t.Errorf("another goroutine's bytes: % x", got)
				}
			}
		})
	}
	all.Wait()
	if free, _ := s.Info(); free != 1<<20 {
		t.Errorf("%d bytes free in the end", free)
	}
}
