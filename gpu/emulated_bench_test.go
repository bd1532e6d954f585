package gpu

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkEmulatedDecode is one multiplication of a decode step on an emulated
// chip, with every check on.
func BenchmarkEmulatedDecode(b *testing.B) {
	d := must(Emulate(sm(12, 0)))(b)
	defer closeTest(b, d)
	r := rand.New(rand.NewPCG(81, 82))
	weights := makeOperand(b, r, operandShape{rows: 1536, cols: 4096, blockRows: 128, blockCols: 128, e8m0: true}, ordinary)
	tokens := makeOperand(b, r, operandShape{rows: 16, cols: 4096, blockRows: 1, blockCols: 128}, ordinary)
	w := must(NewWeight(d, weights, WeightOptions{Kernel: "w8a8_f32scale_mma_l3_t2"}))(b)
	out := Matrix[float32]{16, 1536, 1536, make([]float32, 16*1536)}
	before := threadInstructions(d)
	for b.Loop() {
		noError(b, MatMulCodes(out, tokens, w, nil))
	}
	b.ReportMetric(float64(threadInstructions(d)-before)/b.Elapsed().Seconds()/1e6, "Minstr/s")
}

// threadInstructions is how many instructions the threads of an emulated device have
// run.
func threadInstructions(d *Device) (n uint64) {
	for _, k := range d.Counters() {
		for _, class := range k.Instructions {
			n += class
		}
	}
	return n
}
