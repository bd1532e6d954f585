package main

import (
	"fmt"
	"io"
	"math"

	"blockfp8/scale"
)

// errorSummary says how far a layer's codes are from its weights.
type errorSummary struct {
	Layer       string `json:"layer"`
	N           int    `json:"n"`
	K           int    `json:"k"`
	AMax        number `json:"amax"`        // the largest finite magnitude
	MaxRelative number `json:"maxRelative"` // the largest error, as a part of its block's largest magnitude
	RMS         number `json:"rms"`         // root of the mean squared error
	SQNR        number `json:"sqnrDB"`      // signal to quantisation noise, in decibels
	ZeroBlocks  int    `json:"zeroBlocks"`  // blocks without a finite value other than 0
	NaN         int    `json:"nan"`         // inputs that are NaN
	Inf         int    `json:"inf"`         // inputs that are infinite: their codes are NaN
}

// measure compares dense weights with their codes and scales. NaN and infinite
// weights are counted and take no part in the errors.
func measure(weights []float32, codes []scale.E4M3, grid scale.Grid) errorSummary {
	l := grid.Layout()
	s := errorSummary{N: l.Rows, K: l.Cols}
	amax, worst := make([]float64, l.Len()), make([]float64, l.Len())
	var signal, noise float64
	for i := range weights {
		w := float64(weights[i])
		switch {
		case math.IsNaN(w):
			s.NaN++
			continue
		case math.IsInf(w, 0):
			s.Inf++
			continue
		}
		r, k := i/l.Cols, i%l.Cols
		block := l.IndexOf(r, k)
		e := w - codes[i].Float64()*float64(grid.At(r/l.BlockRows, k/l.BlockCols))
		amax[block] = max(amax[block], math.Abs(w))
		worst[block] = max(worst[block], math.Abs(e))
		signal += w * w
		noise += e * e
	}
	for i := range amax {
		s.AMax = max(s.AMax, number(amax[i]))
		if amax[i] == 0 {
			s.ZeroBlocks++
		} else {
			s.MaxRelative = max(s.MaxRelative, number(worst[i]/amax[i]))
		}
	}
	if finite := len(weights) - s.NaN - s.Inf; finite > 0 {
		s.RMS = number(math.Sqrt(noise / float64(finite)))
	}
	s.SQNR = number(decibels(signal, noise))
	return s
}

func decibels(signal, noise float64) float64 {
	if noise == 0 {
		return math.Inf(1)
	}
	return 10 * math.Log10(signal/noise)
}

// quantizeDocument is what quantize reports, as JSON.
type quantizeDocument struct {
	In       string         `json:"in"`
	Out      string         `json:"out"`
	Block    blockSize      `json:"block"`
	Naming   string         `json:"naming"`
	Scales   string         `json:"scales"`
	Layers   []errorSummary `json:"layers"`
	Passed   int            `json:"passedThrough"`
	BytesIn  int64          `json:"bytesIn"`
	BytesOut int64          `json:"bytesOut"`
}

func (d *quantizeDocument) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, d)
	}
	t := newTable("layer", "N ", "K ", "amax ", "max error/amax ", "RMS error ", "SQNR dB ", "zero blocks ", "NaN ", "Inf ")
	for _, s := range d.Layers {
		t.add(s.Layer, s.N, s.K, s.AMax, fmt.Sprintf("%.4f", float64(s.MaxRelative)), s.RMS, fmt.Sprintf("%.2f", float64(s.SQNR)), s.ZeroBlocks, s.NaN, s.Inf)
	}
	if err := t.write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d tensors quantised (.%s in %s, %v blocks), %d passed through, %d bytes became %d: %s\n",
		len(d.Layers), d.Naming, d.Scales, d.Block, d.Passed, d.BytesIn, d.BytesOut, d.Out)
	return err
}
