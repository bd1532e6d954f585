package gpu

// helper is one of the small kernels beside the GEMM.
type helper uint8

const (
	noHelper helper = iota
	upcastHelper
	widenHelper
	shiftHelper
	quantizeF32Helper
	quantizeBF16Helper
	quantizeFP16Helper
)

var helpers = [...]struct {
	name  string
	order ordering
}{
	upcastHelper:       {"upcast_e8m0", writesScales},
	widenHelper:        {"widen_e8m0", writesScales},
	shiftHelper:        {"shift_e8m0", writesScales},
	quantizeF32Helper:  {"quantize_activations_f32", writesResults},
	quantizeBF16Helper: {"quantize_activations_bf16", writesResults},
	quantizeFP16Helper: {"quantize_activations_fp16", writesResults},
}

// helperThreads is the block of every helper.
const helperThreads = 256

// helper returns the kernel that makes the codes and scales that a family takes of
// an input.
func (in Input) helper(f family) helper {
	switch in {
	case E8M0Input:
		if f.prefersFP32Scale() {
			return upcastHelper
		}
	case Float32Input:
		return quantizeF32Helper
	case BFloat16Input:
		return quantizeBF16Helper
	case Float16Input:
		return quantizeFP16Helper
	}
	return noHelper
}

// elementBytes is the size of an element of an input.
func (in Input) elementBytes() int {
	switch in {
	case Float32Input:
		return 4
	case BFloat16Input, Float16Input:
		return 2
	}
	return 1
}

// scaleBytes is the size of a scale that comes with codes.
func (in Input) scaleBytes() int {
	if in == E8M0Input {
		return 1
	}
	return 4
}

// quantizes reports whether the device makes the codes.
func (in Input) quantizes() bool { return in >= Float32Input }
