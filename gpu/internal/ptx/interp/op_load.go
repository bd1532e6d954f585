package interp

import (
	"encoding/binary"

	"blockfp8/gpu/internal/ptx"
)

// address is the address operand of an instruction.
type address struct {
	slot   int // of the register, or of a constant
	offset uint64
	bits   number // how large addresses are
}

// addressOf returns operand i, which has to be [register+offset] or [name+offset].
func (c *call) addressOf(i int) address {
	o := c.operand(i)
	if o.Kind != ptx.AddressOperand || len(o.Elements) > 0 {
		c.fail("operand %d has to be an address", i)
		return address{}
	}
	return c.addressIn(o)
}

func (c *call) addressIn(o ptx.Operand) address {
	if _, ok := c.registers[o.Name]; ok {
		r := c.register(o, 32, 64)
		return address{r.slot, uint64(o.Offset), number{'b', r.bits}}
	}
	if o.Name == "" {
		return address{c.constant(0), uint64(o.Offset), b64}
	}
	return address{c.constant(c.scope.address(o.Name, c)), uint64(o.Offset), b64}
}

// address returns where a variable lies in its space.
func (s *scope) address(name string, c *call) uint64 {
	v, ok := s.addresses[name]
	if !ok {
		c.fail("%s is no variable", name)
	}
	return uint64(v.offset)
}

// of returns the addresses of all lanes. Those that are on have to be defined.
func (a address) of(w *warp, on uint32) (at vector) {
	if w.marked {
		w.decides(w.marks[a.slot]&on, "an address")
	}
	for i, v := range &w.registers[a.slot] {
		at[i] = a.bits.cut(v + a.offset)
	}
	return at
}

var spaces = map[string]ptx.Space{
	"": ptx.NoSpace, "global": ptx.Global, "shared": ptx.Shared, "shared::cta": ptx.Shared,
	"local": ptx.Local, "param": ptx.Param, "const": ptx.Const,
}

// space takes a state space, and says what is kept busy there.
func (c *call) space() ptx.Space {
	s := spaces[c.take("global", "shared", "shared::cta", "local", "param", "const")]
	switch s {
	case ptx.Global:
		c.to.class = GlobalMemory
	case ptx.Shared:
		c.to.class = SharedMemory
	}
	return s
}

// ordering takes what says how an access is ordered with others, which is strongest
// if it is named strongest. It reports whether other blocks may access the same
// memory meanwhile.
func (c *call) ordering(strongest string) (strong bool) {
	switch c.take("volatile", "weak", "relaxed", strongest) {
	case "relaxed", strongest:
		c.need("cta", "cluster", "gpu", "sys")
		return true
	case "volatile":
		return true
	}
	return false
}

// alone is a step that no atomic operation and no strong access of another block
// runs into.
func alone(s step) step {
	return func(w *warp, on uint32) {
		atomics.Lock()
		defer atomics.Unlock()
		s(w, on)
	}
}

// cached takes the modifiers that steer caches, which change no result. policies
// are those of the direction; nc, of global memory that nobody writes meanwhile.
func (c *call) cached(nc bool, policies ...string) {
	c.take(policies...)
	if nc {
		c.has("nc")
	}
	c.take("L1::evict_last", "L1::evict_first", "L1::no_allocate", "L1::evict_normal", "L1::evict_unchanged")
	c.take("L2::64B", "L2::128B", "L2::256B")
}

// moved takes the shape and type of what is loaded or stored.
func (c *call) moved() (count int, t number) {
	count = map[string]int{"": 1, "v2": 2, "v4": 4}[c.take("v2", "v4")]
	t = c.number("busf", 8, 16, 32, 64)
	if count*t.bits > 128 || t.isFloat() && t.bits == 16 {
		c.fail("%d times %v cannot be moved", count, t)
	}
	return count, t
}

// loaded is a register that a load fills, and how: an integer is extended by the
// sign of its own type, everything else by zeros.
type loaded struct {
	slot int
	held number
}

// loaded returns the registers that operand 0 names.
func (c *call) loaded(count int, t number) []loaded {
	ds := make([]loaded, 0, count)
	c.list(c.operand(0), count, func(o ptx.Operand) int {
		r := c.written(o, t.bits, 64)
		ds = append(ds, loaded{r.slot, number{'b', r.bits}})
		return r.slot
	})
	return ds
}

// fill puts the number at the beginning of b into the register.
func (d loaded) fill(w *warp, lane int, t number, b []byte) {
	w.registers[d.slot][lane] = d.held.cut(uint64(t.wide(t.read(b))))
}

func buildLd(c *call) step {
	strong := c.ordering("acquire")
	space := c.space()
	c.cached(space == ptx.Global, "ca", "cg", "cs", "lu", "cv")
	count, t := c.moved()
	ds := c.loaded(count, t)
	from := c.addressOf(1)
	if space == ptx.Param {
		return c.loadParam(ds, t, from)
	}
	a := access{space: space, size: count * t.bits / 8}
	c.to.flow = ownFlow
	load := func(w *warp, on uint32) {
		at := from.of(w, on)
		w.count(a, on, &at)
		var holes [4]uint32
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			b := w.view(a, i, at[i])
			if b == nil {
				return
			}
			for j, d := range ds {
				if w.holes>>(j*t.bits/8)&(1<<(t.bits/8)-1) != 0 {
					holes[j] |= 1 << i
				}
				d.fill(w, i, t, b[j*t.bits/8:])
			}
		}
		for j, d := range ds {
			w.mark(d.slot, on, holes[j])
		}
	}
	if strong {
		return alone(load)
	}
	return load
}

// loadParam reads parameters, which all lanes share.
func (c *call) loadParam(ds []loaded, t number, from address) step {
	return func(w *warp, on uint32) {
		at := from.of(w, on)
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			if size := len(ds) * t.bits / 8; !holds(len(w.block.params), at[i], size) {
				w.fail(OutOfBounds, i, "read of %d bytes at %d of %d bytes of parameters", size, int64(at[i]), len(w.block.params))
				return
			} else if at[i]%uint64(size) != 0 {
				w.fail(Misaligned, i, "read of %d bytes at %#x of parameters", size, at[i])
				return
			}
			for j, d := range ds {
				d.fill(w, i, t, w.block.params[at[i]+uint64(j*t.bits/8):])
			}
		}
	}
}

// read returns the little-endian number at the beginning of b.
func (t number) read(b []byte) uint64 {
	switch t.bits {
	case 8:
		return uint64(b[0])
	case 16:
		return uint64(binary.LittleEndian.Uint16(b))
	case 32:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func (t number) write(b []byte, v uint64) {
	switch t.bits {
	case 8:
		b[0] = byte(v)
	case 16:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 32:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

func buildSt(c *call) step {
	strong := c.ordering("release")
	space := c.space()
	if space == ptx.Param || space == ptx.Const {
		c.fail("a store to memory that is read-only")
	}
	c.cached(false, "wb", "cg", "cs", "wt")
	count, t := c.moved()
	to := c.addressOf(0)
	as := c.list(c.operand(1), count, func(o ptx.Operand) int { return c.readOf(o, t, 64) })
	a := access{space: space, size: count * t.bits / 8, write: true}
	store := func(w *warp, on uint32) {
		at := to.of(w, on)
		w.count(a, on, &at)
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			b := w.view(a, i, at[i])
			if b == nil {
				return
			}
			before := w.kept(b)
			for j, s := range as {
				t.write(b[j*t.bits/8:], w.registers[s][i])
				if w.marked && w.marks[s]>>i&1 == 1 {
					w.storeMarked(access{space: a.space, size: t.bits / 8, write: true}, i, at[i]+uint64(j*t.bits/8))
				}
			}
			w.agree(i, before, b)
		}
	}
	if strong {
		return alone(store)
	}
	return store
}
