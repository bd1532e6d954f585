package safetensors_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"blockfp8/safetensors"
)

// E8M0 bytes 7E 7F 80 are 0.5, 1, 2, and go back as they came, under both
// names in use for a layer's scale.
func TestE8M0RoundTrip(t *testing.T) {
	for _, name := range []string{"l.weight_scale_inv", "l.weight_scale"} {
		data := []byte{0x7E, 0x7F, 0x80}
		original := image(`{"`+name+`":{"dtype":"F8_E8M0","shape":[3],"data_offsets":[0,3]}}`, data...)
		codes, err := mustOpen(t, original).E8M0(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float32{0.5, 1, 2} {
			if got := codes[i].Float32(); got != want {
				t.Errorf("%s[%d] = %v, want %v", name, i, got, want)
			}
		}
		path := filepath.Join(t.TempDir(), "a.safetensors")
		w, err := safetensors.Create(path, []safetensors.Tensor{{Name: name, DType: safetensors.F8_E8M0, Shape: []int64{3}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(name, []byte{byte(codes[0]), byte(codes[1]), byte(codes[2])}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := safetensors.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, err := f.Read(name); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s came back as %x, %v; want 7e7f80", name, got, err)
		}
	}
}

// All 256 codes pass unchanged, NaN and both zeros among them.
func TestCodesAreReinterpreted(t *testing.T) {
	data := make([]byte, 512)
	for i := range data {
		data[i] = byte(i)
	}
	f := mustOpen(t, image(`{"w":{"dtype":"F8_E4M3","shape":[256],"data_offsets":[0,256]},"s":{"dtype":"F8_E8M0","shape":[256],"data_offsets":[256,512]}}`, data...))
	w, err := f.E4M3("w")
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.E8M0("s")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 256 {
		if int(w[i]) != i || int(s[i]) != i {
			t.Fatalf("code %d came as %d and %d", i, w[i], s[i])
		}
	}
}

func TestFloats(t *testing.T) {
	f := mustOpen(t, image(`{"f32":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"bf16":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]},`+
		`"f16":{"dtype":"F16","shape":[4],"data_offsets":[12,20]}}`,
		0x00, 0x00, 0xC0, 0x3F, 0x01, 0x00, 0x00, 0x80, // 1.5, -2^-149
		0x80, 0x3F, 0x01, 0x00, // 1, 2^-133
		0x00, 0x3C, 0x01, 0x00, 0xFF, 0xFB, 0x00, 0xFC, // 1, 2^-24, -65504, -Inf
	))
	for name, want := range map[string][]float32{
		"f32":  {1.5, -0x1p-149},
		"bf16": {1, 0x1p-133},
		"f16":  {1, 0x1p-24, -65504, float32(math.Inf(-1))},
	} {
		if got, err := f.Floats(name); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("Floats(%s) = %v, %v; want %v", name, got, err, want)
		}
	}
	if got, err := f.BF16("bf16"); err != nil || got[0] != 0x3F80 || got[1] != 1 {
		t.Errorf("BF16 = %x, %v", got, err)
	}
	if got, err := f.F16("f16"); err != nil || got[2] != 0xFBFF {
		t.Errorf("F16 = %x, %v", got, err)
	}
	if got, err := f.F32("f32"); err != nil || math.Float32bits(got[1]) != 0x80000001 {
		t.Errorf("F32 = %v, %v", got, err)
	}
}

func TestWrongDType(t *testing.T) {
	f := mustOpen(t, image(`{"u8":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"fnuz":{"dtype":"F8_E4M3FNUZ","shape":[1],"data_offsets":[1,2]}}`, 127, 127))
	_, err := f.E8M0("u8")
	wantError(t, err, safetensors.ErrDType, "u8")
	if want := `tensor "u8": wrong dtype: want F8_E8M0, got U8`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = f.E4M3("fnuz")
	wantError(t, err, safetensors.ErrDType, "fnuz")
	_, err = f.F32("u8")
	wantError(t, err, safetensors.ErrDType, "u8")
	_, err = f.BF16("u8")
	wantError(t, err, safetensors.ErrDType, "u8")
	_, err = f.F16("u8")
	wantError(t, err, safetensors.ErrDType, "u8")
	_, err = f.Floats("u8")
	wantError(t, err, safetensors.ErrDType, "u8")
}
