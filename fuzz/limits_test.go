package fuzz_test

import (
	"strings"
	"testing"

	"blockfp8/fuzz"
	"blockfp8/ref"
	"blockfp8/scale"
)

// What is drawn lies within the limits.
func TestDrawsKeepToLimits(t *testing.T) {
	l := fuzz.Limits{
		MinM: 3, StepM: 2, MaxM: 20, StepN: 16, MaxN: 64, StepK: 128, NoEmpty: true, Finite: true,
		ScalesB: fuzz.E8M0Scales, WholeBlocks: true, Dense: true,
	}
	for seed := range 500 {
		p := fuzz.Problems(l).Example(seed)
		m, n, k := p.A.Rows, p.B.Rows, p.A.K
		if m < 4 || m > 20 || m%2 > 0 || n < 16 || n > 64 || n%16 > 0 || k < 128 || k%128 > 0 {
			t.Errorf("seed %d: M, N, K are %d, %d, %d", seed, m, n, k)
		}
		for _, s := range []fuzz.Side{p.A, p.B} {
			checkFinite(t, s)
		}
	}
}

func checkFinite(t *testing.T, s fuzz.Side) {
	t.Helper()
	for _, row := range s.Codes {
		for _, c := range row {
			if c&0x7F == 0x7F {
				t.Fatal("a NaN code")
			}
		}
	}
	for i := range s.E8M0 {
		if strings.Contains(string(s.E8M0[i]), "\xff") {
			t.Fatal("a NaN scale")
		}
	}
	for _, row := range s.FP32 {
		for _, b := range row {
			if b>>23&0xFF == 0xFF {
				t.Fatal("an infinite scale or a NaN")
			}
		}
	}
}

// An implementation that fails outside of its limits passes: neither draws nor
// properties nor shrinking leave them.
func TestSuiteKeepsToLimits(t *testing.T) {
	for name, l := range map[string]fuzz.Limits{
		"finite": {Finite: true, NoEmpty: true, MinM: 2, StepM: 2, StepN: 2, StepK: 32},
		"tame":   {Tame: true, NoEmpty: true},
	} {
		t.Run(name, func(t *testing.T) {
			fuzz.RunWith(t, picky{fast{recipe: mma(ref.SM120), limits: l}, t}, fuzz.Options{Draws: 300})
		})
	}
}

// picky is a fast that watches for extents that its limits rule out.
type picky struct {
	fast
	t *testing.T
}

func (p picky) Multiply(dst ref.Matrix, a, b ref.Operand, output scale.Format) error {
	m, n, k := a.Rows(), b.Rows(), a.K()
	if b.Grid().IsSet() && a.Grid().IsSet() && dst.Rows == m && dst.Cols == n && k == b.K() &&
		(min(m, n, k) == 0 || m < p.limits.MinM || m%max(1, p.limits.StepM) > 0 || n%max(1, p.limits.StepN) > 0) {
		p.t.Errorf("asked for M, N, K of %d, %d, %d", m, n, k)
	}
	return p.fast.Multiply(dst, a, b, output)
}
