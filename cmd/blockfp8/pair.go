package main

import (
	"encoding/binary"
	"math"

	"blockfp8/safetensors"
	"blockfp8/scale"
)

// pairTensors describes a weight and its scales as they are stored.
func pairTensors(layer string, naming safetensors.Naming, scales safetensors.DType, l scale.Layout) [2]safetensors.Tensor {
	return [2]safetensors.Tensor{
		{Name: layer + ".weight", DType: safetensors.F8_E4M3, Shape: []int64{int64(l.Rows), int64(l.Cols)}},
		{Name: layer + "." + string(naming), DType: scales, Shape: []int64{int64(l.GridRows()), int64(l.GridCols())}},
	}
}

// writePair writes a weight and its scales to w, which has the tensors of
// pairTensors.
func writePair(w *safetensors.Writer, layer string, naming safetensors.Naming, codes []scale.E4M3, grid scale.Grid) error {
	if err := w.Write(layer+".weight", codeBytes(codes)); err != nil {
		return err
	}
	return w.Write(layer+"."+string(naming), gridBytes(grid))
}

func codeBytes(codes []scale.E4M3) []byte {
	b := make([]byte, len(codes))
	for i, c := range codes {
		b[i] = byte(c)
	}
	return b
}

// gridBytes returns the scales of a dense row-major grid as they are stored.
func gridBytes(g scale.Grid) []byte {
	var b []byte
	for _, s := range g.Codes() {
		b = append(b, byte(s))
	}
	for _, v := range g.Values() {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
