package gpu

import (
	"slices"

	"blockfp8/scale"
)

// Linear is a fully connected layer: y = x * W^T + bias, with activations in the
// form in which Go's numerical libraries keep matrices. It is safe for concurrent
// use. It does not own its weight.
type Linear struct {
	weight *Weight
	style  scale.ActivationStyle
	bias   []float32 // nil for none
}

// NewLinear makes a layer of a weight. bias is copied; nil is none. Errors:
// scale.ErrShape for a bias that has not one number for each output,
// scale.ErrOption for a style without a name, scale.ErrInexact for one whose scales
// the weight does not take.
func NewLinear(w *Weight, bias []float32, style scale.ActivationStyle) (*Linear, error) {
	h := hostCall{w: w, input: Float32Input, bias: bias, cols: w.shape.groups * w.shape.k}
	if err := h.check(0, w.shape.groups*w.shape.n); err != nil {
		return nil, err
	}
	if err := checkStyle("layer", style, w.options.E8M0Activations); err != nil {
		return nil, err
	}
	return &Linear{weight: w, style: style, bias: slices.Clone(bias)}, nil
}

// Weight returns the weight of the layer.
func (l *Linear) Weight() *Weight { return l.weight }

// In and Out return the lengths of a row of x and of y.
func (l *Linear) In() int  { return l.weight.shape.groups * l.weight.shape.k }
func (l *Linear) Out() int { return l.weight.shape.groups * l.weight.shape.n }

// Forward computes rows of y, in rows of dstStride numbers, from as many rows of
// x, in rows of xStride. dst must not overlap x. Errors: those of MatMul.
func (l *Linear) Forward(dst []float32, dstStride int, x []float32, xStride, rows int) error {
	return l.ForwardMatrix(
		Matrix[float32]{Rows: rows, Cols: l.Out(), Data: dst, Stride: dstStride},
		Matrix[float32]{Rows: rows, Cols: l.In(), Data: x, Stride: xStride},
	)
}

// ForwardMatrix is Forward for matrices; gonum's blas32.General converts to them.
func (l *Linear) ForwardMatrix(dst, x Matrix[float32]) error {
	return MatMul(dst, x, l.weight, HostOptions{Style: l.style, Bias: l.bias})
}
