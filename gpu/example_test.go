package gpu_test

import (
	"errors"
	"fmt"
	"log"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
	"gonum.org/v1/gonum/blas/blas32"
	"gorgonia.org/tensor"
)

// A layer takes gonum's matrices: blas32.General has the fields of gpu.Matrix.
func ExampleLinear_ForwardMatrix() {
	x := blas32.General{Rows: 2, Cols: 128, Stride: 128, Data: ones(2 * 128)}
	y := blas32.General{Rows: 2, Cols: 3, Stride: 4, Data: make([]float32, 8)}
	err := withLayer(func(layer *gpu.Linear) error {
		return layer.ForwardMatrix(gpu.Matrix[float32](y), gpu.Matrix[float32](x))
	})
	if errors.Is(err, gpu.ErrUnavailable) {
		err = onCPU(y.Data, y.Stride, x.Data, x.Stride, x.Rows) // the same bits
	}
	fmt.Println(y.Data, err)
	// Output: [128 256 512 0 128 256 512 0] <nil>
}

// A layer takes what lies behind gorgonia's tensors: the backing slice and the
// stride of its rows.
func ExampleLinear_Forward() {
	x := tensor.New(tensor.WithShape(2, 128), tensor.WithBacking(ones(2*128)))
	y := tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Float32))
	xs, ys := x.Data().([]float32), y.Data().([]float32)
	err := withLayer(func(layer *gpu.Linear) error {
		return layer.Forward(ys, y.Strides()[0], xs, x.Strides()[0], x.Shape()[0])
	})
	if errors.Is(err, gpu.ErrUnavailable) {
		err = onCPU(ys, y.Strides()[0], xs, x.Strides()[0], x.Shape()[0]) // the same bits
	}
	fmt.Println(ys, err)
	// Output: [128 256 512 128 256 512] <nil>
}

// The kernels for RTX Blackwell run without a GPU, with the bits that such a card
// gives.
func ExampleEmulate() {
	dev, err := gpu.Emulate(gpu.Arch{Major: 12, Minor: 0})
	check(err)
	defer dev.Close()
	b, err := weight()
	check(err)
	w, err := gpu.NewWeight(dev, b, gpu.WeightOptions{Kernel: "w8a8_f32scale_mma_l3_t1"})
	check(err)
	layer, err := gpu.NewLinear(w, nil, scale.StyleDeepSeek)
	check(err)
	y := make([]float32, 3)
	check(layer.Forward(y, 3, ones(128), 128, 1))
	fmt.Println(dev.Name(), y)
	for _, k := range dev.Counters() {
		fmt.Println(k.Kernel, k.MMAs, "MMAs")
	}
	// Output:
	// emulated sm_120 [128 256 512]
	// quantize_activations_f32 0 MMAs
	// upcast_e8m0 0 MMAs
	// w8a8_f32scale_mma_l3_t1 4 MMAs
}

// A plan says what a multiplication does, on any device, without one.
func ExampleNewPlan() {
	target := gpu.Target{Arch: gpu.Arch{Major: 12, Minor: 0}, Multiprocessors: 188}
	for _, m := range []int{1, 4096} {
		plan, err := gpu.NewPlan(target, gpu.Problem{
			M: m, N: 4096, K: 4096, BlockN: 128, BlockK: 128, E8M0: true, Input: gpu.BFloat16Input, Output: scale.BFloat16,
		})
		fmt.Println(len(plan.Launches), plan.Recipe, err)
	}
	// Output:
	// 2 sm120/act-then-weight/k128/bf16 <nil>
	// 2 sm120/act-then-weight/k128/bf16 <nil>
}

// weight is three rows of 128 ones with scales 1, 2 and 4.
func weight() (ref.Operand, error) {
	codes := make([]scale.E4M3, 3*128)
	for i := range codes {
		codes[i] = 0x38
	}
	grid, err := scale.NewE8M0Grid(scale.RowMajor(3, 128, 1, 128), []scale.E8M0{0x7F, 0x80, 0x81})
	if err != nil {
		return ref.Operand{}, err
	}
	return ref.NewOperand(codes, 128, grid)
}

// withLayer runs f with a layer on the first device.
func withLayer(f func(*gpu.Linear) error) error {
	dev, err := gpu.Open(0)
	if err != nil {
		return err
	}
	defer dev.Close()
	b, err := weight()
	if err != nil {
		return err
	}
	w, err := gpu.NewWeight(dev, b, gpu.WeightOptions{})
	if err != nil {
		return err
	}
	layer, err := gpu.NewLinear(w, nil, scale.StyleDeepSeek)
	if err != nil {
		return err
	}
	return f(layer)
}

// onCPU is the same multiplication by the oracle.
func onCPU(y []float32, yStride int, x []float32, xStride, rows int) error {
	b, err := weight()
	if err != nil {
		return err
	}
	codes, grid, err := scale.QuantizeActivations(x, rows, 128, xStride, 128, scale.StyleDeepSeek)
	if err != nil {
		return err
	}
	a, err := ref.NewOperand(codes, 128, grid)
	if err != nil {
		return err
	}
	c := ref.Matrix{Rows: rows, Cols: 3, Stride: yStride, Data: y}
	return ref.MatMul(c, a, b, ref.F32ScaleWGMMA(128, scale.Float32))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func ones(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	return x
}
