// Package gpu multiplies block-scaled FP8 matrices on a GPU: C = A * B^T with A
// [M,K] activations, B [N,K] weights in E4M3 codes, and scales that are E8M0 or
// float32.
//
//	dev, err := gpu.Open(0)
//	w, err := gpu.NewWeight(dev, operand, gpu.WeightOptions{})
//	layer, err := gpu.NewLinear(w, bias, scale.StyleVLLM)
//	err = layer.Forward(y, n, x, k, m)
//
// A [Weight] keeps its codes and E8M0 scales as they came. Kernels that prefer
// float32 scales are served from a cache that is made once, belongs to the weight
// and is rebuilt by Update. [MatMul] and [Linear] take host memory;
// [Weight.MatMul] takes device memory and a [Stream], allocates nothing and can
// be captured in a [Graph]. Where WeightOptions.E8M0Activations says that activations
// have E8M0 scales too, sm_120 and sm_121 need no cache: their kernels take both as
// they are. On sm_90, multiplications that follow each other in a stream or a graph
// overlap: the weights of one are read while the one before it ends.
//
// Every result has the bits of package ref under the [Plan]'s recipe, which never
// depends on M: a row of C has the same bits in every batch and every run.
//
// Devices are reached through CUDA in programs built with the tag cuda and cgo.
// In all others, and where there is no device, [Open] fails with
// [ErrUnavailable] and says why. A program built with the tag ends when it starts
// on a machine without an NVIDIA driver; that is how the CUDA binding works, so
// build without it what must run anywhere. [Emulate] gives a device that runs the
// same kernels in pure Go, in every program on every machine.
package gpu
