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

	checked, different int // MatMul against Element
	device             deviceCheck
}

// deviceCheck counts the elements of a device that were compared with MatMul.
type deviceCheck struct {
	Checked   int `json:"checked"`
	Different int `json:"different"`
}

// runDocument is what run reports, as JSON.
type runDocument struct {
	Checkpoint string        `json:"checkpoint,omitempty"`
	Device     string        `json:"device"`
	M          int           `json:"m"`
	Style      string        `json:"style"`
	Block      blockSize     `json:"block"`
	Layers     []layerResult `json:"layers"`
	Checked    int           `json:"checked"`
	Different  int           `json:"different"`
	OnDevice   deviceCheck   `json:"onDevice"`

	name string // of the device, if there is one
}

func (d *runDocument) add(r layerResult) {
	d.Layers = append(d.Layers, r)
	d.Checked += r.checked
	d.Different += r.different
	d.OnDevice.Checked += r.device.Checked
	d.OnDevice.Different += r.device.Different
}

func (d *runDocument) print(con *console, asJSON bool) error {
	var err error
	if asJSON {
		err = writeJSON(con.out, d)
	} else {
		err = d.write(con.out)
	}
	if err == nil && d.Different+d.OnDevice.Different > 0 {
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
	fmt.Fprintf(w, "\nmultiplied on %s\nmax ULP is the largest distance from the exact result.\n", d.Device)
	if d.name != "" {
		fmt.Fprintf(w, "checked: %d elements of %d layers, %s against MatMul: %s\n", d.OnDevice.Checked, len(d.Layers), d.name, agreement(d.OnDevice.Checked, d.OnDevice.Different))
	}
	_, err := fmt.Fprintf(w, "checked: %d elements of %d layers, MatMul against Element: %s\n", d.Checked, len(d.Layers), agreement(d.Checked, d.Different))
	return err
}

func agreement(checked, different int) string {
	switch {
	case checked == 0:
		return "nothing to compare"
	case different > 0:
		return fmt.Sprintf("%d differ", different)
	}
	return "every bit agrees"
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
