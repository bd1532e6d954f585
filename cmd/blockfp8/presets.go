package main

import (
	"blockfp8/ref"
	"blockfp8/scale"
)

// preset is a recipe by name. How many products a partial has can follow from the
// scale blocks, so it becomes a recipe only with blockK, their extent along K.
type preset struct {
	name, about string
	recipe      func(blockK int, output scale.Format) ref.Recipe
}

func ours(d ref.Datapath) func(int, scale.Format) ref.Recipe {
	return func(blockK int, output scale.Format) ref.Recipe { return ref.F32ScaleMMA(d, blockK, output) }
}

func triton(d ref.Datapath, kPerPartial int) func(int, scale.Format) ref.Recipe {
	return func(_ int, output scale.Format) ref.Recipe { return ref.Triton(d, kPerPartial, output) }
}

func deepGEMM(d ref.Datapath) func(int, scale.Format) ref.Recipe {
	return func(_ int, output scale.Format) ref.Recipe { return ref.DeepGEMM(d, output) }
}

// presets are all recipes by name, in the order of the listing.
var presets = []preset{
	{"exact", "infinitely precise, rounded once", func(_ int, output scale.Format) ref.Recipe { return ref.Exact(output) }},
	{"sm89", "f32scale mma kernel on Ada", ours(ref.SM89)},
	{"sm90mma", "f32scale mma kernel on Hopper", ours(ref.SM90MMA)},
	{"sm90wgmma", "f32scale wgmma kernel on Hopper", func(blockK int, output scale.Format) ref.Recipe { return ref.F32ScaleWGMMA(blockK, output) }},
	{"sm100mma", "f32scale mma kernel on data-centre Blackwell", ours(ref.SM100MMA)},
	{"sm100", "one partial per block with tcgen05", ours(ref.SM100)},
	{"sm120", "f32scale mma kernel on RTX Blackwell", ours(ref.SM120)},
	{"sm120mx", "ue8m0 mx kernel on RTX Blackwell", func(_ int, output scale.Format) ref.Recipe { return ref.UE8M0MX(output) }},
	{"triton-sm89", "Triton on Ada, BLOCK_SIZE_K 128", triton(ref.SM89, 128)},
	{"triton-sm89-k64", "Triton on Ada, BLOCK_SIZE_K 64", triton(ref.SM89, 64)},
	{"triton-sm90", "Triton on Hopper, BLOCK_SIZE_K 128", triton(ref.SM90WGMMA, 128)},
	{"triton-sm90-k64", "Triton on Hopper, BLOCK_SIZE_K 64", triton(ref.SM90WGMMA, 64)},
	{"triton-sm100", "Triton on data-centre Blackwell, BLOCK_SIZE_K 128", triton(ref.SM100, 128)},
	{"triton-sm100-k64", "Triton on data-centre Blackwell, BLOCK_SIZE_K 64", triton(ref.SM100, 64)},
	{"triton-sm120", "Triton on RTX Blackwell, BLOCK_SIZE_K 128", triton(ref.SM120, 128)},
	{"triton-sm120-k64", "Triton on RTX Blackwell, BLOCK_SIZE_K 64", triton(ref.SM120, 64)},
	{"deepgemm-sm90", "DeepGEMM on Hopper", deepGEMM(ref.SM90WGMMA)},
	{"deepgemm-sm100", "DeepGEMM on data-centre Blackwell", deepGEMM(ref.SM100)},
	{"deepgemm-sm120", "DeepGEMM on RTX Blackwell", deepGEMM(ref.SM120)},
}
