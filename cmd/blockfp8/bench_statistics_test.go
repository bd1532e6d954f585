package main

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		samples         []float64
		median, max, cv float64
	}{
		{[]float64{4, 1, 3, 2}, 2.5, 4, 0.5163977794943222},
		{[]float64{9, 1, 5}, 5, 9, 0.8},
		{[]float64{7}, 7, 7, 0},
		{[]float64{0, 0}, 0, 0, 0},
		{[]float64{2, 2, 2}, 2, 2, 0},
	} {
		got := summarize(c.samples)
		if got.Median != c.median || got.Max != c.max || math.Abs(got.CV-c.cv) > 1e-15 || !slices.Equal(got.Samples, c.samples) {
			t.Errorf("%v: got %+v, want median %g, max %g, CV %g", c.samples, got, c.median, c.max, c.cv)
		}
	}
}

func TestInterleave(t *testing.T) {
	calls := 0
	got, err := interleave(3, 2, func(arm int) (int, error) {
		calls++
		return 10*calls + arm, nil
	})
	if want := [][]int{{10, 30, 50}, {21, 41, 61}}; err != nil || !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	failure := errors.New("failure")
	if _, err := interleave(3, 2, func(arm int) (int, error) { return 0, failure }); err != failure {
		t.Errorf("got %v, want the error of the measurement", err)
	}
}
