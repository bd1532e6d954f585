package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// document is a made-up measurement: one shape, two numbers of rows, one peer.
func plotDocument(t *testing.T) *gemmDocument {
	t.Helper()
	path := filepath.Join(t.TempDir(), "peers.json")
	text := `[{"name": "triton", "n": 4096, "k": 4096, "m": 8, "microseconds": 20}]`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	peers, err := readPeers(path)
	if err != nil {
		t.Fatal(err)
	}
	return &gemmDocument{
		CopyGBs: 4000, Peers: peers,
		Results: []gemmResult{{N: 4096, K: 4096, M: 8, Microseconds: 10}, {N: 4096, K: 4096, M: 4096, Microseconds: 800}},
	}
}

func TestPeersInTheTable(t *testing.T) {
	var out bytes.Buffer
	if err := plotDocument(t).write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"triton us  ratio", "20.00   2.00"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

// At [8,4096] x [4096,4096] there are 2*8*4096*4096 operations for
// 4096*4096 + 8*4096 + 2*8*4096 bytes, in 10 us.
func TestRooflinePoint(t *testing.T) {
	at := rooflinePoint(8, 4096, 4096, 10)
	if at.Y < 26.84354 || at.Y > 26.84355 {
		t.Errorf("%g TFLOP/s, want 26.8435456", at.Y)
	}
	if at.X < 15.9067 || at.X > 15.9069 {
		t.Errorf("%g operations per byte, want 268435456/16875520 = 15.9068", at.X)
	}
}

func TestPlotIsAPicture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "roofline.png")
	if err := plotDocument(t).plot(path); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	// Every series has its colour somewhere.
	for i := range 2 {
		r, g, b, _ := plotColours[i].RGBA()
		found := false
		for y := range picture.Bounds().Dy() {
			for x := range picture.Bounds().Dx() {
				pr, pg, pb, _ := picture.At(x, y).RGBA()
				found = found || pr == r && pg == g && pb == b
			}
		}
		if !found {
			t.Errorf("series %d is not to be seen", i)
		}
	}
}

func TestPeersRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "peers.json")
	for _, text := range []string{"{", `[{"name": "x", "n": 1, "k": 1, "m": 1, "microseconds": 0}]`, `[{"n": 1, "k": 1, "m": 1, "microseconds": 1}]`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readPeers(path); err == nil || !strings.Contains(err.Error(), "peers.json") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
