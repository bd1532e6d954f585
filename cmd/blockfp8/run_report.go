package main

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"blockfp8/ref"
	"blockfp8/scale"
)

// layerResult is one line of run's table.
type layerResult struct {
	Layer    string  `json:"layer"`
	N        int     `json:"n"`
	K        int     `json:"k"`
	Recipe   string  `json:"recipe"`
	Seconds  float64 `json:"seconds"`
	MaxULP   uint64  `json:"maxULP"`   // against the exact result; 2^64-1 for a NaN against a number
	Checksum string  `json:"checksum"` // see checksum

	checked, different int
}

// runDocument is what run reports, as JSON.
type runDocument struct {
	Checkpoint string        `json:"checkpoint,omitempty"`
	M          int           `json:"m"`
	Style      string        `json:"style"`
	Block      blockSize     `json:"block"`
	Layers     []layerResult `json:"layers"`
	Checked    int           `json:"checked"`
	Different  int           `json:"different"`
}

func (d *runDocument) add(r layerResult) {
	d.Layers = append(d.Layers, r)
	d.Checked += r.checked
	d.Different += r.different
}

func (d *runDocument) print(con *console, asJSON bool) error {
	var err error
	if asJSON {
		err = writeJSON(con.out, d)
	} else {
		err = d.write(con.out)
	}
	if err == nil && d.Different > 0 {
		err = errDifferent
	}
	return err
}

func (d *runDocument) write(w io.Writer) error {
	t := newTable("layer", "M ", "N ", "K ", "recipe", "time ", "max ULP ", "checksum")
	for _, r := range d.Layers {
		spent := time.Duration(r.Seconds * float64(time.Second)).Round(10 * time.Microsecond)
		t.add(r.Layer, d.M, r.N, r.K, r.Recipe, spent, ulpText(r.MaxULP), r.Checksum)
	}
	if err := t.write(w); err != nil {
		return err
	}
	verdict := "every bit agrees"
	switch {
	case d.Checked == 0:
		verdict = "nothing to compare"
	case d.Different > 0:
		verdict = fmt.Sprintf("%d differ", d.Different)
	}
	_, err := fmt.Fprintf(w, "\nmax ULP is the largest distance from the exact result.\nchecked: %d elements of %d layers, MatMul against Element: %s\n", d.Checked, len(d.Layers), verdict)
	return err
}

// checksum is FNV-1a (64 bits) over the bits of c in format f, row by row,
// little-endian.
func checksum(c ref.Matrix, f scale.Format) uint64 {
	h := fnv.New64a()
	var word [4]byte
	for m := range c.Rows {
		for n := range c.Cols {
			binary.LittleEndian.PutUint32(word[:], f.Bits(c.Data[m*c.Stride+n]))
			h.Write(word[:f.Width()/8])
		}
	}
	return h.Sum64()
}

// nameHash makes layers independent of each other's random numbers.
func nameHash(name string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, name)
	return h.Sum64()
}
