package ref_test

import (
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// The operands of the benchmark: normally distributed values, activations with
// float32 scales per token and 128 columns, weights with E8M0 scales per 128x128.
const (
	benchM = 64
	benchN = 4096
	benchK = 4096
)

// BenchmarkMatMul measures recipes beside gonum's Dgemm on the dequantised
// matrices. Run it with -cpu 1 for rates per core.
func BenchmarkMatMul(b *testing.B) {
	x, y := benchOperands(b)
	c := ref.NewMatrix(benchM, benchN)
	for _, r := range []ref.Recipe{
		ref.Exact(scale.BFloat16),
		ref.F32ScaleMMA(ref.SM120, 128, scale.BFloat16),
		ref.F32ScaleMMA(ref.SM90MMA, 128, scale.BFloat16),
		ref.F32ScaleWGMMA(128, scale.BFloat16),
		ref.F32ScaleMMA(ref.SM89, 128, scale.BFloat16),
	} {
		b.Run(r.String(), func(b *testing.B) {
			for b.Loop() {
				if err := ref.MatMul(c, x, y, r); err != nil {
					b.Fatal(err)
				}
			}
			reportRate(b)
		})
	}
	b.Run("gonum-dgemm", func(b *testing.B) {
		p, q, z := dequantize(x), dequantize(y), make([]float64, benchM*benchN)
		for b.Loop() {
			gonum.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, benchM, benchN, benchK, 1, p, benchK, q, benchK, 0, z, benchN)
		}
		reportRate(b)
	})
}

// BenchmarkMatMulOfAnyCodes is the worst case: all finite codes alike, so that hardly
// a step of a truncating datapath is a plain sum.
func BenchmarkMatMulOfAnyCodes(b *testing.B) {
	rng := newRand()
	draw := func(int, int) byte { return drawFinite(rng) }
	scales := repeated(benchN/128, make([]uint32, benchK/128)...)
	x := plainOf(benchM, benchK, 128, 128, draw, scales[:1]...).operand(b, rng)
	y := plainOf(benchN, benchK, 128, 128, draw, scales...).operand(b, rng)
	c := ref.NewMatrix(benchM, benchN)
	for _, r := range []ref.Recipe{ref.Exact(scale.BFloat16), ref.F32ScaleMMA(ref.SM120, 128, scale.BFloat16)} {
		b.Run(r.String(), func(b *testing.B) {
			for b.Loop() {
				if err := ref.MatMul(c, x, y, r); err != nil {
					b.Fatal(err)
				}
			}
			reportRate(b)
		})
	}
}

func reportRate(b *testing.B) {
	multiplyAdds := float64(benchM*benchN*benchK) * float64(b.N)
	b.ReportMetric(multiplyAdds/b.Elapsed().Seconds()/1e9, "Gmadd/s")
}

func benchOperands(b *testing.B) (x, y ref.Operand) {
	b.Helper()
	codes, grid, err := scale.QuantizeActivations(normal(benchM*benchK), benchM, benchK, benchK, 128, scale.StyleVLLM)
	if err != nil {
		b.Fatal(err)
	}
	if x, err = ref.NewOperand(codes, benchK, grid); err != nil {
		b.Fatal(err)
	}
	codes, grid, err = scale.QuantizeWeights(normal(benchN*benchK), benchN, benchK, benchK, 128, 128, scale.WeightE8M0)
	if err != nil {
		b.Fatal(err)
	}
	if y, err = ref.NewOperand(codes, benchK, grid); err != nil {
		b.Fatal(err)
	}
	return x, y
}

func normal(n int) []float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func dequantize(o ref.Operand) []float64 {
	values := make([]float64, 0, o.Rows()*o.K())
	l := o.Grid().Layout()
	for row := range o.Rows() {
		for k, code := range o.Row(row) {
			values = append(values, code.Float64()*float64(o.Grid().At((l.RowOffset+row)/l.BlockRows, k/l.BlockCols)))
		}
	}
	return values
}
