package fuzz_test

import (
	"errors"
	"testing"

	"blockfp8/fuzz"
	"blockfp8/gpu"
	"blockfp8/scale"
)

// kernelInput is what a kernel can be given, as the fuzzer mutates it.
type kernelInput struct {
	codesA, codesB, scalesA, scalesB []byte
	m, n, k                          uint8
	block, offset, output, chip      uint8
	fp32A, fp32B, inMMA              bool
}

// cycled reads a byte string round and round; an empty one is zeros.
type cycled struct {
	from []byte
	at   int
}

func (c *cycled) next() byte {
	if len(c.from) == 0 {
		return 0
	}
	c.at++
	return c.from[(c.at-1)%len(c.from)]
}

// cycledSide makes an operand of cycled bytes.
func cycledSide(rows, k int, b fuzz.Block, offset int, fp32 bool, codes, scales []byte) fuzz.Side {
	s := fuzz.Side{Rows: rows, K: k, BlockRows: b.Rows, BlockCols: b.Cols, RowOffset: offset}
	from := cycled{from: codes}
	for range rows {
		row := make(fuzz.Hex, k)
		for i := range row {
			row[i] = from.next()
		}
		s.Codes = append(s.Codes, row)
	}
	from = cycled{from: scales}
	for range (offset + rows + b.Rows - 1) / b.Rows {
		e8m0, bits := make(fuzz.Hex, (k+b.Cols-1)/b.Cols), make([]fuzz.Bits, (k+b.Cols-1)/b.Cols)
		for i := range e8m0 {
			e8m0[i] = from.next()
			for range 4 * oneIf(fp32) {
				bits[i] = bits[i]<<8 | fuzz.Bits(from.next())
			}
			if bits[i] == 0xFF7FFFFF {
				bits[i] = 0 // the mark of a scale that was never set
			}
		}
		if fp32 {
			s.FP32 = append(s.FP32, bits)
		} else {
			s.E8M0 = append(s.E8M0, e8m0)
		}
	}
	return s
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (in kernelInput) problem() fuzz.Problem {
	blocks := []fuzz.Block{{Rows: 128, Cols: 128}, {Rows: 32, Cols: 32}, {Rows: 1, Cols: 128}, {Rows: 5, Cols: 64}}
	b := blocks[int(in.block)%len(blocks)]
	m, n, k := 1+int(in.m%20), 1+int(in.n%40), 1+int(in.k)
	return fuzz.Problem{
		A:      cycledSide(m, k, fuzz.Block{Rows: 1, Cols: b.Cols}, 0, in.fp32A && !in.inMMA, in.codesA, in.scalesA),
		B:      cycledSide(n, k, b, int(in.offset)%b.Rows, in.fp32B && !in.inMMA, in.codesB, in.scalesB),
		Output: scale.Format(in.output % 3),
	}
}

// FuzzKernel holds the kernels of package gpu, on emulated chips, to the oracle.
func FuzzKernel(f *testing.F) {
	devices := make([]*gpu.Device, len(chips))
	for i, arch := range chips {
		devices[i] = emulate(f, arch)
	}
	ones := []byte{0x38}
	mixed := []byte{0x38, 0xB8, 0x7E, 0x01, 0x80, 0x08, 0xFE, 0x45, 0x2F}
	for _, in := range []kernelInput{
		{codesA: ones, codesB: ones, scalesA: []byte{0x7F}, scalesB: []byte{0x80, 0x7E}, k: 191, chip: 2},                                                                               // a dropped tail scale
		{codesA: ones, codesB: ones, scalesA: []byte{0x34}, scalesB: []byte{0x34}, k: 127, chip: 0},                                                                                     // a product of scales that underflows
		{codesA: mixed, codesB: mixed[1:], scalesA: []byte{0x00, 0xFE}, scalesB: []byte{0x01, 0xFF}, m: 4, n: 3, k: 129, block: 1, offset: 9, chip: 1},                                  // weird scales, an offset
		{codesA: mixed, codesB: mixed[2:], scalesA: []byte{0x3F, 0x80, 0x00, 0x01}, scalesB: []byte{0x7F, 0x80, 0, 0}, m: 2, n: 2, fp32A: true, fp32B: true, k: 64, output: 1, chip: 3}, // float32 scales, infinite too
		{codesA: mixed, codesB: []byte{0x7F}, scalesA: []byte{0x7F}, scalesB: []byte{0x7F}, m: 3, n: 8, k: 32, block: 2, output: 2, chip: 1},                                            // NaN codes
		{codesA: mixed, codesB: mixed[3:], scalesA: []byte{0x70, 0x7A}, scalesB: []byte{0x84, 0x90}, m: 17, n: 33, k: 255, inMMA: true, chip: 2},                                        // scales in the MMA
	} {
		f.Add(in.codesA, in.codesB, in.scalesA, in.scalesB, in.m, in.n, in.k, in.block, in.offset, in.output, in.chip, in.fp32A, in.fp32B, in.inMMA)
	}
	f.Fuzz(func(t *testing.T, codesA, codesB, scalesA, scalesB []byte, m, n, k, block, offset, output, chip uint8, fp32A, fp32B, inMMA bool) {
		in := kernelInput{codesA, codesB, scalesA, scalesB, m, n, k, block, offset, output, chip, fp32A, fp32B, inMMA}
		d := device{dev: devices[int(chip)%len(devices)], options: gpu.WeightOptions{E8M0Activations: inMMA && chips[int(chip)%len(chips)].Major == 12}}
		failure, err := fuzz.Replay(d, fuzz.Record{Property: "bits", Problem: in.problem()})
		if err != nil && !errors.Is(err, fuzz.ErrUnsupported) {
			t.Fatal(err)
		}
		if failure != nil {
			t.Fatal(failure)
		}
	})
}
