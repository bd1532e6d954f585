package safetensors_test

import (
	"fmt"
	"strings"
	"testing"

	"blockfp8/safetensors"
)

// layers is a file of scalars, each given as name:dtype.
func layers(t *testing.T, list string) *safetensors.File {
	t.Helper()
	var fields []string
	var end int
	for item := range strings.FieldsSeq(list) {
		name, dtype, _ := strings.Cut(item, ":")
		begin := end
		end += safetensors.DType(dtype).Bits() / 8
		fields = append(fields, fmt.Sprintf(`"%s":{"dtype":"%s","shape":[],"data_offsets":[%d,%d]}`, name, dtype, begin, end))
	}
	return mustOpen(t, image("{"+strings.Join(fields, ",")+"}", make([]byte, end)...))
}

func TestPairs(t *testing.T) {
	for _, c := range []struct{ name, file, pairs, unpaired string }{
		{"V4", "layers.0.attn.wq_a.weight:F8_E4M3 layers.0.attn.wq_a.scale:F8_E8M0", "layers.0.attn.wq_a:F8_E8M0:scale ", ""},
		{"V4 with fp32", "x.scale:F32 x.weight:F8_E4M3", "x:F32:scale ", ""},
		{"V3", "x.weight:F8_E4M3 x.weight_scale_inv:F32", "x:F32:weight_scale_inv ", ""},
		{"V3 names, E8M0", "x.weight:F8_E4M3 x.weight_scale_inv:F8_E8M0", "x:F8_E8M0:weight_scale_inv ", ""},
		{"bf16 scales", "x.weight:F8_E4M3 x.weight_scale:BF16", "x:BF16:weight_scale ", ""},
		{"file order", "b.weight:F8_E4M3 a.weight:F8_E4M3 a.scale:F32 b.scale:F32", "b:F32:scale a:F32:scale ", ""},
		{"a learned tensor", "hc_attn.weight:F8_E4M3 hc_attn_scale:F32", "", "hc_attn.weight "},
		{"no scale", "x.weight:F8_E4M3 y.scale:F8_E8M0", "", "x.weight "},
		{"not called weight", "x.gate_up:F8_E4M3 x.scale:F8_E8M0", "", "x.gate_up "},
		{"FP4 experts and norms", "x.weight:I8 x.scale:F8_E8M0 n.weight:BF16 n.scale:F32 u:U8", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			pairs, unpaired, err := layers(t, c.file).Pairs()
			if err != nil {
				t.Fatal(err)
			}
			var got, alone string
			for _, p := range pairs {
				got += fmt.Sprintf("%s:%s:%s ", p.Layer, p.Scale.DType, p.Naming)
				if p.Weight.Name != p.Layer+".weight" || p.Scale.Name != p.Layer+"."+string(p.Naming) {
					t.Errorf("pair of %s and %s in layer %s, %s", p.Weight.Name, p.Scale.Name, p.Layer, p.Naming)
				}
			}
			for _, u := range unpaired {
				alone += u.Name + " "
			}
			if got != c.pairs || alone != c.unpaired {
				t.Errorf("got pairs %q, unpaired %q; want %q, %q", got, alone, c.pairs, c.unpaired)
			}
		})
	}
}

func TestPairsRefuse(t *testing.T) {
	_, _, err := layers(t, "x.weight:F8_E4M3 x.scale:F8_E8M0 x.weight_scale_inv:F32").Pairs()
	wantError(t, err, safetensors.ErrAmbiguous, "x.weight")
	if want := `tensor "x.weight": more than one scale for a weight: want one scale, got "x.scale" and "x.weight_scale_inv"`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, _, err = layers(t, "x.weight:F8_E4M3 x.scale:U8").Pairs()
	wantError(t, err, safetensors.ErrDType, "x.scale")
}

// Weight and scale of a layer may lie in different shards.
func TestPairsAcrossShards(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "1.safetensors", image(`{"x.weight":{"dtype":"F8_E4M3","shape":[1,1],"data_offsets":[0,1]}}`, 0x38))
	save(t, dir, "2.safetensors", image(`{"x.scale":{"dtype":"F8_E8M0","shape":[1,1],"data_offsets":[0,1]}}`, 0x80))
	c, err := safetensors.OpenCheckpoint(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	pairs, unpaired, err := c.Pairs()
	if err != nil || len(pairs) != 1 || len(unpaired) != 0 {
		t.Fatalf("Pairs = %v, %v, %v", pairs, unpaired, err)
	}
	scales, err := c.E8M0(pairs[0].Scale.Name)
	if err != nil || scales[0].Float32() != 2 {
		t.Errorf("scale = %v, %v; want 2", scales, err)
	}
}
