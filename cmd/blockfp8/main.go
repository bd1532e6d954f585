// Command blockfp8 multiplies, inspects, makes and checks block-scaled FP8
// weights from the command line.
//
//	blockfp8 run                                  multiply every FP8 layer of a checkpoint and check the bits
//	blockfp8 inspect model/                       show layers, grids and scale codes
//	blockfp8 quantize in.safetensors out.safetensors
//	blockfp8 check --a a.npy --as as.npy --b b.npy --bs bs.npy --c c.npy --recipe sm120
//	blockfp8 conform -- python3 kernel.py         hold your own kernel to the oracle, in any language
//	blockfp8 recipes                              list the recipes by name
//	blockfp8 explain 16 1536 4096                 count what the kernels do on an emulated chip
//	blockfp8 probe                                check a CUDA device against the model of its arithmetic
//	blockfp8 bench decode                         time a decode step on a CUDA device, with and without cached scales
//	blockfp8 bench gemm                           time the kernels by shape
//
// The exit code is 0 if all is well, 1 if a check found differing bits and 2 for
// bad input. Results go to standard output, everything else to standard error.
package main

import "os"

func main() {
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}
