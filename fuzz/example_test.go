package fuzz_test

import (
	"context"
	"fmt"

	"blockfp8/fuzz"
	"blockfp8/ref"
	"blockfp8/scale"
)

// myKernel is a kernel of somebody else: exact dots of 128, each scaled by A's
// scale, then by B's, and added up in float32. Its blocks are 128x128, its scales
// float32, its output bf16.
type myKernel struct {
	forgetsLastScale bool
}

func (myKernel) Limits() fuzz.Limits {
	return fuzz.Limits{
		Blocks:  []fuzz.Block{{Rows: 128, Cols: 128}},
		ScalesA: fuzz.FP32Scales, ScalesB: fuzz.FP32Scales,
		Outputs: []scale.Format{scale.BFloat16},
	}
}

func (myKernel) Recipe(_, _ ref.Operand, output scale.Format) (ref.Recipe, error) {
	return ref.Recipe{Datapath: ref.ExactSum, KPerPartial: 128, Scaling: ref.ActThenWeightUnfused, Output: output}, nil
}

func (k myKernel) Multiply(dst ref.Matrix, a, b ref.Operand, output scale.Format) error {
	r, err := k.Recipe(a, b, output)
	if err != nil {
		return err
	}
	if err := r.Check(a, b); err != nil {
		return err
	}
	if dst.Rows != a.Rows() || dst.Cols != b.Rows() {
		return fmt.Errorf("a result of [%d,%d] for [%d,%d]", dst.Rows, dst.Cols, a.Rows(), b.Rows())
	}
	for m := range dst.Rows {
		for n := range dst.Cols {
			dst.Row(m)[n] = output.Round(float64(k.element(a, b, m, n)))
		}
	}
	return nil
}

func (k myKernel) element(a, b ref.Operand, m, n int) (sum float32) {
	blocks := (a.K() + 127) / 128
	for block := range blocks {
		dot := 0.0 // of 128 products, which float64 holds exactly
		for i := block * 128; i < min(a.K(), block*128+128); i++ {
			dot += a.Row(m)[i].Float64() * b.Row(n)[i].Float64()
		}
		weightScale := b.Grid().At((b.Grid().Layout().RowOffset+n)/128, block)
		if k.forgetsLastScale && block == blocks-1 && block > 0 {
			weightScale = 1
		}
		t := float32(dot) * a.Grid().At(m, block)
		sum += float32(t * weightScale)
	}
	return sum
}

// Check tells a program what Run tells a test.
func ExampleCheck() {
	options := fuzz.Options{Draws: 200}
	result, err := fuzz.Check(context.Background(), myKernel{}, options)
	fmt.Println(len(result.Failures()), "failures", err)

	options.Properties = []string{"bits"}
	result, err = fuzz.Check(context.Background(), myKernel{forgetsLastScale: true}, options)
	failure := result.Failures()[0]
	fmt.Println(failure.Recipe, err)
	fmt.Println("A", failure.Problem.A, "by B", failure.Problem.B)
	fmt.Print(failure.Report)
	// Output:
	// 0 failures <nil>
	// exact/act-then-weight-unfused/k128/bf16 <nil>
	// A [1,129] in 1x128 blocks of float32 scales by B [1,129] in 128x128 blocks of float32 scales
	// 1 of 1 elements differ (bf16), worst by 413 ULP
	//   C[0,0]: got 1 (0x3F80), want 0.110839844 (0x3DE3), 413 ULP
	//     K block 1 (k 128..128): scale of B not applied, or scales of block 0 used
}
