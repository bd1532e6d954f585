package scale

import (
	"fmt"
	"math"
)

// Grid is all the scales of one operand: a Layout over E8M0 codes or float32
// values. It refers to the caller's slice and never changes it; the caller must
// not change it either while the grid is in use. A Grid is safe for concurrent
// readers. The zero value has no scales: using it is ErrUnsetScale.
type Grid struct {
	layout Layout
	kind   gridKind
	e8m0   []E8M0
	fp32   []float32
}

// gridKind keeps the element type of grids that have no elements.
type gridKind uint8

const (
	unsetGrid gridKind = iota
	e8m0Grid
	fp32Grid
)

// UnsetScale is the value that inference frameworks put in scale parameters
// before loading: the most negative finite float32.
const UnsetScale = -math.MaxFloat32

// NewE8M0Grid makes a grid of E8M0 codes. Errors: those of Layout.Validate,
// ErrUnsetScale for a nil slice where scales are needed, ErrShape for a slice
// shorter than layout.Len(). Scales past Len, and those that strides skip, are
// never read.
func NewE8M0Grid(layout Layout, codes []E8M0) (Grid, error) {
	if err := checkStorage(layout, len(codes), codes == nil); err != nil {
		return Grid{}, err
	}
	return Grid{layout: layout, kind: e8m0Grid, e8m0: codes}, nil
}

// NewFP32Grid makes a grid of float32 scales, with the errors of NewE8M0Grid
// and ErrUnsetScale if a scale that the operand uses is UnsetScale. Every other
// value is taken as it is, also negative ones, zero, Inf and NaN.
func NewFP32Grid(layout Layout, values []float32) (Grid, error) {
	if err := checkStorage(layout, len(values), values == nil); err != nil {
		return Grid{}, err
	}
	g := Grid{layout: layout, kind: fp32Grid, fp32: values}
	for i := range layout.GridRows() {
		for j := range layout.GridCols() {
			if values[layout.Index(i, j)] == UnsetScale {
				return Grid{}, layout.mismatch(ErrUnsetScale, "a scale that was loaded", fmt.Sprintf("%g in block (%d, %d)", UnsetScale, i, j))
			}
		}
	}
	return g, nil
}

func checkStorage(l Layout, n int, isNil bool) error {
	if err := l.Validate(); err != nil {
		return err
	}
	want := fmt.Sprintf("at least %d scales", l.Len())
	if isNil && l.Len() > 0 {
		return l.mismatch(ErrUnsetScale, want, "none")
	}
	if n < l.Len() {
		return l.mismatch(ErrShape, want, fmt.Sprint(n))
	}
	return nil
}

// Layout returns the grid's layout.
func (g Grid) Layout() Layout { return g.layout }

// IsSet reports whether g was made by a constructor.
func (g Grid) IsSet() bool { return g.kind != unsetGrid }

func (g Grid) checkSet() error {
	if g.IsSet() {
		return nil
	}
	return &Mismatch{Kind: ErrUnsetScale, What: "scale grid", Want: "a grid of scales", Got: "the zero Grid"}
}

// IsE8M0 reports whether the scales are E8M0 codes.
func (g Grid) IsE8M0() bool { return g.kind == e8m0Grid }

// Codes returns the E8M0 storage as it was given, nil for float32 grids.
func (g Grid) Codes() []E8M0 { return g.e8m0 }

// Values returns the float32 storage as it was given, nil for E8M0 grids.
func (g Grid) Values() []float32 { return g.fp32 }

// At returns the scale of block (blockRow, blockCol) as float32, with the OCP
// reading of E8M0. The block must lie in the grid.
func (g Grid) At(blockRow, blockCol int) float32 {
	i := g.layout.Index(blockRow, blockCol)
	if g.IsE8M0() {
		return g.e8m0[i].Float32()
	}
	return g.fp32[i]
}

// SliceRows returns the grid of rows [from, to), sharing storage; see
// Layout.SliceRows.
func (g Grid) SliceRows(from, to int) (Grid, error) {
	if err := g.checkSet(); err != nil {
		return Grid{}, err
	}
	part, first, err := g.layout.SliceRows(from, to)
	if err != nil {
		return Grid{}, err
	}
	return g.shift(part, first), nil
}

// SliceCols returns the grid of columns [from, to), sharing storage; see
// Layout.SliceCols.
func (g Grid) SliceCols(from, to int) (Grid, error) {
	if err := g.checkSet(); err != nil {
		return Grid{}, err
	}
	part, first, err := g.layout.SliceCols(from, to)
	if err != nil {
		return Grid{}, err
	}
	return g.shift(part, first), nil
}

func (g Grid) shift(part Layout, first int) Grid {
	g.layout = part
	if g.IsE8M0() {
		g.e8m0 = g.e8m0[first:]
	} else {
		g.fp32 = g.fp32[first:]
	}
	return g
}
