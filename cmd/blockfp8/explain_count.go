package main

import (
	"blockfp8/gpu"
	"blockfp8/gpu/predict"
)

// explainDocument is what explain reports, as JSON. Everything is counted, and
// nothing measured.
type explainDocument struct {
	Chip       string          `json:"chip"`
	Arch       string          `json:"arch"`
	M          int             `json:"m"`
	N          int             `json:"n"`
	K          int             `json:"k"`
	Input      string          `json:"input"`
	Plan       gpu.Plan        `json:"plan"`
	LeastBytes int64           `json:"leastBytes"` // each operand and the result once
	MMAs       uint64          `json:"mmas"`
	LeastMMAs  int64           `json:"leastMMAs"` // without tails and padding
	Memory     string          `json:"memory,omitempty"`
	MemoryGBs  float64         `json:"memoryGBs,omitempty"`
	LeastUs    float64         `json:"leastMicroseconds,omitempty"` // for LeastBytes at MemoryGBs
	Kernels    []explainKernel `json:"kernels"`
	// Predicted is for the multiplication's own launch; it is missing for a kernel or
	// chip that the model does not know. It was not run on hardware.
	Predicted *predict.Prediction `json:"predicted,omitempty"`
}

// explainKernel is what the launches of one kernel did.
type explainKernel struct {
	AtLoad bool `json:"atLoad"` // once, when the weight was made
	gpu.KernelCounters
	InstructionsByClass map[string]uint64 `json:"instructionsByClass"` // of threads
}

// The products of one MMA: 16 x 8 x 32.
const mmaProducts = 16 * 8 * 32

// count completes the document with the counters before and after the
// multiplication on a chip.
func (d *explainDocument) count(arch gpu.Arch, atLoad, all []gpu.KernelCounters) {
	loaded := map[string]bool{}
	for _, c := range atLoad {
		loaded[c.Kernel] = true
	}
	for _, c := range all {
		d.Kernels = append(d.Kernels, explainKernel{AtLoad: loaded[c.Kernel], KernelCounters: c, InstructionsByClass: c.ByClass()})
		d.MMAs += c.MMAs
	}
	d.LeastBytes = d.leastBytes()
	d.LeastMMAs = (int64(d.M)*int64(d.N)*int64(d.K) + mmaProducts - 1) / mmaProducts
	if c, ok := predict.ChipOf(arch); ok {
		d.Memory, d.MemoryGBs = c.Product, c.MemoryGBs
		d.LeastUs = float64(d.LeastBytes) / c.MemoryGBs / 1e3
	}
}

// leastBytes is what has to cross the memory interface: codes, scales as the
// kernel takes them, and bf16 results, each once.
func (d *explainDocument) leastBytes() int64 {
	m, n, k := int64(d.M), int64(d.N), int64(d.K)
	blocks := int64(blocksOf(d.K))
	scaleBytes := int64(1)
	if d.Plan.PrefersFP32Scale {
		scaleBytes = 4
	}
	weights := n*k + int64(blocksOf(d.N))*blocks*scaleBytes
	results := outputBytes * m * n
	if d.Input == "bf16" {
		return weights + 2*m*k + results
	}
	activationScale := int64(4)
	if d.Input == "e8m0" {
		activationScale = 1
	}
	return weights + m*k + m*blocks*activationScale + results
}
