package ref

import "blockfp8/scale"

// Exact is the correctly rounded, infinitely precise result. It takes any block
// size and any scales.
func Exact(output scale.Format) Recipe {
	return Recipe{Datapath: ExactSum, Scaling: Unrounded, Output: output}
}

// F32ScaleMMA is the recipe of this module's f32scale mma kernels on a chip whose
// mma.sync has datapath d: one partial per scale block of blockK products.
func F32ScaleMMA(d Datapath, blockK int, output scale.Format) Recipe {
	return Recipe{Datapath: d, KPerPartial: blockK, Scaling: ActThenWeight, Output: output}
}

// F32ScaleWGMMA is the recipe of this module's f32scale wgmma kernels.
func F32ScaleWGMMA(blockK int, output scale.Format) Recipe {
	return F32ScaleMMA(SM90WGMMA, blockK, output)
}

// UE8M0MX is the recipe of this module's ue8m0 mx kernels: E8M0 scales inside
// the MMA, all of K chained.
func UE8M0MX(output scale.Format) Recipe {
	return Recipe{Datapath: SM120MX, Scaling: InMMA, Output: output}
}

// Triton is the recipe of Triton's block-scaled kernel (vLLM's
// w8a8_triton_block_scaled_mm) with BLOCK_SIZE_K of kPerPartial, 64 or 128, on a
// chip where Triton uses datapath d: SM89, SM90WGMMA, SM100 or SM120.
func Triton(d Datapath, kPerPartial int, output scale.Format) Recipe {
	return Recipe{Datapath: d, KPerPartial: kPerPartial, Scaling: ActThenWeight, Output: output}
}

// DeepGEMM is the recipe of DeepGEMM's and DeepSeek's kernels: the product of the
// scales first, partials of 128.
func DeepGEMM(d Datapath, output scale.Format) Recipe {
	return Recipe{Datapath: d, KPerPartial: 128, Scaling: ProductFirst, Output: output}
}
