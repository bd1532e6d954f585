package interp

import (
	"encoding/binary"

	"blockfp8/gpu/internal/ptx"
)

// address is the address operand of an instruction.
type address struct {
	slot   int // of the register, or of a constant
	offset uint64
}

// address returns operand i, which has to be [register+offset] or [name+offset].
func (c *call) addressOf(i int) address {
	o := c.operand(i)
	if o.Kind != ptx.AddressOperand || len(o.Elements) > 0 {
		c.fail("operand %d has to be an address", i)
		return address{}
	}
	if slot, ok := c.registers[o.Name]; ok {
		return address{slot, uint64(o.Offset)}
	}
	if o.Name == "" {
		return address{c.constant(0), uint64(o.Offset)}
	}
	return address{c.constant(c.scope.address(o.Name, c)), uint64(o.Offset)}
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
		at[i] = v + a.offset
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

// hints takes modifiers that steer caches: they change no result.
func (c *call) hints() {
	for c.take("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L1::evict_last", "L1::evict_first", "L1::no_allocate", "L1::evict_normal", "L2::64B", "L2::128B", "L2::256B") != "" {
	}
}

// moved takes the shape and type of what is loaded or stored.
func (c *call) moved() (count int, t number) {
	count = map[string]int{"": 1, "v2": 2, "v4": 4}[c.take("v2", "v4")]
	t = c.number("busfh", 8, 16, 32, 64)
	if count*t.bits > 128 {
		c.fail("%d times %v is more than 16 bytes", count, t)
	}
	return count, t
}

func buildLd(c *call) step {
	c.take("volatile", "relaxed", "acquire", "weak")
	c.take("cta", "cluster", "gpu", "sys")
	space := c.space()
	c.hints()
	count, t := c.moved()
	ds := c.dsts(0, count)
	size := t
	if t.kind == 's' {
		size = c.sizeOf(ds[0], t)
	}
	from := c.addressOf(1)
	if space == ptx.Param {
		return c.loadParam(ds, t, size, from)
	}
	a := access{space: space, size: count * t.bits / 8}
	c.to.flow = ownFlow
	return func(w *warp, on uint32) {
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
				w.registers[d][i] = size.cut(uint64(t.wide(t.read(b[j*t.bits/8:]))))
			}
		}
		for j, d := range ds {
			w.mark(d, on, holes[j])
		}
	}
}

// loadParam reads parameters, which all lanes share.
func (c *call) loadParam(ds []int, t, size number, from address) step {
	return func(w *warp, on uint32) {
		at := from.of(w, on)
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			if at[i]+uint64(len(ds)*t.bits/8) > uint64(len(w.block.params)) {
				w.fail(OutOfBounds, i, "parameter bytes from %d on; there are %d", at[i], len(w.block.params))
				return
			}
			for j, d := range ds {
				w.registers[d][i] = size.cut(uint64(t.wide(t.read(w.block.params[at[i]+uint64(j*t.bits/8):]))))
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
	c.take("volatile", "relaxed", "release", "weak")
	c.take("cta", "cluster", "gpu", "sys")
	space := c.space()
	if space == ptx.Param || space == ptx.Const {
		c.fail("a store to memory that is read-only")
	}
	c.hints()
	count, t := c.moved()
	to, as := c.addressOf(0), c.srcs(1, count, t)
	a := access{space: space, size: count * t.bits / 8, write: true}
	return func(w *warp, on uint32) {
		at := to.of(w, on)
		w.count(a, on, &at)
		for m := on; m != 0; m &= m - 1 {
			i := first(m)
			b := w.view(a, i, at[i])
			if b == nil {
				return
			}
			for j, s := range as {
				t.write(b[j*t.bits/8:], w.registers[s][i])
				if w.marked && w.marks[s]>>i&1 == 1 {
					w.storeMarked(access{a.space, t.bits / 8, true}, i, at[i]+uint64(j*t.bits/8))
				}
			}
		}
	}
}
