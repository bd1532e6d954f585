package scale

import (
	"fmt"
	"math"
)

// ActivationStyle names a published way to quantise activations per token and
// group. The zero value is not a style.
type ActivationStyle uint8

const (
	// StyleVLLM is vLLM's per_token_group_quant_fp8: s = max(amax, 1e-10)/448
	// in float32, codes are x/s. Scales are float32.
	StyleVLLM ActivationStyle = iota + 1
	// StyleDeepSeek is DeepSeek's act_quant with ue8m0 scales: s = max(amax,
	// 1e-4)/448 rounded up to a power of two, codes are x/s. Scales are E8M0.
	StyleDeepSeek
)

func (s ActivationStyle) String() string {
	switch s {
	case StyleVLLM:
		return "vllm"
	case StyleDeepSeek:
		return "deepseek"
	}
	return fmt.Sprintf("ActivationStyle(%d)", uint8(s))
}

// QuantizeActivations quantises x, a rows by cols matrix in rows of stride
// floats, in groups of group elements along each row (one token). It returns
// dense codes and the grid of 1 x group blocks.
//
// Per group, in float32 with every operation rounded to nearest even: amax is
// the largest finite magnitude, raised to the style's floor; the scale is
// amax/448 (rounded up to a power of two by StyleDeepSeek); the code is x/scale
// clamped to +-448 and rounded to E4M3.
//
//   - A group of zeros gets zero codes and the floor's scale: 1e-10/448 for
//     StyleVLLM, 2^-22 (0x69) for StyleDeepSeek. -0 keeps its sign.
//   - Values far below the floor become zeros, never NaN.
//   - NaN, and also +-Inf, becomes a NaN code with the sign kept, and takes no
//     part in amax: its token's outputs are NaN instead of silently finite, the
//     rest of the group is undisturbed.
//
// Errors: ErrShape, ErrStride, ErrBlock for a group below 1, ErrOption.
func QuantizeActivations(x []float32, rows, cols, stride, group int, style ActivationStyle) ([]E4M3, Grid, error) {
	if err := checkMatrix("activations", len(x), rows, cols, stride); err != nil {
		return nil, Grid{}, err
	}
	if style != StyleVLLM && style != StyleDeepSeek {
		return nil, Grid{}, &Mismatch{Kind: ErrOption, What: "activation style", Want: "StyleVLLM or StyleDeepSeek", Got: style.String()}
	}
	l := RowMajor(rows, cols, 1, group)
	if err := l.Validate(); err != nil {
		return nil, Grid{}, err
	}
	codes := make([]E4M3, rows*cols)
	scales := make([]float32, l.Len())
	for row := range l.GridRows() {
		for block := range l.GridCols() {
			from, to := block*group, min(cols, (block+1)*group)
			part := x[row*stride+from : row*stride+to]
			s := activationScale(finiteAmax(0, part), style)
			scales[l.Index(row, block)] = s
			for i, v := range part {
				// The style's kernels divide in float32 before they round to E4M3.
				codes[row*cols+from+i] = quantizeOne(v, float64(v/s))
			}
		}
	}
	grid, err := NewFP32Grid(l, scales)
	if err != nil || style == StyleVLLM {
		return codes, grid, err
	}
	grid, err = grid.ToE8M0()
	return codes, grid, err
}

func activationScale(amax float32, style ActivationStyle) float32 {
	if style == StyleDeepSeek {
		return EncodeE8M0(float64(max(amax, 1e-4)/MaxE4M3), RoundUp, Saturate).Float32()
	}
	return max(amax, 1e-10) / MaxE4M3
}

// finiteAmax returns the largest of amax and the finite magnitudes of x.
func finiteAmax(amax float32, x []float32) float32 {
	for _, v := range x {
		if magnitude := abs32(v); magnitude > amax && magnitude <= math.MaxFloat32 {
			amax = magnitude
		}
	}
	return amax
}

func abs32(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

// quantizeOne encodes a quotient v/scale, or the NaN of a v that is not finite.
func quantizeOne(v float32, quotient float64) E4M3 {
	if !(abs32(v) <= math.MaxFloat32) { // NaN or Inf
		return E4M3(math.Float32bits(v)>>24)&signE4M3 | NaNE4M3
	}
	return EncodeE4M3(quotient, Saturate)
}
