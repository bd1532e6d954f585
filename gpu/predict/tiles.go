package predict

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"blockfp8/gpu"
)

// Tiles is a shape with every form that gives the plan's bits.
type Tiles struct {
	Planned string       `json:"planned"` // what the plan chooses
	Forms   []Prediction `json:"forms"`   // the fastest first
}

// Best is the fastest form, as predicted.
func (t *Tiles) Best() Prediction { return t.Forms[0] }

// Plan is the prediction for what the plan chooses.
func (t *Tiles) Plan() Prediction {
	return t.Forms[slices.IndexFunc(t.Forms, func(p Prediction) bool { return p.Kernel == t.Planned })]
}

// Compare predicts a shape on a chip for all forms of the family that the plan uses, or
// that a kernel is of if one is named. Forms for finer scale blocks than a Shape's are
// left out.
func Compare(c Chip, s Shape, kernel string, e8m0 bool) (Tiles, error) {
	planned, err := Count(c, s, kernel, e8m0)
	if err != nil {
		return Tiles{}, err
	}
	t := Tiles{Planned: planned.Kernel, Forms: []Prediction{c.Predict(planned)}}
	family := familyOf(planned.Kernel)
	for _, f := range gpu.Forms() {
		if f.Family != family || f.Name == planned.Kernel || strings.HasSuffix(f.Name, "_fine") {
			continue
		}
		w, err := Count(c, s, f.Name, e8m0)
		switch {
		case errors.Is(err, gpu.ErrUnsupported): // the shape does not fit the form
		case err != nil:
			return Tiles{}, err
		default:
			t.Forms = append(t.Forms, c.Predict(w))
		}
	}
	slices.SortStableFunc(t.Forms, func(a, b Prediction) int {
		return cmp.Or(cmp.Compare(a.Microseconds, b.Microseconds), cmp.Compare(a.sum(), b.sum()))
	})
	return t, nil
}

// sum is what a launch would take if nothing hid behind anything else. It tells forms
// apart that are bound alike: the one with less to hide is the safer guess.
func (p *Prediction) sum() (us float64) {
	for _, part := range p.Parts {
		us += part.Microseconds
	}
	return us
}

func familyOf(kernel string) string {
	for _, f := range gpu.Forms() {
		if f.Name == kernel {
			return f.Family
		}
	}
	return ""
}
