package emulated

import "blockfp8/gpu/internal/driver"

// EncodeTensorMap implements driver.Device.
func (d *Device) EncodeTensorMap(m driver.TensorMap) ([driver.TensorMapWords]uint64, error) {
	if err := m.Check(); err != nil {
		return [driver.TensorMapWords]uint64{}, err
	}
	return [driver.TensorMapWords]uint64{}, &driver.Error{Op: "encode tensor map", Kind: driver.ErrUnsupported, Text: "emulated chips have no tensor maps"}
}
