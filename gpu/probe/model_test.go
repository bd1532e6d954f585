package probe

import (
	"slices"
	"testing"

	"blockfp8/gpu"
	"blockfp8/ref"
)

// tilesPerCategory are enough for tests.
const tilesPerCategory = 20

// The slow model and the oracle share no code: they agree on every datapath.
func TestModelIsTheOracle(t *testing.T) {
	tiles := drawTiles(gpu.MMAScaled, tilesPerCategory, 1)
	for _, d := range ref.Datapaths() {
		if d.Exact {
			continue
		}
		m := model{Datapath: d}
		for n := range tiles.Count() {
			tile := tileAt(tiles, n, 16)
			if got, want := m.run(tile), oracle(d, tile); !slices.Equal(got, want) {
				t.Fatalf("%s, %s, tile %d: %08x, want %08x", d.Name, categories[n/tilesPerCategory].name, n, got, want)
			}
		}
	}
}

// The inputs tell every assumption apart from every datapath, but for those that no
// input can.
func TestAssumptionsCanBeTold(t *testing.T) {
	for _, i := range gpu.Instructions() {
		if testing.Short() && i != gpu.MMAScaled {
			continue
		}
		tiles := drawTiles(i, tilesPerCategory*16/i.Rows(), 1)
		for _, base := range published(i) {
			o := outcome{tiles: tiles, rows: i.Rows(), bits: runModel(base.model, i, tiles)}
			for _, a := range variants(base.Datapath) {
				if o.count(a.run, a.same) == 0 && !a.anyNaN && a.name != base.name+" but subnormal codes are not normalised" {
					t.Errorf("%v: nothing tells whether %s", i, a.name)
				}
			}
		}
	}
}
