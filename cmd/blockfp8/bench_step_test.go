package main

import (
	"slices"
	"testing"
)

func TestDecodeStepSize(t *testing.T) {
	// The published totals are of all weights, wo_a among them.
	for _, c := range []struct {
		tp   int
		woA  bool
		want stepSize
	}{
		{1, true, stepSize{236, 43, 5_857_345_536, 357_504}},
		{2, true, stepSize{236, 43, 3_152_019_456, 192_384}},
		{1, false, stepSize{236, 0, 4_414_504_960, 269_440}},
		{2, false, stepSize{236, 0, 2_430_599_168, 148_352}},
	} {
		if got := sizeOf(decodeStep(c.tp, c.woA)); got != c.want {
			t.Errorf("TP=%d, wo_a %t: got %+v, want %+v", c.tp, c.woA, got, c.want)
		}
	}
	if fp32 := 4 * sizeOf(decodeStep(1, true)).ScaleBytes; fp32 != 1_430_016 {
		t.Errorf("scales in float32: %d bytes, want 1430016", fp32)
	}
}

func TestDecodeStepLayers(t *testing.T) {
	plain := []stepLinear{{"wq_a+wkv", 1, 1536, 4096}, {"wq_b", 1, 32768, 1024}, {"wo_b", 1, 4096, 8192}, {"shared gate_up", 1, 4096, 4096}, {"shared down", 1, 4096, 2048}}
	if got := decodeStep(1, false)[:5]; !slices.Equal(got, plain) {
		t.Errorf("layer 0 has %v, want %v", got, plain)
	}
	sharded := []stepLinear{
		{"wq_a+wkv", 1, 1536, 4096},
		{"wq_b", 1, 16384, 1024},
		{"indexer.wq_b", 1, 8192, 1024},
		{"wo_a", 4, 1024, 4096},
		{"wo_b", 1, 4096, 4096},
		{"shared gate_up", 1, 2048, 4096},
		{"shared down", 1, 4096, 1024},
	}
	if got := decodeStep(2, true)[6:13]; !slices.Equal(got, sharded) {
		t.Errorf("layer 1 of TP=2 has %v, want %v", got, sharded)
	}
	if got := widest(decodeStep(1, true)); got != 32768 {
		t.Errorf("the longest row has %d elements, want 32768", got)
	}
}

func TestResultOffsets(t *testing.T) {
	offsets, bytes := resultOffsets([]stepLinear{{"a", 1, 10, 64}, {"b", 4, 3, 64}, {"c", 1, 1, 64}}, 5)
	if want := []int64{0, 100, 220}; !slices.Equal(offsets, want) || bytes != 230 {
		t.Errorf("got %v and %d bytes, want %v and 230", offsets, bytes, want)
	}
}
