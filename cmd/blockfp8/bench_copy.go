package main

import (
	"errors"

	"blockfp8/gpu"
)

// copyBytes is far more than a device's cache holds.
const copyBytes = 1 << 30

// copyBandwidth measures copies within the device, in GB/s of bytes read and
// written together.
func copyBandwidth(dev *gpu.Device, watch stopwatch) (gbs float64, err error) {
	from, err := dev.NewBuffer(copyBytes)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := dev.NewBuffer(copyBytes)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	var times []float64
	for range 10 {
		t, err := watch.time(func(s *gpu.Stream) error { return to.Copy(s, 0, from, 0, copyBytes) })
		if err != nil {
			return 0, err
		}
		times = append(times, t.gpuMilliseconds)
	}
	return 2 * copyBytes / median(times) / 1e6, nil
}
