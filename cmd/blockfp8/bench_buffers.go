package main

import (
	"encoding/binary"
	"errors"
	"math"

	"blockfp8/gpu"
)

// uploadBytes makes a buffer that holds b.
func uploadBytes(dev *gpu.Device, s *gpu.Stream, b []byte) (*gpu.Buffer, error) {
	buffer, err := dev.NewBuffer(int64(len(b)))
	if err != nil {
		return nil, err
	}
	return buffer, buffer.Write(s, 0, b)
}

// closeBuffers closes the buffers that there are.
func closeBuffers(buffers ...*gpu.Buffer) error {
	var errs []error
	for _, b := range buffers {
		if b != nil {
			errs = append(errs, b.Close())
		}
	}
	return errors.Join(errs...)
}

func closeWeights(weights []*gpu.Weight) error {
	var errs []error
	for _, w := range weights {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// floatsAsBytes encodes values as devices hold them.
func floatsAsBytes(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
