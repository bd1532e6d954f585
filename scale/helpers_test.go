package scale_test

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

// tb is what a check needs of *testing.T and *rapid.T.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// oddStride is the default step through the 2^32 bit patterns of float32. It is
// odd, so every low mantissa bit is seen set and clear in every exponent.
const oddStride = 4099

// stride returns 1, all of float32, in long mode.
func stride() uint64 {
	if long() {
		return 1
	}
	return oddStride
}

func long() bool { return os.Getenv("BLOCKFP8_LONG") == "1" }

// wantMismatch checks that err is a *Mismatch of exactly the given kind that
// says what was wrong, what was expected and what came.
func wantMismatch(t tb, err, kind error) {
	t.Helper()
	var m *scale.Mismatch
	if !errors.As(err, &m) {
		t.Errorf("error %v (%T) is not a *Mismatch", err, err)
		return
	}
	for _, sentinel := range sentinels {
		if is := errors.Is(err, sentinel); is != (sentinel == kind) {
			t.Errorf("errors.Is(%q, %q) = %v, want kind %q", err, sentinel, is, kind)
		}
	}
	if m.What == "" || m.Want == "" || m.Got == "" {
		t.Errorf("silent error: What %q, Want %q, Got %q", m.What, m.Want, m.Got)
	}
	for _, part := range []string{m.What, m.Want, m.Got, kind.Error()} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

var sentinels = []error{
	scale.ErrShape, scale.ErrStride, scale.ErrBlock, scale.ErrOffset,
	scale.ErrUnsetScale, scale.ErrInexact, scale.ErrOption,
}

// must returns v of a call that may not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// wantNoPanic runs f and reports a panic as a failure.
func wantNoPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v", what, r)
		}
	}()
	f()
}

func wantBits32(t tb, what string, got float32, want uint32) {
	t.Helper()
	if bits := math.Float32bits(got); bits != want {
		t.Errorf("%s: got %#08x (%g), want %#08x (%g)", what, bits, got, want, math.Float32frombits(want))
	}
}

func wantCodes[T ~uint8](t tb, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d codes, want %d", what, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: code %d: got %#02x, want %#02x", what, i, uint8(got[i]), uint8(want[i]))
		}
	}
}

// isNaN32 and isNaN16 look at bits alone: exponent all ones, mantissa not 0.
func isNaN32(bits uint32) bool    { return bits&0x7F800000 == 0x7F800000 && bits&0x007FFFFF != 0 }
func isNaN64(bits uint64) bool    { return bits&^(1<<63) > 0x7FF0000000000000 }
func isNaNBF16(b scale.BF16) bool { return b&0x7F80 == 0x7F80 && b&0x007F != 0 }
func isNaNFP16(bits uint16) bool  { return bits&0x7C00 == 0x7C00 && bits&0x03FF != 0 }
func sameScale(a, b float32) bool { return a == b || a != a && b != b }
func f32(bits uint32) float32     { return math.Float32frombits(bits) }
func above64(x float64) float64   { return math.Nextafter(x, math.Inf(1)) }
func below64(x float64) float64   { return math.Nextafter(x, math.Inf(-1)) }
func above32(x float64) float64   { return float64(math.Nextafter32(float32(x), float32(math.Inf(1)))) }

func below32(x float64) float64 { return float64(math.Nextafter32(float32(x), float32(math.Inf(-1)))) }

// weird32 holds the float32 patterns that conversions get wrong.
var weird32 = []uint32{
	0x00000000, 0x80000000, // zeros
	0x00000001, 0x80000001, 0x003FFFFF, 0x00400000, 0x00400001, 0x007FFFFF, // subnormals
	0x00800000, 0x00800001, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0xBF800000,
	0x43E00000, 0x43E80000, 0x43E80001, // 448, 464 and the float32 above
	0x7F000000, 0x7F000001, 0x7F7FFFFF, 0xFF7FFFFF,
	0x7F800000, 0xFF800000, // infinities
	0x7F800001, 0xFF800001, 0x7FC00000, 0xFFC00000, 0x7FFFFFFF, 0xFFFFFFFF, // NaN
}

// drawFloat32 draws bits, half of the time weird ones.
func drawFloat32(t *rapid.T, label string) float32 {
	gen := rapid.OneOf(rapid.Uint32(), rapid.SampledFrom(weird32))
	return f32(gen.Draw(t, label))
}

// drawFloat64 draws bits: any float64, any float32, and the neighbourhood of
// any float32, where rounding in two steps goes wrong.
func drawFloat64(t *rapid.T, label string) float64 {
	if rapid.Bool().Draw(t, label+" any") {
		return math.Float64frombits(rapid.Uint64().Draw(t, label))
	}
	x := float64(drawFloat32(t, label))
	switch rapid.IntRange(0, 3).Draw(t, label+" side") {
	case 1:
		return above64(x)
	case 2:
		return below64(x)
	case 3:
		return x * (1 + 0x1p-40)
	}
	return x
}

// drawLayout draws small valid layouts of every storage order.
func drawLayout(t *rapid.T) scale.Layout {
	draw := func(from, to int, label string) int { return rapid.IntRange(from, to).Draw(t, label) }
	rows, cols := draw(0, 20, "rows"), draw(0, 20, "cols")
	blockRows, blockCols := draw(1, 7, "blockRows"), draw(1, 7, "blockCols")
	l := scale.RowMajor(rows, cols, blockRows, blockCols)
	colMajor := rapid.Bool().Draw(t, "colMajor")
	if colMajor {
		l = scale.ColMajor(rows+blockRows, cols, blockRows, blockCols, draw(1, 5, "align"))
		l.Rows = rows
	}
	l.RowOffset = draw(0, blockRows-1, "rowOffset")
	// A pitch spreads neighbours, padding lengthens lines.
	pitch, padding := draw(1, 3, "pitch"), draw(0, 4, "padding")
	l.RowStride, l.ColStride = l.RowStride*pitch, l.ColStride*pitch
	if colMajor {
		l.ColStride += padding
	} else {
		l.RowStride += padding
	}
	return l
}
