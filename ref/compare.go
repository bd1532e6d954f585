package ref

import (
	"fmt"
	"math"
	"strings"

	"blockfp8/scale"
)

// Report is what Compare found.
type Report struct {
	Format    scale.Format
	Total     int          // elements compared
	Different int          // elements whose bits differ
	MaxULP    uint64       // largest distance, see ULPDistance
	First     []Difference // the first differences in row-major order, at most MaxDifferences
}

// MaxDifferences bounds Report.First.
const MaxDifferences = 64

// Difference is one element whose bits differ.
type Difference struct {
	M, N      int
	Got, Want float32
	ULP       uint64
	// WithinBound and Suspects are filled by Report.Explain.
	WithinBound bool      // so small that rounding in another order explains it
	Suspects    []Suspect // K blocks that alone could cause it
}

// Compare compares two results bit by bit in the given format. NaN equals NaN
// whatever its sign and payload; -0 and +0 differ. The two must have the same
// extents (scale.ErrShape) and hold values of the format (scale.ErrOption: a
// float32 that is no bf16 cannot be a bf16 kernel's result).
func Compare(got, want Matrix, f scale.Format) (Report, error) {
	if err := checkPair(got, want, f); err != nil {
		return Report{}, err
	}
	r := Report{Format: f, Total: got.Rows * got.Cols}
	for m := range got.Rows {
		for n := range got.Cols {
			g, w := got.Data[m*got.Stride+n], want.Data[m*want.Stride+n]
			if err := checkValue(g, f, "got", m, n); err != nil {
				return Report{}, err
			}
			if err := checkValue(w, f, "want", m, n); err != nil {
				return Report{}, err
			}
			if ulp := ULPDistance(g, w, f); ulp != 0 {
				r.add(Difference{M: m, N: n, Got: g, Want: w, ULP: ulp})
			}
		}
	}
	return r, nil
}

func checkPair(got, want Matrix, f scale.Format) error {
	if !f.Valid() {
		return &scale.Mismatch{Kind: scale.ErrOption, What: "comparison", Want: "a defined output format", Got: f.String()}
	}
	if err := got.validate("compared result"); err != nil {
		return err
	}
	if err := want.validate("expected result"); err != nil {
		return err
	}
	if got.Rows != want.Rows || got.Cols != want.Cols {
		return &scale.Mismatch{
			Kind: scale.ErrShape, What: "compared result",
			Want: fmt.Sprintf("[%d,%d]", want.Rows, want.Cols), Got: fmt.Sprintf("[%d,%d]", got.Rows, got.Cols),
		}
	}
	return nil
}

func checkValue(v float32, f scale.Format, name string, m, n int) error {
	if v == v && f.Round(float64(v)) != v {
		return &scale.Mismatch{
			Kind: scale.ErrOption, What: fmt.Sprintf("value [%d,%d] of %s", m, n, name),
			Want: "a value of " + f.String(), Got: fmt.Sprintf("%g (0x%08X)", v, math.Float32bits(v)),
		}
	}
	return nil
}

func (r *Report) add(d Difference) {
	r.Different++
	r.MaxULP = max(r.MaxULP, d.ULP)
	if len(r.First) < MaxDifferences {
		r.First = append(r.First, d)
	}
}

// Equal reports whether every element had the same bits.
func (r Report) Equal() bool { return r.Different == 0 }

// ULPDistance counts the values of format f between x and y, plus one: 0 for equal
// bits or two NaNs, 1 for neighbours. -0 and +0 are 1 apart. A NaN is
// math.MaxUint64 from every number.
func ULPDistance(x, y float32, f scale.Format) uint64 {
	if x != x || y != y {
		if x != x && y != y {
			return 0
		}
		return math.MaxUint64
	}
	i, j := ordinal(f.Bits(x), f), ordinal(f.Bits(y), f)
	return uint64(max(i, j) - min(i, j))
}

// ordinal numbers the values of a format in ascending order, -0 just below +0.
func ordinal(bits uint32, f scale.Format) int64 {
	sign := uint32(1) << (f.Width() - 1)
	if bits&sign != 0 {
		return -1 - int64(bits&^sign)
	}
	return int64(bits)
}

const shownDifferences = 10

// String is Text with 10 differences.
func (r Report) String() string { return r.Text(shownDifferences) }

// Text is a report for people: the counts, then at most the given number of
// differences with coordinates, both values in decimal and hex, and suspects.
func (r Report) Text(shown int) string {
	var s strings.Builder
	if r.Equal() {
		fmt.Fprintf(&s, "all %d elements equal in every bit (%v)", r.Total, r.Format)
		return s.String()
	}
	fmt.Fprintf(&s, "%d of %d elements differ (%v), worst by %s\n", r.Different, r.Total, r.Format, ulpText(r.MaxULP))
	shown = min(max(shown, 0), len(r.First))
	for _, d := range r.First[:shown] {
		s.WriteString(d.text(r.Format))
	}
	if rest := r.Different - shown; rest > 0 {
		fmt.Fprintf(&s, "  and %d more\n", rest)
	}
	return s.String()
}

func ulpText(ulp uint64) string {
	if ulp == math.MaxUint64 {
		return "NaN against a number"
	}
	return fmt.Sprintf("%d ULP", ulp)
}

func (d Difference) text(f scale.Format) string {
	digits := f.Width() / 4
	s := fmt.Sprintf("  C[%d,%d]: got %g (0x%0*X), want %g (0x%0*X), %s\n",
		d.M, d.N, d.Got, digits, f.Bits(d.Got), d.Want, digits, f.Bits(d.Want), ulpText(d.ULP))
	if d.WithinBound {
		s += "    within the recipe's error bound: another datapath, order or rounding explains it\n"
	}
	for _, suspect := range d.Suspects {
		s += "    " + suspect.String() + "\n"
	}
	return s
}
