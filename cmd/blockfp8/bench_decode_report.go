package main

import (
	"fmt"
	"io"
	"strconv"
)

// decodeDocument is what bench decode reports, as JSON.
type decodeDocument struct {
	Device  benchDevice `json:"device"`
	TP      int         `json:"tp"`
	Input   string      `json:"input"`
	Samples int         `json:"samples"`
	Steps   int         `json:"stepsPerSample"`
	Size    stepSize    `json:"step"`
	Rows    []decodeRow `json:"rows"`
	Bits    decodeBits  `json:"bits"`
}

// decodeRow is one arm, given to the device in one way. Everything is per step.
type decodeRow struct {
	M               int     `json:"m"`
	Arm             string  `json:"arm"`
	Given           string  `json:"given"` // call by call, or as a graph
	Launches        int     `json:"launches"`
	Allocations     int64   `json:"deviceAllocations"`
	GPU             summary `json:"gpuMilliseconds"`
	Host            summary `json:"hostMicroseconds"`
	HeapAllocations summary `json:"heapAllocations"`
	CacheBytes      int64   `json:"cacheBytes"`
}

func newDecodeRow(m int, way decodeWay, samples []timing) decodeRow {
	column := func(of func(timing) float64) summary {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = of(s)
		}
		return summarize(values)
	}
	return decodeRow{
		M: m, Arm: way.arm.name, Given: way.name, Launches: way.launches, Allocations: way.allocations, CacheBytes: way.arm.cacheBytes,
		GPU:             column(func(t timing) float64 { return t.gpuMilliseconds }),
		Host:            column(func(t timing) float64 { return t.hostMicroseconds }),
		HeapAllocations: column(func(t timing) float64 { return t.heapAllocations }),
	}
}

func (d *decodeDocument) add(b decodeBits) {
	d.Bits.Compared += b.Compared
	d.Bits.Different += b.Different
	d.Bits.Checked += b.Checked
	d.Bits.Wrong += b.Wrong
}

func (d *decodeDocument) print(con *console, asJSON bool) error {
	var err error
	if asJSON {
		err = writeJSON(con.out, d)
	} else {
		err = d.write(con.out)
	}
	if err == nil && d.Bits.Different+d.Bits.Wrong > 0 {
		err = errDifferent
	}
	return err
}

func (d *decodeDocument) write(w io.Writer) error {
	fmt.Fprintf(w, "%s\n", d.Device)
	fmt.Fprintf(w, "one decode step, TP=%d: %d linears and %d grouped, %.3f GB of weights, %d bytes of E8M0 scales; activations: %s\n",
		d.TP, d.Size.Linears, d.Size.Grouped, float64(d.Size.WeightBytes)/1e9, d.Size.ScaleBytes, d.Input)
	fmt.Fprintf(w, "%d samples of %d steps, the arms by turns\n\n", d.Samples, d.Steps)
	t := newTable("M ", "scales", "given as", "launches ", "device allocs ", "GPU ms ", "max ", "CV % ", "host us ", "Go allocs ", "cache bytes ")
	for _, r := range d.Rows {
		t.add(r.M, r.Arm, r.Given, r.Launches, r.Allocations, fixed(r.GPU.Median, 4), fixed(r.GPU.Max, 4), fixed(100*r.GPU.CV, 2),
			fixed(r.Host.Median, 1), fixed(r.HeapAllocations.Median, 1), r.CacheBytes)
	}
	if err := t.write(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nAll numbers are per step; times and Go allocations are medians of the samples.")
	for i := 0; i+1 < len(d.Rows); i += len(decodeArms) {
		fmt.Fprintln(w, savings(d.Rows[i], d.Rows[i+1]))
	}
	_, err := fmt.Fprintf(w, "bits: %d elements of all arms compared: %s; %d against Element: %s\n",
		d.Bits.Compared, verdict(d.Bits.Different), d.Bits.Checked, verdict(d.Bits.Wrong))
	return err
}

// savings says what the cache is worth.
func savings(cached, perCall decodeRow) string {
	return fmt.Sprintf("the cache saves at M=%d (%s): %d launches, %d device allocations, %s ms of GPU time (%s %%), %s us of host time",
		cached.M, cached.Given, perCall.Launches-cached.Launches, perCall.Allocations-cached.Allocations,
		fixed(perCall.GPU.Median-cached.GPU.Median, 4), fixed(100*(1-cached.GPU.Median/perCall.GPU.Median), 1),
		fixed(perCall.Host.Median-cached.Host.Median, 1))
}

func verdict(wrong int) string {
	if wrong == 0 {
		return "every bit agrees"
	}
	return fmt.Sprintf("%d differ", wrong)
}

// fixed writes v with a number of decimals.
func fixed(v float64, decimals int) string { return strconv.FormatFloat(v, 'f', decimals, 64) }
