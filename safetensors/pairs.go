package safetensors

import (
	"fmt"
	"strings"
)

// Naming is the suffix by which a checkpoint calls the scales of a layer. All
// of them multiply: value = code * scale.
type Naming string

const (
	// DotScale is the naming of DeepSeek-V4: X.weight and X.scale.
	DotScale Naming = "scale"
	// WeightScale is X.weight and X.weight_scale.
	WeightScale Naming = "weight_scale"
	// WeightScaleInv is the naming of DeepSeek-V3: X.weight and
	// X.weight_scale_inv, which is a multiplier all the same.
	WeightScaleInv Naming = "weight_scale_inv"
)

// Pair is an FP8 layer: an F8_E4M3 weight and its scale, which is F8_E8M0, F32,
// BF16 or F16. Whether the shapes belong together depends on the block size and
// is not checked here.
type Pair struct {
	Layer  string // X of X.weight
	Weight Tensor
	Scale  Tensor
	Naming Naming
}

// Pairs finds the FP8 layers, in the order of Tensors. Every F8_E4M3 tensor is
// either a weight of a pair or in unpaired: one without a scale, or one not
// called X.weight. A scale must follow a dot, for a name such as X_scale
// belongs to a learned tensor as often as to a scale.
//
// Errors: ErrAmbiguous for a weight with two scales, which it names, and
// ErrDType for a scale of another dtype, U8 among them.
func (c *catalog) Pairs() (pairs []Pair, unpaired []Tensor, err error) {
	for _, t := range c.tensors {
		if t.DType != F8_E4M3 {
			continue
		}
		candidates := c.candidates(t)
		switch len(candidates) {
		case 0:
			unpaired = append(unpaired, t)
		case 1:
			if err := checkScale(candidates[0].Scale); err != nil {
				return nil, nil, err
			}
			pairs = append(pairs, candidates[0])
		default:
			return nil, nil, t.fail(ErrAmbiguous, "one scale", names(candidates))
		}
	}
	return pairs, unpaired, nil
}

// candidates are the pairs that weight could form.
func (c *catalog) candidates(weight Tensor) []Pair {
	layer, ok := strings.CutSuffix(weight.Name, ".weight")
	if !ok {
		return nil
	}
	var found []Pair
	for _, naming := range []Naming{DotScale, WeightScale, WeightScaleInv} {
		if s, ok := c.Lookup(layer + "." + string(naming)); ok {
			found = append(found, Pair{Layer: layer, Weight: weight, Scale: s, Naming: naming})
		}
	}
	return found
}

func checkScale(s Tensor) error {
	switch s.DType {
	case F8_E8M0, F32, BF16, F16:
		return nil
	}
	return s.fail(ErrDType, "a scale of F8_E8M0, F32, BF16 or F16", string(s.DType))
}

func names(pairs []Pair) string {
	var list []string
	for _, p := range pairs {
		list = append(list, fmt.Sprintf("%q", p.Scale.Name))
	}
	return strings.Join(list, " and ")
}
