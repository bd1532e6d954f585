package memory

// Write copies src to an address and defines those bytes.
func (s *Space) Write(address uint64, src []byte) error {
	a, err := s.Find(address, len(src))
	if err != nil {
		return err
	}
	off := address - a.Base
	copy(a.Bytes[off:], src)
	a.define(off, len(src))
	return nil
}

// Read copies to dst. What was never written is read as it is.
func (s *Space) Read(dst []byte, address uint64) error {
	a, err := s.Find(address, len(dst))
	if err != nil {
		return err
	}
	copy(dst, a.Bytes[address-a.Base:])
	return nil
}

// Copy copies n bytes from src to dst. Bytes that were never written stay so.
func (s *Space) Copy(dst, src uint64, n int) error {
	from, err := s.Find(src, n)
	if err != nil {
		return err
	}
	to, err := s.Find(dst, n)
	if err != nil {
		return err
	}
	i, j := src-from.Base, dst-to.Base
	copy(to.Bytes[j:], from.Bytes[i:i+uint64(n)])
	if s.check {
		copy(to.Defined[j:], from.Defined[i:i+uint64(n)])
	}
	return nil
}

// Fill sets n bytes to a value.
func (s *Space) Fill(address uint64, value byte, n int) error {
	a, err := s.Find(address, n)
	if err != nil {
		return err
	}
	off := address - a.Base
	for i := range a.Bytes[off : off+uint64(n)] {
		a.Bytes[off+uint64(i)] = value
	}
	a.define(off, n)
	return nil
}

func (a *Allocation) define(offset uint64, n int) {
	if a.Defined == nil {
		return
	}
	for i := range a.Defined[offset : offset+uint64(n)] {
		a.Defined[offset+uint64(i)] = 1
	}
}
