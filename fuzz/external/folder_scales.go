package external

import (
	"encoding/binary"
	"math"

	"blockfp8/internal/tensor"
	"blockfp8/safetensors"
	"blockfp8/scale"
)

// scalesOf is a grid's scales, dense and by row, with their bits.
func scalesOf(g scale.Grid) tensor.Tensor {
	l := g.Layout()
	t := tensor.Tensor{DType: safetensors.F32, Shape: []int{l.GridRows(), l.GridCols()}}
	if g.IsE8M0() {
		t.DType = safetensors.F8_E8M0
	}
	for i := range l.GridRows() {
		for j := range l.GridCols() {
			if at := l.Index(i, j); g.IsE8M0() {
				t.Data = append(t.Data, byte(g.Codes()[at]))
			} else {
				t.Data = appendBits(t.Data, math.Float32bits(g.Values()[at]), 32)
			}
		}
	}
	return t
}

// appendBits appends a number of so many bits, little-endian.
func appendBits(data []byte, bits uint32, width int) []byte {
	if width == 16 {
		return binary.LittleEndian.AppendUint16(data, uint16(bits))
	}
	return binary.LittleEndian.AppendUint32(data, bits)
}
