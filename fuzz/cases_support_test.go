package fuzz_test

import (
	"errors"
	"math"
	"testing"

	"blockfp8/scale"
)

const (
	up   = scale.RoundUp
	down = scale.RoundFloor
	even = scale.RoundNearestEven
	away = scale.RoundNearestAway
	sat  = scale.Saturate
	nan  = scale.OverflowNaN
)

var (
	roundings = []scale.Rounding{up, down, even, away}
	overflows = []scale.Overflow{sat, nan}
	allE8M0   = func() (codes []scale.E8M0) {
		for c := range 256 {
			codes = append(codes, scale.E8M0(c))
		}
		return codes
	}()
)

func f32(bits uint32) float32 { return math.Float32frombits(bits) }

// Whether bits are NaN: exponent all ones, mantissa not 0.
func isNaN32(bits uint32) bool    { return bits&0x7F800000 == 0x7F800000 && bits&0x007FFFFF != 0 }
func isNaN64(bits uint64) bool    { return bits&^(1<<63) > 0x7FF0000000000000 }
func isNaNBF16(b scale.BF16) bool { return b&0x7F80 == 0x7F80 && b&0x007F != 0 }
func isNaNFP16(bits uint16) bool  { return bits&0x7C00 == 0x7C00 && bits&0x03FF != 0 }

// sameScale compares values, NaN by class.
func sameScale(a, b float32) bool { return a == b || a != a && b != b }

func oneScale(v float32) scale.Grid {
	return must(scale.NewFP32Grid(scale.RowMajor(1, 1, 128, 128), []float32{v}))
}

func wantBits32(t *testing.T, what string, got float32, want uint32) {
	t.Helper()
	if bits := math.Float32bits(got); bits != want {
		t.Errorf("%s: got %#08x (%g), want %#08x (%g)", what, bits, got, want, f32(want))
	}
}

// wantMismatch checks for an error of a kind that says what was expected and what came.
func wantMismatch(t *testing.T, err, kind error) {
	t.Helper()
	var m *scale.Mismatch
	if !errors.As(err, &m) || !errors.Is(err, kind) || m.Want == "" || m.Got == "" {
		t.Errorf("got %v, want %v with what was expected and what came", err, kind)
	}
}
