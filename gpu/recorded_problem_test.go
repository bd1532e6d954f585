package gpu

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// recordedProblems is how many problems a record covers. They are drawn with
// integers alone, each from a seed of its own, so that they are the same on every
// machine: a record holds outputs, not inputs. Those from wholeBlocks on have weights
// that begin where a block of 128 rows begins, which some forms ask for; records made
// before there were such forms end there.
const (
	wholeBlocks      = 96
	recordedProblems = 120
)

// recordedBytes is the most that one result has.
const recordedBytes = 24 << 10

// recordedProblem is a multiplication with its operands in host memory.
type recordedProblem struct {
	m, n, k, groups   int
	blockK            int
	input             Input
	style             scale.ActivationStyle // of numbers
	output            scale.Format
	strideA           int
	aCodes            []scale.E4M3 // or
	aNumbers          []float32
	aValues           []float32 // scales [m, groups*blocks], or
	aE8M0             []scale.E8M0
	weights           []ref.Operand
	bias              []float32
	nanCodes, special bool // now and then a NaN, a scale at the end of its range
	predicted         [len(families)][]byte
}

// draws are uniform integers.
type draws struct{ *rand.PCG }

func (d draws) below(n int) int { return int(d.Uint64() >> 32 % uint64(n)) }

func (d draws) oneIn(n int) bool { return d.below(n) == 0 }

func drawRecorded(t testing.TB, i int) *recordedProblem {
	t.Helper()
	d := draws{rand.NewPCG(0xB10CF8, uint64(i))}
	p := &recordedProblem{groups: 1, blockK: 128, nanCodes: d.oneIn(4), special: d.oneIn(4)}
	if i%3 == 2 {
		p.blockK = 32
	}
	if i%4 == 3 {
		p.groups = 2
	}
	most := 160
	switch d.below(6) {
	case 0, 1:
		p.m = 1 + d.below(8)
	case 2:
		p.m = 9 + d.below(8)
	case 3:
		p.m = 17 + d.below(16)
	case 4:
		p.m, most = 33+d.below(32), 100
	case 5:
		p.m, most = 65+d.below(66), 64
	}
	p.n, p.k = 1+d.below(most), 1+d.below(700)
	if d.oneIn(6) {
		p.k += d.below(2000)
	}
	if d.oneIn(3) {
		p.n, p.k = align(p.n, 16), align(p.k, 128)
	}
	p.output = [...]scale.Format{scale.Float32, scale.Float16, scale.BFloat16, scale.BFloat16, scale.BFloat16, scale.BFloat16}[d.below(6)]
	// A result inside the window of gzip costs next to nothing on all forms but one.
	p.n = min(p.n, recordedBytes/(p.m*p.groups*p.output.Width()/8))
	p.input = [...]Input{CodesInput, CodesInput, CodesInput, E8M0Input, E8M0Input, Float32Input, BFloat16Input, Float16Input}[d.below(8)]
	p.style = [...]scale.ActivationStyle{scale.StyleVLLM, scale.StyleDeepSeek}[d.below(2)]
	if p.groups > 1 && !d.oneIn(3) {
		p.k = align(p.k, 16)
	}
	p.strideA = p.groups * p.k
	if d.oneIn(3) {
		p.strideA += d.below(9)
	} else {
		p.strideA = align(p.strideA, 16)
	}
	p.drawActivations(d)
	p.drawWeights(t, d, i >= wholeBlocks)
	if d.oneIn(3) {
		p.bias = make([]float32, p.groups*p.n)
		for i := range p.bias {
			p.bias[i] = float32(d.below(1<<16)-1<<15) / 4096
		}
	}
	return p
}

func (p *recordedProblem) drawActivations(d draws) {
	if p.input.quantizes() {
		p.aNumbers = make([]float32, p.m*p.strideA)
		for i := range p.aNumbers {
			p.aNumbers[i] = p.drawNumber(d)
		}
		return
	}
	p.aCodes = p.drawCodes(d, p.m*p.strideA)
	if p.special {
		for i := range p.aCodes[:p.strideA] {
			p.aCodes[i] &= 0x80 // a row of zeros
		}
	}
	scales := p.m * p.groups * p.blocks()
	if p.input == E8M0Input {
		p.aE8M0 = p.drawE8M0(d, scales)
	} else {
		p.aValues = p.drawValues(d, scales)
	}
}

func (p *recordedProblem) drawWeights(t testing.TB, d draws, whole bool) {
	t.Helper()
	l := scale.RowMajor(p.n, p.k, [...]int{128, 128, 64, 32, 48}[d.below(5)], p.blockK)
	l.RowOffset = d.below(l.BlockRows)
	if whole {
		l.BlockRows, l.RowOffset = 128*(1+d.below(2)), 0
	}
	stride := p.k + d.below(8)
	e8m0 := !d.oneIn(3)
	for range p.groups {
		codes := p.drawCodes(d, p.n*stride)
		var grid scale.Grid
		if e8m0 {
			grid = must(scale.NewE8M0Grid(l, p.drawE8M0(d, l.Len())))(t)
		} else {
			grid = must(scale.NewFP32Grid(l, p.drawValues(d, l.Len())))(t)
		}
		p.weights = append(p.weights, must(ref.NewOperand(codes, stride, grid))(t))
	}
}

func (p *recordedProblem) blocks() int { return ceilDiv(p.k, p.blockK) }

// drawCodes draws any codes; a NaN stays one in 16 of the problem that has them.
func (p *recordedProblem) drawCodes(d draws, n int) []scale.E4M3 {
	codes := make([]scale.E4M3, n)
	for i := range codes {
		c := scale.E4M3(d.below(256))
		if c.IsNaN() && !(p.nanCodes && d.oneIn(16)) {
			c ^= 0x40
		}
		codes[i] = c
	}
	return codes
}

func (p *recordedProblem) drawE8M0(d draws, n int) []scale.E8M0 {
	codes := make([]scale.E8M0, n)
	for i := range codes {
		codes[i] = scale.E8M0(0x7F - 11 + d.below(12))
		if p.special && d.oneIn(64) {
			codes[i] = [...]scale.E8M0{0x00, 0xFE, 0xFF, 0x01}[d.below(4)]
		}
	}
	return codes
}

func (p *recordedProblem) drawValues(d draws, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		bits := uint32(0x7F-11+d.below(12))<<23 | uint32(d.below(1<<23))
		if p.special && d.oneIn(64) {
			// A subnormal, 2^127, the smallest normal, NaN, 0, a negative one.
			bits = [...]uint32{uint32(d.below(1 << 23)), 0x7F000000, 0x00800000, 0x7FC00000, 0, bits | 1<<31}[d.below(6)]
		}
		values[i] = math.Float32frombits(bits)
	}
	return values
}

func (p *recordedProblem) drawNumber(d draws) float32 {
	bits := uint32(0x7F-14+d.below(16))<<23 | uint32(d.below(1<<23)) | uint32(d.below(2))<<31
	if p.special && d.oneIn(1024) {
		bits = [...]uint32{0x7FC00000, 0, 1 << 31, uint32(d.below(1 << 23)), 0x43E00000}[d.below(5)]
	}
	return math.Float32frombits(bits)
}

// elements returns the activations as they are given to the device.
func (p *recordedProblem) elements() (data []byte, seen []float32) {
	switch p.input {
	case BFloat16Input:
		e, seen := convert[scale.BF16](p.aNumbers)
		return bytesOf(e), seen
	case Float16Input:
		e, seen := convert[scale.FP16](p.aNumbers)
		return bytesOf(e), seen
	case Float32Input:
		return bytesOf(p.aNumbers), p.aNumbers
	}
	return bytesOf(p.aCodes), nil
}

// scaleBytes are the scales of the activations.
func (p *recordedProblem) scaleBytes() []byte {
	if p.input == E8M0Input {
		return bytesOf(p.aE8M0)
	}
	return bytesOf(p.aValues)
}

// activations returns those of a group.
func (p *recordedProblem) activations(t testing.TB, g int) ref.Operand {
	t.Helper()
	if p.input.quantizes() {
		_, seen := p.elements()
		codes, grid, err := scale.QuantizeActivations(seen[g*p.k:], p.m, p.k, p.strideA, p.blockK, p.style)
		noError(t, err)
		return must(ref.NewOperand(codes, p.k, grid))(t)
	}
	l := scale.RowMajor(p.m, p.k, 1, p.blockK)
	l.RowStride = p.groups * p.blocks()
	var grid scale.Grid
	if p.input == E8M0Input {
		grid = must(scale.NewE8M0Grid(l, p.aE8M0[g*p.blocks():]))(t)
	} else {
		grid = must(scale.NewFP32Grid(l, p.aValues[g*p.blocks():]))(t)
	}
	return must(ref.NewOperand(p.aCodes[g*p.k:], p.strideA, grid))(t)
}

// outputs is how many elements the result has.
func (p *recordedProblem) outputs() int { return p.m * p.groups * p.n }

// recipe is that of a family's kernels on an H200.
func (p *recordedProblem) recipe(of family, f scale.Format) ref.Recipe {
	if of == f32scaleWGMMA {
		return ref.F32ScaleWGMMA(p.blockK, f)
	}
	return ref.F32ScaleMMA(ref.SM90MMA, p.blockK, f)
}

// oracle returns the bytes of the result of a family's kernels, as the oracle predicts
// them. They are not to be changed.
func (p *recordedProblem) oracle(t testing.TB, of family) []byte {
	t.Helper()
	if p.predicted[of] != nil {
		return p.predicted[of]
	}
	size := p.output.Width() / 8
	raw := make([]byte, p.outputs()*size)
	for g, b := range p.weights {
		c := ref.NewMatrix(p.m, p.n)
		noError(t, ref.MatMul(c, p.activations(t, g), b, p.recipe(of, scale.Float32)))
		for i := range p.m {
			for j, v := range c.Row(i) {
				if p.bias != nil {
					v += p.bias[g*p.n+j]
				}
				putBits(raw[size*((i*p.groups+g)*p.n+j):], p.output.Bits(p.output.Round(float64(v))), size)
			}
		}
	}
	p.predicted[of] = raw
	return raw
}

func putBits(to []byte, bits uint32, size int) {
	if size == 4 {
		binary.LittleEndian.PutUint32(to, bits)
	} else {
		binary.LittleEndian.PutUint16(to, uint16(bits))
	}
}

// differences counts the elements whose bits differ; any two NaNs are equal.
func (p *recordedProblem) differences(got, want []byte) (n, first int) {
	size := p.output.Width() / 8
	first = -1
	for at := 0; at < len(want); at += size {
		x, y := got[at:at+size], want[at:at+size]
		if string(x) == string(y) {
			continue
		}
		if v, w := number(x, p.output), number(y, p.output); v != v && w != w {
			continue
		}
		if n++; n == 1 {
			first = at / size
		}
	}
	return n, first
}

// digest is of all inputs.
func (p *recordedProblem) digest() uint64 {
	h := fnv.New64a()
	put := func(b []byte) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	for _, v := range []int{p.m, p.n, p.k, p.groups, p.blockK, int(p.input), int(p.style), int(p.output), p.strideA} {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(v)))
	}
	put(bytesOf(p.aCodes))
	put(bytesOf(p.aNumbers))
	put(p.scaleBytes())
	for _, w := range p.weights {
		l := w.Grid().Layout()
		for _, v := range []int{l.Rows, l.Cols, l.BlockRows, l.RowOffset} {
			h.Write(binary.LittleEndian.AppendUint64(nil, uint64(v)))
		}
		for i := range w.Rows() {
			put(bytesOf(w.Row(i)))
		}
		if w.Grid().IsE8M0() {
			put(bytesOf(w.Grid().Codes()))
		} else {
			put(bytesOf(w.Grid().Values()))
		}
	}
	put(bytesOf(p.bias))
	return h.Sum64()
}

// problem is what a plan is made of.
func (p *recordedProblem) problem(kernel string) Problem {
	g := p.weights[0].Grid()
	unaligned := p.strideA%rowAlignment != 0 || p.groups > 1 && p.k%rowAlignment != 0
	return Problem{
		M: p.m, N: p.n, K: p.k, Groups: p.groups, BlockN: g.Layout().BlockRows, BlockK: p.blockK, RowOffset: g.Layout().RowOffset, E8M0: g.IsE8M0(),
		Input: p.input, Output: p.output, Unaligned: unaligned && !p.input.quantizes(), Kernel: kernel,
	}
}
