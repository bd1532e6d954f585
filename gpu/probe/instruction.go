package probe

import (
	"encoding/hex"
	"errors"
	"fmt"

	"blockfp8/gpu"
	"blockfp8/ref"
	"blockfp8/scale"
)

// InstructionReport is what one instruction did on inputs of every category.
type InstructionReport struct {
	Instruction string `json:"instruction"`
	// One of these says why there is nothing below: the chip does not have the
	// instruction, its driver does not take the kernel, or the run failed.
	Absent  string `json:"absent,omitempty"`
	Refused string `json:"refused,omitempty"`
	Failed  string `json:"failed,omitempty"`
	// Datapath is what the outputs were compared with: the chip's, or, where nobody
	// has published one, the known one that explains most. Unmodelled then says why.
	Datapath   string          `json:"datapath,omitempty"`
	Unmodelled string          `json:"unmodelled,omitempty"`
	Outputs    int             `json:"outputs"`
	Different  int             `json:"different"`
	Categories []CategoryCount `json:"categories,omitempty"`
	First      *Mismatch       `json:"first,omitempty"`
	// Fits are assumptions that were tried, the best first: other datapaths and
	// changes of this one. It is empty where the chip's own datapath explains all.
	Fits []Fit `json:"fits,omitempty"`
}

// CategoryCount is the outputs of one category.
type CategoryCount struct {
	Name      string `json:"name"`
	Outputs   int    `json:"outputs"`
	Different int    `json:"different"`
}

// Mismatch is one output that differs, with all that went in. A and B are codes in
// hexadecimal, k ascending; C, Got and Want are the bits of float32 numbers, the
// scales E8M0 codes.
type Mismatch struct {
	Category string     `json:"category"`
	Tile     int        `json:"tile"`
	Row      int        `json:"row"`
	Column   int        `json:"column"`
	A        string     `json:"a"`
	B        string     `json:"b"`
	SA       scale.E8M0 `json:"sa"`
	SB       scale.E8M0 `json:"sb"`
	C        uint32     `json:"c"`
	Got      uint32     `json:"got"`
	Want     uint32     `json:"want"`
}

// runner runs instructions: a gpu.Device, or what a test puts in its place.
type runner interface {
	RunInstruction(i gpu.Instruction, t gpu.Tiles) ([]uint32, error)
}

// probeInstruction compares what an instruction does with the datapath of the chip.
func probeInstruction(dev runner, i gpu.Instruction, target gpu.Target, o Options) InstructionReport {
	r := InstructionReport{Instruction: i.String()}
	if err := i.ExistsOn(target.Arch); err != nil {
		r.Absent = err.Error()
		return r
	}
	perTile := i.Rows() * columns
	tiles := drawTiles(i, (o.Outputs+perTile*len(categories)-1)/(perTile*len(categories)), o.Seed)
	bits, err := dev.RunInstruction(i, tiles)
	switch {
	case errors.Is(err, gpu.ErrJIT):
		r.Refused = err.Error()
		return r
	case err != nil:
		r.Failed = err.Error()
		return r
	}
	r.explain(outcome{tiles, i.Rows(), bits}, i, target)
	return r
}

// explain compares an outcome with the chip's datapath and looks for another where
// there is none or it does not fit.
func (r *InstructionReport) explain(o outcome, i gpu.Instruction, target gpu.Target) {
	known := published(i)
	datapath, err := i.Datapath(target)
	if err != nil {
		r.Unmodelled = err.Error()
		r.Fits = fits(known, o)
		datapath = datapathNamed(known, r.Fits[0].Assumption)
	}
	r.Datapath = datapath.Name
	r.compare(o, datapath)
	switch {
	case r.Different == 0:
		return
	case err == nil:
		r.Fits = fits(append(variants(datapath), known...), o)
	default:
		r.Fits = fits(append(known, variants(datapath)...), o)
	}
}

func datapathNamed(known []assumption, name string) ref.Datapath {
	for _, a := range known {
		if a.name == name {
			return a.Datapath
		}
	}
	return ref.Datapath{}
}

// compare counts the outputs that are not those of a datapath and keeps the first.
func (r *InstructionReport) compare(o outcome, d ref.Datapath) {
	perTile := make([]int, o.tiles.Count())
	wants := make([][]uint32, o.tiles.Count())
	o.each(func(n int, t tile, got []uint32) {
		wants[n] = oracle(d, t)
		for i, want := range wants[n] {
			if got[i] != want {
				perTile[n]++
			}
		}
	})
	r.Outputs = len(o.bits)
	r.Categories = make([]CategoryCount, len(categories))
	perCategory := o.tiles.Count() / len(categories)
	for n, different := range perTile {
		c := &r.Categories[n/perCategory]
		c.Name = categories[n/perCategory].name
		c.Outputs += len(wants[n])
		c.Different += different
		if r.Different += different; different > 0 && r.First == nil {
			r.First = o.firstMismatch(n, wants[n])
			r.First.Category = c.Name
		}
	}
}

// firstMismatch returns the first output of a tile that differs; there is one.
func (o *outcome) firstMismatch(n int, want []uint32) *Mismatch {
	t := tileAt(o.tiles, n, o.rows)
	got := o.bits[n*len(want) : (n+1)*len(want)]
	i := 0
	for i < len(want)-1 && got[i] == want[i] {
		i++
	}
	row, column := i/columns, i%columns
	return &Mismatch{
		Tile: n, Row: row, Column: column, A: hexOf(t.a[row]), B: hexOf(t.b[column]),
		SA: t.sa[row], SB: t.sb[column], C: t.c[i], Got: got[i], Want: want[i],
	}
}

func hexOf(row codes) string {
	b := make([]byte, len(row))
	for k, code := range row {
		b[k] = byte(code)
	}
	return hex.EncodeToString(b)
}

// Line is the mismatch on one line, all in hexadecimal.
func (m *Mismatch) Line() string {
	return fmt.Sprintf("%s, tile %d, row %d, column %d: got %08x, want %08x; c %08x, scales %02x %02x, a %s, b %s",
		m.Category, m.Tile, m.Row, m.Column, m.Got, m.Want, m.C, uint8(m.SA), uint8(m.SB), m.A, m.B)
}
