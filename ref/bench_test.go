package ref_test

import (
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

const benchM, benchN, benchK = 64, 4096, 4096

func normal(n int) []float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func benchOperands(b *testing.B) (ref.Operand, ref.Operand) {
	b.Helper()
	aCodes, aGrid, err := scale.QuantizeActivations(normal(benchM*benchK), benchM, benchK, benchK, 128, scale.StyleVLLM)
	if err != nil {
		b.Fatal(err)
	}
	bCodes, bGrid, err := scale.QuantizeWeights(normal(benchN*benchK), benchN, benchK, benchK, 128, 128, scale.WeightE8M0)
	if err != nil {
		b.Fatal(err)
	}
	x, err := ref.NewOperand(aCodes, benchK, aGrid)
	if err != nil {
		b.Fatal(err)
	}
	y, err := ref.NewOperand(bCodes, benchK, bGrid)
	if err != nil {
		b.Fatal(err)
	}
	return x, y
}

func report(b *testing.B) {
	b.ReportMetric(float64(benchM*benchN*benchK)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gmadd/s")
}

func BenchmarkMatMul(b *testing.B) {
	x, y := benchOperands(b)
	c := ref.NewMatrix(benchM, benchN)
	for _, r := range []ref.Recipe{
		ref.Exact(scale.BFloat16), ref.F32ScaleMMA(ref.SM120, 128, scale.BFloat16), ref.F32ScaleMMA(ref.SM90MMA, 128, scale.BFloat16),
		ref.F32ScaleWGMMA(128, scale.BFloat16),
	} {
		b.Run(r.String(), func(b *testing.B) {
			for b.Loop() {
				if err := ref.MatMul(c, x, y, r); err != nil {
					b.Fatal(err)
				}
			}
			report(b)
		})
	}
	_ = blas.NoTrans
	p, q, z := make([]float64, benchM*benchK), make([]float64, benchN*benchK), make([]float64, benchM*benchN)
	for i, v := range normal(len(p)) {
		p[i] = float64(v)
	}
	for i, v := range normal(len(q)) {
		q[i] = float64(v)
	}
	b.Run("Dgemm", func(b *testing.B) {
		for b.Loop() {
			gonum.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, benchM, benchN, benchK, 1, p, benchK, q, benchK, 0, z, benchN)
		}
		report(b)
	})
}
