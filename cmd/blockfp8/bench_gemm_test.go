package main

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"blockfp8/gpu"
)

func TestGemmExtent(t *testing.T) {
	for _, c := range []struct {
		shape            gemmShape
		copies, launches int
	}{
		{gemmShape{1536, 4096}, 32, 32},
		{gemmShape{16384, 1024}, 12, 24},
		{gemmShape{32768, 1024}, 6, 24},
		{gemmShape{8192, 1024}, 24, 24},
		{gemmShape{36864, 7168}, 1, 20},
		{gemmShape{128, 128}, 64, 64},
	} {
		copies := copiesOf(c.shape)
		if got := launchesOf(copies); copies != c.copies || got != c.launches {
			t.Errorf("%v: %d weights and %d launches, want %d and %d", c.shape, copies, got, c.copies, c.launches)
		}
	}
	for ms, want := range map[float64]int{0.1: 50, 0: 50, 4: 20, 16: 5, 1000: 5} {
		if got := replaysFor(ms); got != want {
			t.Errorf("%g ms: %d replays, want %d", ms, got, want)
		}
	}
}

func TestLevels(t *testing.T) {
	kernels := func(text string) []string {
		t.Helper()
		var l levels
		if err := l.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return l.kernels()
	}
	if got := kernels("auto"); !slices.Equal(got, []string{""}) {
		t.Errorf("auto: %q, want the plan's choice", got)
	}
	if got := kernels("0"); !slices.Equal(got, []string{"w8a8_f32scale_mma_l0", "w8a8_f32scale_wgmma_l0"}) {
		t.Errorf("0: %q", got)
	}
	if got := kernels("7,0"); len(got) != 6 || got[0] != "w8a8_f32scale_mma_l0" || got[1] != "w8a8_f32scale_mma_l7_r1t1" {
		t.Errorf("7,0: %q, want two forms of level 0 and four of level 7", got)
	}
	var want []string
	for _, f := range gpu.Forms() {
		if strings.HasPrefix(f.Name, "w8a8_f32scale_") {
			want = append(want, f.Name)
		}
	}
	if got := kernels("all"); !slices.Equal(got, want) {
		t.Errorf("all: %q, want %q", got, want)
	}
}

func TestRowsFor(t *testing.T) {
	// K = 32768 is too long for activations to stay in 99 KB of shared memory.
	weight, err := randomWeight(fixedRandom(), make([]byte, 128*32768), 128, 32768)
	if err != nil {
		t.Fatal(err)
	}
	target := gpu.Target{Arch: gpu.Arch{Major: 9, Minor: 0}, Multiprocessors: 132}
	rows := []int{1, 16}
	for kernel, want := range map[string][]int{"": rows, "w8a8_f32scale_mma_l0": rows, "w8a8_f32scale_mma_l5_r1t1": nil} {
		if got := rowsFor(target, rows, weight, kernel); !slices.Equal(got, want) {
			t.Errorf("%q takes %v, want %v", kernel, got, want)
		}
	}
}

func exampleGemm(copyGBs float64) *gemmDocument {
	r := gemmResult{N: 4096, K: 8192, M: 16, Level: 3, Kernel: "l3", Copies: 6, Launches: 24, Replays: 50, Microseconds: 10}
	return &gemmDocument{Device: benchDevice{"Example", "sm_90", 132}, CopyGBs: copyGBs, Results: []gemmResult{r.rate(copyGBs)}}
}

func TestGemmRate(t *testing.T) {
	// 2*16*4096*8192 operations; 4096*8192 + 16*8192 + 2*16*4096 bytes in 10 us.
	got := exampleGemm(4000).Results[0]
	if math.Abs(got.TFLOPs-107.3741824) > 1e-9 || math.Abs(got.GBs-3381.6576) > 1e-9 || math.Abs(got.CopyShare-0.8454144) > 1e-12 {
		t.Errorf("got %+v, want 107.3741824 TFLOP/s, 3381.6576 GB/s, 0.8454144 of copy", got)
	}
}

func TestGemmReport(t *testing.T) {
	var out bytes.Buffer
	if err := exampleGemm(4000).print(&console{out: &out}, false); err != nil {
		t.Fatal(err)
	}
	want := `Example, sm_90, 132 multiprocessors
copies within the device: 4000 GB/s, read and written bytes together

   N     K   M  level  kernel  weights     us  TFLOP/s  GB/s  of copy %
4096  8192  16      3  l3            6  10.00    107.4  3382       84.5

Times are per launch, of the median replay of a graph; weights take turns.
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestGemmJSON(t *testing.T) {
	var out bytes.Buffer
	if err := exampleGemm(4000).print(&console{out: &out}, true); err != nil {
		t.Fatal(err)
	}
	var d map[string]any
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	r := d["results"].([]any)[0].(map[string]any)
	if share, _ := r["copyShare"].(float64); math.Abs(share-0.8454144) > 1e-12 || r["microseconds"] != 10.0 || r["kernel"] != "l3" || r["weights"] != 6.0 {
		t.Errorf("got %v", r)
	}
}
