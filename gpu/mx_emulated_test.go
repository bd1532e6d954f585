package gpu

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// emulatedMX opens an emulated chip that has MMAs with E8M0 scales.
func emulatedMX(t testing.TB, arch Arch) *Device {
	t.Helper()
	d := must(Emulate(arch))(t)
	t.Cleanup(func() { closeTest(t, d) })
	return d
}

// The PTX of every form of the mx family gives the bits of its recipe, for every
// nature of operands, any strides, tails, biases and outputs.
func TestEmulatedMXBits(t *testing.T) {
	d := emulatedMX(t, sm(12, 0))
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(*seed, 63))
	perForm := map[string]int{}
	compared, cases := 0, 3*int(natures)
	if testing.Short() {
		cases = int(natures)
	}
	for i := range cases {
		// Every second problem is aligned and in blocks of 128, for which there is every form.
		block, padding := 128, 0
		if i%2 == 1 {
			block, padding = [...]int{32, 64, 96, 256}[r.IntN(4)], r.IntN(20)
		}
		bs := operandShape{rows: 1 + r.IntN(150), cols: 1 + r.IntN(600), blockRows: [...]int{1, 32, 128}[r.IntN(3)], blockCols: block, padding: padding, e8m0: true}
		bs.rowOffset = r.IntN(bs.blockRows)
		as := operandShape{rows: 1 + r.IntN(70), cols: bs.cols, blockRows: 1, blockCols: block, padding: 16 - bs.cols%16, e8m0: true}
		if padding%3 == 1 {
			as.padding = r.IntN(9)
		}
		compared += compareOn(t, d, s, r, as, bs, nature(i%int(natures)), WeightOptions{E8M0Activations: true}, perForm)
	}
	for _, f := range formsOf(ue8m0MX) {
		if perForm[f.name] == 0 && !testing.Short() {
			t.Errorf("%s was never compared", f.name)
		}
	}
	t.Logf("%d outputs of %d forms equal to the oracle", compared, len(perForm))
}

// Both chips give a row the same bits in every batch, whichever forms the plan
// chooses.
func TestEmulatedMXBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(64, 65))
	b := makeOperand(t, r, operandShape{rows: 70, cols: 300, blockRows: 64, blockCols: 64, rowOffset: 9, e8m0: true}, ordinary)
	a := makeOperand(t, r, operandShape{rows: 40, cols: 300, blockRows: 1, blockCols: 64, e8m0: true, padding: 4}, ordinary)
	var first []byte
	for _, arch := range []Arch{sm(12, 0), sm(12, 1)} {
		d := emulatedMX(t, arch)
		s := must(d.NewStream())(t)
		w := must(NewWeight(d, b, WeightOptions{E8M0Activations: true}))(t)
		whole := run(t, d, s, w, a, scale.Float32)
		if first == nil {
			first = bytesOf(whole.Data)
		}
		if !bytes.Equal(first, bytesOf(whole.Data)) {
			t.Fatalf("%v gives other bits", arch)
		}
		for _, m := range []int{1, 8, 9, 17, 33} {
			part := run(t, d, s, w, must(a.SliceRows(40-m, 40))(t), scale.Float32)
			if !bytes.Equal(bytesOf(part.Data), bytesOf(whole.Data[(40-m)*70:])) {
				t.Errorf("%v: the last %d rows have other bits alone", arch, m)
			}
		}
		noError(t, w.Close())
	}
}

func TestEmulatedMXCalls(t *testing.T) { testMXCalls(t, emulatedMX(t, sm(12, 1))) }

func TestEmulatedMXLiterals(t *testing.T) { testMXLiterals(t, emulatedMX(t, sm(12, 0))) }

// A graph of calls of the mx family, quantised on the device.
func TestEmulatedMXGraph(t *testing.T) {
	d := emulatedMX(t, sm(12, 0))
	s := must(d.NewStream())(t)
	r := rand.New(rand.NewPCG(66, 67))
	const m, n, k = 6, 40, 256
	b := makeOperand(t, r, operandShape{rows: n, cols: k, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
	w := must(NewWeight(d, b, WeightOptions{E8M0Activations: true}))(t)
	x := numbers(r, m*k)
	codes, grid, err := scale.QuantizeActivations(x, m, k, k, 128, scale.StyleDeepSeek)
	noError(t, err)
	a := must(ref.NewOperand(codes, k, grid))(t)
	o := place(t, d, s, a, n, scale.Float16, nil)
	o.call.A = Activations{Input: Float32Input, Data: Region{Buffer: d.testBuffer(t, s, bytesOf(x))}, Stride: k, Style: scale.StyleDeepSeek}
	o.reserve(t, d, w)
	noError(t, w.Prepare(m, Float32Input))
	g := must(s.Capture(func() error { return w.MatMul(s, o.call) }))(t)
	noError(t, g.Launch(s))
	sameBits(t, o.read(t, s), oracle(t, w, a, b, scale.Float16, nil), scale.Float16, "graph")
	noError(t, g.Close())
	noError(t, w.Close())
}
