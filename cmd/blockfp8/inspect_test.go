package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"blockfp8/scale"
)

func inspectModel(t *testing.T, dir string) string {
	return save(t, filepath.Join(dir, "m.safetensors"), nil,
		f8("a.weight", make([]byte, 129*257), 129, 257), e8m0("a.scale", []byte{0x00, 0x7F, 0x7F, 0x7F, 0xFF, 0x7F}, 2, 3),
		f8("b.weight", make([]byte, 15), 3, 5), f32("b.weight_scale_inv", []float32{1.5}, 1, 1),
		f8("lonely.weight", make([]byte, 4), 2, 2), f32("hc_attn_scale", []float32{1}, 1))
}

func TestInspectText(t *testing.T) {
	const want = `layer    N    K  naming             scales   grid  0x00  0xFF  not 2^n
a      129  257  .scale             F8_E8M0   2x3     1     1        0
b        3    5  .weight_scale_inv  F32       1x1     0     0        1

2 FP8 layers, 128x128 blocks, 7 scales: 7 bytes as E8M0, 28 as fp32
1 scales are 0x00 (2^-127): the Shift upcast makes them 0 and mutes their blocks
1 scales are 0xFF (NaN): the Shift upcast makes them +Inf
1 fp32 scales are no powers of two that E8M0 holds

scale codes:
  code  scale   count
  0x00  2^-127      1  ██████████
  0x7F  2^0         4  ████████████████████████████████████████
  0xFF  NaN         1  ██████████

FP8 tensors without scales:
  lonely.weight
`
	if got := succeed(t, "inspect", inspectModel(t, t.TempDir())); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestInspectJSON(t *testing.T) {
	out := succeed(t, "inspect", inspectModel(t, t.TempDir()), "--json")
	d := parseJSON[struct {
		Layers      []layerInfo
		Codes       map[string]int
		BytesAsE8M0 int
		BytesAsFP32 int
		Unpaired    []string
	}](t, out)
	if len(d.Layers) != 2 || d.Layers[0] != (layerInfo{Layer: "a", N: 129, K: 257, Naming: "scale", ScaleType: "F8_E8M0", Grid: [2]int{2, 3}, Code00: 1, CodeFF: 1}) {
		t.Errorf("layers: %+v", d.Layers)
	}
	if len(d.Codes) != 3 || d.Codes["0x00"] != 1 || d.Codes["0x7F"] != 4 || d.Codes["0xFF"] != 1 {
		t.Errorf("codes: %v", d.Codes)
	}
	if d.BytesAsE8M0 != 7 || d.BytesAsFP32 != 28 || len(d.Unpaired) != 1 {
		t.Errorf("bytes %d and %d, unpaired %q", d.BytesAsE8M0, d.BytesAsFP32, d.Unpaired)
	}
}

func TestInspectScalesThatDoNotFit(t *testing.T) {
	dir := t.TempDir()
	model := save(t, filepath.Join(dir, "m.safetensors"), nil, f8("a.weight", make([]byte, 64*64), 64, 64), e8m0("a.scale", []byte{1, 2, 3, 4}, 2, 2))
	o := command(t, "inspect", model)
	if o.code != exitBadInput || !strings.Contains(o.out, "a.scale: want shape [1 1] for [64 64] in 128x128 blocks, got [2 2]") {
		t.Errorf("exit %d, stdout %s", o.code, o.out)
	}
	succeed(t, "inspect", model, "--block", "32x32")
	write(t, filepath.Join(dir, "config.json"), []byte(`{"quantization_config": {"weight_block_size": [32, 32]}}`))
	if out := succeed(t, "inspect", model); !strings.Contains(out, "32x32 blocks") {
		t.Errorf("config.json is not heeded: %s", out)
	}
	for _, config := range []string{`{`, `{"quantization_config": {"weight_block_size": [32]}}`, `{"quantization_config": {"weight_block_size": [0, 1]}}`} {
		write(t, filepath.Join(dir, "config.json"), []byte(config))
		refuse(t, []string{"config.json"}, "inspect", model)
	}
}

func TestInspectUnsetScale(t *testing.T) {
	model := save(t, filepath.Join(t.TempDir(), "m.safetensors"), nil, f8("a.weight", make([]byte, 4), 2, 2), f32("a.weight_scale", []float32{-math.MaxFloat32}, 1, 1))
	if o := command(t, "inspect", model); o.code != exitBadInput || !strings.Contains(o.out, "scale not set") {
		t.Errorf("exit %d, stdout %s", o.code, o.out)
	}
}

func TestHistogramGroupsWideRanges(t *testing.T) {
	var h histogram
	for code := range h {
		h[code] = 1
	}
	bars := h.bars()
	if len(bars) > maxBars+2 || bars[0] != (bar{0, 0, 1}) || bars[len(bars)-1] != (bar{255, 255, 1}) {
		t.Errorf("%d bars, %+v", len(bars), bars)
	}
	var sum int64
	next := 0
	for _, b := range bars {
		if b.first != next {
			t.Errorf("bar %+v, want it to start at %d", b, next)
		}
		next, sum = b.last+1, sum+b.count
	}
	if sum != 256 {
		t.Errorf("bars count %d codes, want 256", sum)
	}
}

func TestCodeOf(t *testing.T) {
	l := scale.RowMajor(1, 7, 1, 1)
	grid, err := scale.NewFP32Grid(l, []float32{1, 1.5, 0, -2, float32(math.NaN()), float32(math.Inf(1)), 0x1p-127})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		code scale.E8M0
		ok   bool
	}{{0x7F, true}, {0, false}, {0, false}, {0, false}, {0xFF, true}, {0, false}, {0x00, true}} {
		if code, ok := codeOf(grid, 0, i); ok != want.ok || ok && code != want.code {
			t.Errorf("scale %g: 0x%02X, %v; want 0x%02X, %v", grid.At(0, i), code, ok, want.code, want.ok)
		}
	}
}
