package main

import (
	"fmt"
	"io"
)

// gemmDocument is what bench gemm reports, as JSON.
type gemmDocument struct {
	Device  benchDevice  `json:"device"`
	CopyGBs float64      `json:"copyGBs"`
	Results []gemmResult `json:"results"`
	Peers   []peerResult `json:"peers,omitempty"`
}

// gemmResult is one line of the table.
type gemmResult struct {
	N            int     `json:"n"`
	K            int     `json:"k"`
	M            int     `json:"m"`
	Level        int     `json:"level"`
	Kernel       string  `json:"kernel"`
	Copies       int     `json:"weights"`  // that take turns
	Launches     int     `json:"launches"` // in the graph
	Replays      int     `json:"replays"`
	Microseconds float64 `json:"microseconds"` // per launch, of the median replay
	TFLOPs       float64 `json:"tflops"`
	GBs          float64 `json:"gbs"`
	CopyShare    float64 `json:"copyShare"`
}

// rate works out what the time means. Bytes are those of weights, activations and
// results, each once.
func (r gemmResult) rate(copyGBs float64) gemmResult {
	m, n, k := float64(r.M), float64(r.N), float64(r.K)
	r.TFLOPs = 2 * m * n * k / r.Microseconds / 1e6
	r.GBs = (n*k + m*k + outputBytes*m*n) / r.Microseconds / 1e3
	r.CopyShare = r.GBs / copyGBs
	return r
}

func (d *gemmDocument) print(con *console, asJSON bool) error {
	if asJSON {
		return writeJSON(con.out, d)
	}
	return d.write(con.out)
}

func (d *gemmDocument) write(w io.Writer) error {
	fmt.Fprintf(w, "%s\ncopies within the device: %.0f GB/s, read and written bytes together\n\n", d.Device, d.CopyGBs)
	names := peerNames(d.Peers)
	headings := []string{"N ", "K ", "M ", "level ", "kernel", "weights ", "us ", "TFLOP/s ", "GB/s ", "of copy % "}
	for _, name := range names {
		headings = append(headings, name+" us ", "ratio ")
	}
	t := newTable(headings...)
	for _, r := range d.Results {
		cells := []any{r.N, r.K, r.M, r.Level, r.Kernel, r.Copies, fixed(r.Microseconds, 2), fixed(r.TFLOPs, 1), fixed(r.GBs, 0), fixed(100*r.CopyShare, 1)}
		for _, name := range names {
			cells = append(cells, r.beside(name, d.Peers)...)
		}
		t.add(cells...)
	}
	if err := t.write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\nTimes are per launch, of the median replay of a graph; weights take turns.")
	return err
}
