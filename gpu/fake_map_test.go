package gpu

import "blockfp8/gpu/internal/driver"

// EncodeTensorMap keeps the map as it is, one word for each field, so that it can be
// held against the operands.
func (d *fakeDriver) EncodeTensorMap(m driver.TensorMap) ([driver.TensorMapWords]uint64, error) {
	if err := m.Check(); err != nil {
		return [driver.TensorMapWords]uint64{}, err
	}
	return fakeMap(m), nil
}

func fakeMap(m driver.TensorMap) [driver.TensorMapWords]uint64 {
	return [driver.TensorMapWords]uint64{uint64(m.Base), m.Columns, m.Rows, m.Groups, m.RowStride, m.GroupStride, uint64(m.BoxRows)}
}
