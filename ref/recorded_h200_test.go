package ref_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// h200Tile is one MMA tile that ran on an NVIDIA H200 (driver 580.159.04, CUDA
// 13.0): D = A*B^T + C through mma.sync m16n8k32 and through wgmma m64n8k32.
// testdata/h200_mma.bin.gz holds 9 tiles of each of 16 kinds of input: random
// codes, normal values, cancellation, subnormals, sparse extremes, huge, infinite
// and NaN C, signed zeros, sums at the border of alignment, and others.
type h200Tile struct {
	A     [16][32]scale.E4M3
	B     [8][32]scale.E4M3
	C     [16][8]uint32
	MMA   [16][8]uint32
	WGMMA [16][8]uint32
}

func TestRecordedH200(t *testing.T) {
	tiles := readH200Tiles(t, "testdata/h200_mma.bin.gz")
	compared, different := 0, 0
	for i := range tiles {
		tile := &tiles[i]
		for m := range tile.A {
			for n := range tile.B {
				c := math.Float32frombits(tile.C[m][n])
				for _, d := range []struct {
					datapath ref.Datapath
					want     uint32
				}{{ref.SM90MMA, tile.MMA[m][n]}, {ref.SM90WGMMA, tile.WGMMA[m][n]}} {
					got := math.Float32bits(d.datapath.MMA(&tile.A[m], &tile.B[n], c))
					compared++
					if got != d.want {
						different++
						t.Errorf("tile %d, D[%d,%d], %s: got %#08x, the H200 gave %#08x", i, m, n, d.datapath.Name, got, d.want)
					}
				}
			}
		}
		if different > 10 {
			t.Fatal("too many differences")
		}
	}
	t.Logf("%d outputs compared, %d differ", compared, different)
	if compared < 2*18_000 {
		t.Errorf("only %d outputs in the record, want at least 36,000", compared)
	}
}

func readH200Tiles(t *testing.T, path string) []h200Tile {
	t.Helper()
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var tiles []h200Tile
	for {
		var tile h200Tile
		err := binary.Read(r, binary.LittleEndian, &tile)
		if errors.Is(err, io.EOF) {
			return tiles
		}
		if err != nil {
			t.Fatal(err)
		}
		tiles = append(tiles, tile)
	}
}
