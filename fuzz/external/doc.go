// Package external holds programs to the oracle: kernels in Triton, CUDA C++ or
// anything else that can read and write files. A [Program] is a
// [fuzz.Implementation] that puts every problem into a folder and asks a command
// for the answer.
//
// # Folders
//
// A folder holds a problem in .npy files, C order:
//
//	a.npy         uint8 [M, K], E4M3 codes
//	as.npy        [M, ceil(K/bk)], float32, or uint8 for E8M0
//	b.npy         uint8 [N, K], E4M3 codes
//	bs.npy        [ceil(N/bn), ceil(K/bk)], float32, or uint8 for E8M0
//	problem.json  M, N, K, blocks, kinds of scales, output and recipe, see [Description]
//
// and the same operands as operands.safetensors, where each has its type: a, b of
// F8_E4M3, as, bs of F32 or F8_E8M0. The command adds the answer, C = A * B^T, as
// c.npy or as the only tensor of c.safetensors, [M, N]: uint16 with the bits of bf16
// or fp16, float16, or float32.
//
// # Commands
//
// A command with the argument {} is run once for each problem, with the folder in
// that argument's place. It ends with status 0 when the answer is there.
//
// A command without it stays: it reads the path of a folder from standard input, a
// line each, and once the answer is there writes the line "done PATH" to standard
// output, flushed. It ends when its input does. If it ends sooner it is started
// again for the next problem.
//
// All else that a command writes is kept and shown where it fails.
package external
