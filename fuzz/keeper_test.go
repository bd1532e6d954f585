package fuzz_test

import (
	"errors"
	"testing"

	"blockfp8/fuzz"
	"blockfp8/ref"
	"blockfp8/scale"
)

// complete is an implementation with everything that the suite can ask for. Its
// faults are what mutants differ in.
type complete struct {
	fast
	deafToUpdate, aliveAfterClose, keepsMemory bool
	mode                                       scale.UpcastMode
	tiesUp                                     bool
	accepts                                    bool // takes operands with another K
}

func (c complete) Limits() fuzz.Limits { return fuzz.Limits{Concurrent: true} }

func (c complete) Multiply(dst ref.Matrix, a, b ref.Operand, output scale.Format) error {
	if c.accepts && a.K() != b.K() {
		return nil
	}
	return c.fast.Multiply(dst, a, b, output)
}

func (c complete) Upcast(dst []float32, codes []scale.E8M0) error {
	return scale.Upcast(dst, codes, c.mode)
}

func (c complete) Encode(dst []scale.E4M3, x []float32, o scale.Overflow) error {
	for i, v := range x {
		dst[i] = scale.EncodeE4M3FromFloat32(v, o)
		if c.tiesUp && v == 17 {
			dst[i]++
		}
	}
	return nil
}

func (c complete) Keep(b ref.Operand) (fuzz.Weight, error) {
	w := &weight{of: c}
	return w, w.Update(b)
}

type weight struct {
	of     complete
	b      ref.Operand
	set    bool
	closed bool
}

func (w *weight) Multiply(dst ref.Matrix, a ref.Operand, output scale.Format) error {
	if w.closed && !w.of.aliveAfterClose {
		return errors.New("closed")
	}
	return w.of.Multiply(dst, a, w.b, output)
}

func (w *weight) Update(b ref.Operand) error {
	if w.set && w.of.deafToUpdate {
		return nil
	}
	w.set = true
	if w.of.keepsMemory {
		w.b = b
		return nil
	}
	w.b = withScales(withCodes(b, func(_, _ int, c scale.E4M3) scale.E4M3 { return c }), func(g scale.Grid, i, j int) float32 { return g.At(i, j) })
	return nil
}

func (w *weight) Close() error {
	w.closed = true
	return nil
}

func TestSuiteOnEverything(t *testing.T) { fuzz.Run(t, complete{fast: sm120}) }

// completeMutants have faults beside the multiplication.
var completeMutants = []struct {
	name, by string
	impl     complete
}{
	{"an update is not heard", "kept-weights", complete{fast: sm120, deafToUpdate: true}},
	{"a closed weight multiplies", "kept-weights", complete{fast: sm120, aliveAfterClose: true}},
	{"a kept weight is the caller's memory", "kept-weights", complete{fast: sm120, keepsMemory: true}},
	{"shift of codes by themselves", "upcast", complete{fast: sm120, mode: scale.Shift}},
	{"ties of codes away from even", "encode", complete{fast: sm120, tiesUp: true}},
	{"another K is taken", "refusals", complete{fast: sm120, accepts: true}},
}
