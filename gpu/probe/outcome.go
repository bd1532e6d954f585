package probe

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"blockfp8/gpu"
	"blockfp8/ref"
)

// outcome is what a chip made of tiles.
type outcome struct {
	tiles gpu.Tiles
	rows  int // of a tile
	bits  []uint32
}

// each calls do for every tile and what the chip made of it, on all cores.
func (o *outcome) each(do func(n int, t tile, got []uint32)) {
	var all sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for n := int(next.Add(1) - 1); n < o.tiles.Count(); n = int(next.Add(1) - 1) {
				t := tileAt(o.tiles, n, o.rows)
				do(n, t, o.bits[n*len(t.c):(n+1)*len(t.c)])
			}
		})
	}
	all.Wait()
}

// count returns the number of outputs that are not the same as a model's.
func (o *outcome) count(run func(tile) []uint32, same func(got, want uint32) bool) int {
	var different atomic.Int64
	o.each(func(_ int, t tile, got []uint32) {
		for i, want := range run(t) {
			if !same(got[i], want) {
				different.Add(1)
			}
		}
	})
	return int(different.Load())
}

// oracle returns the bits that a datapath gives for a tile.
func oracle(d ref.Datapath, t tile) []uint32 {
	c := make([]float32, len(t.c))
	for i, bits := range t.c {
		c[i] = math.Float32frombits(bits)
	}
	d.MMATile(c, t.a, t.b, t.sa, t.sb)
	out := make([]uint32, len(c))
	for i, v := range c {
		out[i] = math.Float32bits(v)
	}
	return out
}
