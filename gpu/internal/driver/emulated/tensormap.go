package emulated

import (
	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/ptx/interp"
)

// EncodeTensorMap implements driver.Device. The chips before sm_90 have no tensor maps.
func (d *Device) EncodeTensorMap(m driver.TensorMap) ([driver.TensorMapWords]uint64, error) {
	if d.chip.arch.Major < 9 {
		return [driver.TensorMapWords]uint64{}, &driver.Error{Op: "encode tensor map", Kind: driver.ErrUnsupported, Text: d.chip.arch.String() + " has none"}
	}
	if err := m.Check(); err != nil {
		return [driver.TensorMapWords]uint64{}, err
	}
	return interp.TensorMap{
		Base: uint64(m.Base), Extents: [3]uint64{m.Columns, m.Rows, m.Groups}, Strides: [2]uint64{m.RowStride, m.GroupStride},
		Box: [3]uint32{driver.TensorMapColumns, m.BoxRows, m.BoxGroups},
	}.Encode(), nil
}
