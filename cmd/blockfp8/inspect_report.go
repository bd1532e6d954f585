package main

import (
	"fmt"
	"io"
	"strings"

	"blockfp8/scale"
)

// layerInfo is one line of inspect's table.
type layerInfo struct {
	Layer     string `json:"layer"`
	N         int    `json:"n"`
	K         int    `json:"k"`
	Naming    string `json:"naming"`
	ScaleType string `json:"scaleType"`
	Grid      [2]int `json:"grid"`
	Code00    int    `json:"code00"`
	CodeFF    int    `json:"codeFF"`
	NotPowers int    `json:"notPowersOfTwo"`
}

// inspectDocument is what inspect reports, as JSON.
type inspectDocument struct {
	Checkpoint string      `json:"checkpoint"`
	Block      blockSize   `json:"block"`
	Layers     []layerInfo `json:"layers"`
	Codes      histogram   `json:"codes"`          // number of scales by E8M0 code
	NotPowers  int64       `json:"notPowersOfTwo"` // fp32 scales that no code holds
	BytesE8M0  int64       `json:"bytesAsE8M0"`
	BytesFP32  int64       `json:"bytesAsFP32"`
	Unpaired   []string    `json:"unpaired"`
	Problems   []string    `json:"problems,omitempty"`
}

func (d *inspectDocument) write(w io.Writer) error {
	var s strings.Builder
	t := newTable("layer", "N ", "K ", "naming", "scales", "grid ", "0x00 ", "0xFF ", "not 2^n ")
	for _, l := range d.Layers {
		t.add(l.Layer, l.N, l.K, "."+l.Naming, l.ScaleType, fmt.Sprintf("%dx%d", l.Grid[0], l.Grid[1]), l.Code00, l.CodeFF, l.NotPowers)
	}
	t.write(&s)
	fmt.Fprintf(&s, "\n%d FP8 layers, %v blocks, %d scales: %d bytes as E8M0, %d as fp32\n", len(d.Layers), d.Block, d.BytesE8M0, d.BytesE8M0, d.BytesFP32)
	d.writeShift(&s)
	if d.Codes.total() > 0 {
		s.WriteString("\nscale codes:\n")
		d.Codes.write(&s)
	}
	writeList(&s, "FP8 tensors without scales", d.Unpaired)
	writeList(&s, "scales that do not fit", d.Problems)
	_, err := io.WriteString(w, s.String())
	return err
}

// writeShift says what the Shift upcast would do to the two codes it misreads.
func (d *inspectDocument) writeShift(s *strings.Builder) {
	zeros, nans := d.Codes[0], d.Codes[scale.NaNE8M0]
	if zeros == 0 && nans == 0 {
		s.WriteString("no scale is 0x00 or 0xFF: the Shift upcast reads all of them right\n")
	}
	if zeros > 0 {
		fmt.Fprintf(s, "%d scales are 0x00 (2^-127): the Shift upcast makes them 0 and mutes their blocks\n", zeros)
	}
	if nans > 0 {
		fmt.Fprintf(s, "%d scales are 0xFF (NaN): the Shift upcast makes them +Inf\n", nans)
	}
	if d.NotPowers > 0 {
		fmt.Fprintf(s, "%d fp32 scales are no powers of two that E8M0 holds\n", d.NotPowers)
	}
}

func writeList(s *strings.Builder, heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(s, "\n%s:\n", heading)
	for _, line := range lines {
		fmt.Fprintf(s, "  %s\n", line)
	}
}
