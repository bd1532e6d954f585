package main

import (
	"math"
	"slices"
)

// summary describes repeated measurements of one thing.
type summary struct {
	Median  float64   `json:"median"`
	Max     float64   `json:"max"`
	CV      float64   `json:"cv"` // standard deviation of the samples over their mean
	Samples []float64 `json:"samples"`
}

// summarize takes at least one sample, in the order of measurement.
func summarize(samples []float64) summary {
	return summary{Median: median(samples), Max: slices.Max(samples), CV: variation(samples), Samples: samples}
}

func median(samples []float64) float64 {
	s := slices.Sorted(slices.Values(samples))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// variation is the coefficient of variation, with n-1 in the standard deviation;
// 0 for one sample.
func variation(samples []float64) float64 {
	n := float64(len(samples))
	sum, squares := 0.0, 0.0
	for _, x := range samples {
		sum += x
	}
	mean := sum / n
	for _, x := range samples {
		squares += (x - mean) * (x - mean)
	}
	if n < 2 || mean == 0 {
		return 0
	}
	return math.Sqrt(squares/(n-1)) / mean
}

// interleave measures every arm once per round, so that what drifts while it runs
// meets all arms alike. It returns the samples by arm.
func interleave[T any](rounds, arms int, measure func(arm int) (T, error)) ([][]T, error) {
	samples := make([][]T, arms)
	for range rounds {
		for arm := range arms {
			s, err := measure(arm)
			if err != nil {
				return nil, err
			}
			samples[arm] = append(samples[arm], s)
		}
	}
	return samples, nil
}
