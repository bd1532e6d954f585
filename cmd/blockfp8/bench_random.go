package main

import (
	"encoding/binary"
	"math/rand/v2"

	"blockfp8/ref"
	"blockfp8/scale"
)

// randomCodes draws n bytes that are E4M3 numbers. None is a NaN, which would
// hide what the others give.
func randomCodes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n+7)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], rng.Uint64())
	}
	for i, c := range b {
		if scale.E4M3(c).IsNaN() {
			b[i] = c - 1 // the largest number of that sign
		}
	}
	return b[:n]
}

// randomWeight makes a weight [n,k] of the first codes and random E8M0 scales
// from 2^-11 to 2^-4.
func randomWeight(rng *rand.Rand, codes []byte, n, k int) (ref.Operand, error) {
	scales := make([]scale.E8M0, blocksOf(n)*blocksOf(k))
	for i := range scales {
		scales[i] = scale.E8M0(0x74 + rng.IntN(8))
	}
	grid, err := scale.NewE8M0Grid(scale.RowMajor(n, k, benchBlock, benchBlock), scales)
	if err != nil {
		return ref.Operand{}, err
	}
	return ref.NewOperand(scale.E4M3s(codes), k, grid)
}
