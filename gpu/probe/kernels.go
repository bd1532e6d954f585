package probe

import (
	"errors"
	"fmt"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

// KernelsReport is what the kernels of package gpu gave on problems that hurt, each
// compared with the oracle under the recipe that the plan states.
type KernelsReport struct {
	// Skipped says why no kernel was run, or Failed what ended the comparison.
	Skipped   string          `json:"skipped,omitempty"`
	Failed    string          `json:"failed,omitempty"`
	Problems  int             `json:"problems"`
	Outputs   int             `json:"outputs"`
	Different int             `json:"different"`
	Forms     []FormCount     `json:"forms,omitempty"`
	First     *KernelMismatch `json:"first,omitempty"`
}

// FormCount is the outputs of one form of the kernels. It has none if no problem
// suited it or the chip does not have its instruction, or if the driver refused it.
type FormCount struct {
	Form      string `json:"form"`
	Refused   string `json:"refused,omitempty"` // what the driver said
	Outputs   int    `json:"outputs"`
	Different int    `json:"different"`
}

// KernelMismatch is an output of a kernel that differs. Got and Want are bits in the
// output's format.
type KernelMismatch struct {
	Form    string `json:"form"`
	Problem string `json:"problem"`
	Recipe  string `json:"recipe"`
	Row     int    `json:"row"`
	Column  int    `json:"column"`
	Got     uint32 `json:"got"`
	Want    uint32 `json:"want"`
}

// Line is the mismatch on one line.
func (m *KernelMismatch) Line() string {
	return fmt.Sprintf("%s, %s, recipe %s, row %d, column %d: got %x, want %x", m.Form, m.Problem, m.Recipe, m.Row, m.Column, m.Got, m.Want)
}

// probe compares every form on every problem that it takes.
func (r *KernelsReport) probe(dev *gpu.Device, o Options) error {
	if ok, why := gpu.Supported(dev.Target()); !ok {
		r.Skipped = why
		return nil
	}
	r.Forms = make([]FormCount, len(gpu.Forms()))
	for i, f := range gpu.Forms() {
		r.Forms[i].Form = f.Name
	}
	for n := range o.Problems {
		if err := o.step("kernels, problem %d of %d", n+1, o.Problems); err != nil {
			return err
		}
		if err := r.probeProblem(dev, n, o.Seed); err != nil {
			r.Failed = err.Error()
			return nil
		}
		r.Problems++
	}
	return nil
}

func (r *KernelsReport) probeProblem(dev *gpu.Device, n int, seed uint64) error {
	p, err := drawProblem(n, seed)
	if err != nil {
		return err
	}
	wants := map[ref.Recipe]ref.Matrix{} // forms of one family share it
	for i, form := range gpu.Forms() {
		f := &r.Forms[i]
		if f.Refused != "" {
			continue
		}
		o := gpu.WeightOptions{Kernel: form.Name, E8M0Activations: form.E8M0Activations}
		switch err := r.probeForm(dev, f, o, p, wants); {
		case errors.Is(err, gpu.ErrJIT):
			f.Refused = err.Error()
		case err != nil && !doesNotTake(err):
			return fmt.Errorf("%s, %v: %w", form.Name, p, err)
		}
	}
	return nil
}

// probeForm compares one form on one problem.
func (r *KernelsReport) probeForm(dev *gpu.Device, f *FormCount, o gpu.WeightOptions, p problem, wants map[ref.Recipe]ref.Matrix) (err error) {
	w, err := gpu.NewWeight(dev, p.b, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	recipe, err := w.Recipe(p.output)
	if err != nil {
		return err
	}
	got, err := p.multiply(w)
	if err != nil {
		return err
	}
	want, ok := wants[recipe]
	if !ok {
		want = ref.NewMatrix(p.a.Rows(), p.b.Rows())
		if err := ref.MatMul(want, p.a, p.b, recipe); err != nil {
			return err
		}
		wants[recipe] = want
	}
	found, err := ref.Compare(got, want, p.output)
	if err != nil {
		return err
	}
	r.add(f, found, p, recipe)
	return nil
}

// doesNotTake tells whether an error says that a form is not for a problem.
func doesNotTake(err error) bool {
	return errors.Is(err, gpu.ErrUnsupported) || errors.Is(err, scale.ErrBlock) || errors.Is(err, scale.ErrStride) || errors.Is(err, scale.ErrInexact)
}

func (r *KernelsReport) add(f *FormCount, found ref.Report, p problem, recipe ref.Recipe) {
	f.Outputs += found.Total
	f.Different += found.Different
	r.Outputs += found.Total
	r.Different += found.Different
	if r.First == nil && found.Different > 0 {
		d := found.First[0]
		r.First = &KernelMismatch{
			Form: f.Form, Problem: p.String(), Recipe: recipe.String(), Row: d.M, Column: d.N,
			Got: p.output.Bits(d.Got), Want: p.output.Bits(d.Want),
		}
	}
}
