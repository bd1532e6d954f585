package gpu

import "blockfp8/gpu/internal/driver"

// pushMaps appends the tensor maps of the codes of A and of B, in boxes of the tokens
// and weight rows of the form's tile. They are made for each launch: of A nothing
// lasts longer, and B's costs too little to be kept.
func (d *Device) pushMaps(l *driver.Launch, f *form, g *gemm) error {
	for _, o := range [...]codes{
		{g.a, g.m, g.strideA, g.groupA, 8 * f.tokens},
		{g.b, g.n, g.strideB, g.groupB, 16 * f.rows},
	} {
		m := o.map3D(g)
		if f.mapsChunks(g) {
			m = o.mapOfChunks(g, f.ways())
		}
		words, err := d.encodeMap(m)
		if err != nil {
			return err
		}
		l.PushMap(words)
	}
	return nil
}

// encodeMap encodes a map. Where K is 0 there is nothing to copy and no map: the kernel
// does not look at it.
func (d *Device) encodeMap(m driver.TensorMap) ([driver.TensorMapWords]uint64, error) {
	if m.Columns == 0 {
		return [driver.TensorMapWords]uint64{}, nil
	}
	return d.drv.EncodeTensorMap(m)
}

// codes is the codes of an operand in device memory.
type codes struct {
	base                driver.Ptr
	rows, stride, group int // group: bytes to the next one
	boxRows             int
}

// map3D has the rows of K codes of each group. One group has no distance to the next;
// a map wants some.
func (o codes) map3D(g *gemm) driver.TensorMap {
	if g.groups == 1 {
		o.group = o.stride
	}
	return driver.TensorMap{
		Base: o.base, Columns: uint64(g.k), Rows: uint64(o.rows), Groups: uint64(g.groups),
		RowStride: uint64(o.stride), GroupStride: uint64(o.group), BoxRows: uint32(o.boxRows), BoxGroups: 1,
	}
}

// mapOfChunks has, in the place of groups, the chunks of K of all groups, so that one
// copy brings several of them.
func (o codes) mapOfChunks(g *gemm, chunks int) driver.TensorMap {
	return driver.TensorMap{
		Base: o.base, Columns: chunkBytes, Rows: uint64(o.rows), Groups: uint64(((g.groups-1)*o.group + g.k) / chunkBytes),
		RowStride: uint64(o.stride), GroupStride: chunkBytes, BoxRows: uint32(o.boxRows), BoxGroups: uint32(chunks),
	}
}

// mapsChunks reports whether the maps of a launch are of chunks, which the forms for
// few tokens prefer: whole ones, and a whole number of them from one group to the next.
func (f *form) mapsChunks(g *gemm) bool {
	bits := g.k
	if g.groups > 1 {
		bits |= g.groupA | g.groupB
	}
	return f.fewTokens() && g.k > 0 && bits%chunkBytes == 0
}
