package interp

import "blockfp8/gpu/internal/ptx"

// bulkOp is cp.async.bulk.tensor.3d from global to shared memory of the own block: a
// box of a tensor whose bytes an mbarrier counts.
type bulkOp struct {
	to, mbarrier address
	tensor       address
	corner       [3]int // registers of the coordinates
}

func (c *call) bulkCopy() step {
	c.target(90)
	for _, m := range []string{"tensor", "3d", "shared::cluster", "global"} {
		c.need(m)
	}
	c.has("tile")
	c.need("mbarrier::complete_tx::bytes")
	op := bulkOp{to: c.addressOf(0), mbarrier: c.addressOf(2)}
	op.tensor, op.corner = c.tensorBox(1)
	if c.has("L2::cache_hint") {
		c.src(3, b64) // what stays in caches changes no result
	}
	return op.run
}

// tensorBox returns operand i, [map, {x, y, z}].
func (c *call) tensorBox(i int) (tensor address, corner [3]int) {
	o := c.operand(i)
	if o.Kind != ptx.AddressOperand || len(o.Elements) != 1 || len(o.Elements[0].Elements) != len(corner) {
		c.fail("operand %d has to be a tensor map with %d coordinates", i, len(corner))
		return tensor, corner
	}
	for j, e := range o.Elements[0].Elements {
		corner[j] = c.srcOf(e, s32)
	}
	o.Elements = nil
	return c.addressIn(o), corner
}

func (op *bulkOp) run(w *warp, on uint32) {
	to, tensor, mbarrier := op.to.of(w, on), op.tensor.of(w, on), op.mbarrier.of(w, on)
	if w.marked && !w.decides((w.marks[op.corner[0]]|w.marks[op.corner[1]]|w.marks[op.corner[2]])&on, "a coordinate") {
		return
	}
	for m := on; m != 0 && w.finding == nil; m &= m - 1 {
		lane := first(m)
		op.copy(w, lane, to[lane], tensor[lane], mbarrier[lane])
	}
}

// copy issues the copy of one lane.
func (op *bulkOp) copy(w *warp, lane int, to, tensor, mbarrier uint64) {
	t, ok := w.tensorMap(lane, tensor)
	if !ok || !w.mayHoldBox(lane, to, t.bytes()) {
		return
	}
	b := w.mbarrierAt(1<<lane, ptx.Shared, mbarrier)
	if b == nil || !b.reachable(w, lane) {
		return
	}
	var corner [3]int64
	for i, slot := range op.corner {
		corner[i] = s32.wide(w.registers[slot][lane])
	}
	c := &bulkCopy{offset: int(to), bytes: make([]byte, t.bytes()), warp: w, lane: lane, at: w.at()}
	if w.readBox(lane, &t, corner, c.bytes) {
		w.start(c, b)
	}
}

// tensorMap reads the map at a generic address.
func (w *warp) tensorMap(lane int, address uint64) (t TensorMap, ok bool) {
	const half = 4 * TensorMapWords // maps are aligned to as much
	var words []byte
	for _, at := range []uint64{address, address + half} {
		if space, _ := resolve(ptx.NoSpace, at); space != ptx.Param && space != ptx.Global {
			w.fail(BadTensorMap, lane, "a tensor map in %s memory", spaceNames[space])
			return t, false
		}
		b := w.view(access{size: half}, lane, at)
		if b == nil {
			return t, false
		}
		words = append(words, b...)
	}
	t, err := decodeTensorMap(words)
	if err != nil {
		w.fail(BadTensorMap, lane, "at %#x: %v", address, err)
		return t, false
	}
	return t, true
}

// mayHoldBox checks the target of a copy.
func (w *warp) mayHoldBox(lane int, to uint64, bytes int) bool {
	size := len(w.block.shared.bytes)
	switch {
	case to%swizzleRow != 0:
		w.fail(Misaligned, lane, "a bulk copy to %#x of shared memory; a multiple of %d is needed", to, swizzleRow)
	case !holds(size, to, bytes):
		w.fail(OutOfBounds, lane, "a bulk copy of %d bytes to %d of %d bytes of shared memory", bytes, to, size)
	default:
		return true
	}
	return false
}

// readBox reads the box of a tensor at some coordinates. What lies outside of the
// tensor stays zero.
func (w *warp) readBox(lane int, t *TensorMap, corner [3]int64, to []byte) bool {
	c := &w.block.counters
	for i := range len(to) / swizzleRow {
		address, at, n := t.row(i, corner)
		if n == 0 {
			continue
		}
		from := w.globalView(access{space: ptx.Global, size: n}, lane, address)
		if from == nil {
			return false
		}
		copy(to[i*swizzleRow+at:], from)
		c.GlobalRead += uint64(n)
		c.GlobalSectors += (address+uint64(n)-1)/sectorBytes - address/sectorBytes + 1
	}
	c.GlobalRequests++
	return true
}
