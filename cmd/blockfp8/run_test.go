package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// onesLayer is a layer of ones whose two K blocks have the scales 2 and 1/2.
func onesLayer(name string) []stored {
	return []stored{
		f8(name+".weight", slices.Repeat([]byte{0x38}, 3*160), 3, 160),
		e8m0(name+".scale", []byte{0x80, 0x7E}, 1, 2),
	}
}

// fnv1a is the published algorithm, written out.
func fnv1a(data []byte) string {
	h := uint64(0xcbf29ce484222325)
	for _, b := range data {
		h = (h ^ uint64(b)) * 0x100000001b3
	}
	return fmt.Sprintf("%016x", h)
}

func TestRunKnownProduct(t *testing.T) {
	dir := t.TempDir()
	model := save(t, filepath.Join(dir, "m.safetensors"), nil, onesLayer("x")...)
	// Activations of 448 have scale 1: every element is 448*(128*2+32/2) = 121856,
	// 0x47EE in bf16.
	activations := saveNPY(t, filepath.Join(dir, "a.npy"), "<f4", "(2, 160)", floatBytes(slices.Repeat([]float32{448}, 2*160)))
	d := parseJSON[runDocument](t, succeed(t, "run", model, "--activations", activations, "--json"))
	if len(d.Layers) != 1 || d.M != 2 {
		t.Fatalf("got %+v, want one layer and 2 rows", d)
	}
	want := layerResult{Layer: "x", N: 3, K: 160, Recipe: "sm120/act-then-weight/k128/bf16", Seconds: d.Layers[0].Seconds, Checksum: fnv1a(slices.Repeat([]byte{0xEE, 0x47}, 6))}
	if d.Layers[0] != want {
		t.Errorf("got %+v, want %+v", d.Layers[0], want)
	}
	if d.Checked != spots || d.Different != 0 {
		t.Errorf("checked %d, different %d, want %d and 0", d.Checked, d.Different, spots)
	}
	if d.OnDevice != (deviceCheck{Checked: 6}) {
		t.Errorf("on the device %+v, want 6 elements checked", d.OnDevice)
	}
}

// Every chip that can be emulated multiplies with its own recipe, and one that was
// asked for has to be that.
func TestRunDevices(t *testing.T) {
	small := []string{"run", "--json", "--scale-down", "64", "--m", "3", "--layer", "*.wkv"}
	for device, recipe := range map[string]string{
		"sm_89": "sm89/act-then-weight/k128/bf16", "sm_90": "sm90wgmma/act-then-weight/k128/bf16",
		"sm_120": "sm120/act-then-weight/k128/bf16", "sm_121": "sm120/act-then-weight/k128/bf16",
		"oracle": "sm120/act-then-weight/k128/bf16",
	} {
		d := parseJSON[runDocument](t, succeed(t, append(slices.Clone(small), "--device", device)...))
		want := deviceCheck{Checked: 3 * 32}
		if device == "oracle" {
			want = deviceCheck{}
		}
		if d.OnDevice != want || d.Different != 0 || d.Layers[0].Recipe != recipe {
			t.Errorf("%s: %+v, want %+v and the recipe %s", device, d, want, recipe)
		}
	}
	d := parseJSON[runDocument](t, succeed(t, append(slices.Clone(small), "--device", "sm_89", "--output", "float32")...))
	if d.Layers[0].Recipe != "sm89/act-then-weight/k128/float32" || d.OnDevice.Checked != 96 {
		t.Errorf("got %+v, want float32 of sm89", d)
	}
	d = parseJSON[runDocument](t, succeed(t, append(slices.Clone(small), "--device", "sm_120", "--style", "deepseek")...))
	if d.Layers[0].Recipe != "sm120mx/in-mma/bf16" || d.OnDevice != (deviceCheck{Checked: 96}) {
		t.Errorf("got %+v, want scales inside the MMA", d)
	}
	refuse(t, []string{"sm89/act-then-weight", "--recipe sm120"}, append(slices.Clone(small), "--device", "sm_89", "--recipe", "sm120")...)
	refuse(t, []string{"device", `"gpu"`}, "run", "--device", "gpu")
	refuse(t, []string{"sm_75", "unsupported"}, "run", "--device", "sm_75")
}

func TestRunExample(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	out := succeed(t, "run")
	for _, want := range []string{"layers.0.attn.wq_a  16  160   544", "layers.0.attn.wkv ", "layers.0.attn.wo_b  16  544  1056", "checked: 192 elements of 3 layers, MatMul against Element: every bit agrees", "against MatMul: every bit agrees", "multiplied on "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if left := listing(t, temporary); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	one := parseJSON[runDocument](t, succeed(t, "run", "--json"))
	same := parseJSON[runDocument](t, succeed(t, "run", "--json", "--layer", "*.wkv"))
	if len(same.Layers) != 1 || same.Layers[0].Checksum != one.Layers[1].Checksum {
		t.Errorf("alone: %+v, among others: %+v; want equal bits", same.Layers, one.Layers[1])
	}
	other := parseJSON[runDocument](t, succeed(t, "run", "--json", "--seed", "2"))
	if other.Layers[0].Checksum == one.Layers[0].Checksum {
		t.Error("another seed gives the same bits")
	}
}

func TestRunRecipes(t *testing.T) {
	small := []string{"run", "--json", "--scale-down", "64", "--m", "3"}
	for _, p := range presets {
		args := append(slices.Clone(small), "--recipe", p.name, "--style", "deepseek")
		d := parseJSON[runDocument](t, succeed(t, args...))
		if d.Different != 0 || d.Checked == 0 {
			t.Errorf("%s: %d of %d spots differ", p.name, d.Different, d.Checked)
		}
		for _, l := range d.Layers {
			if p.name == "exact" && l.MaxULP != 0 {
				t.Errorf("exact is %d ULP from itself", l.MaxULP)
			}
		}
	}
	if d := parseJSON[runDocument](t, succeed(t, append(small, "--m", "0")...)); d.M != 0 || d.Checked != 0 {
		t.Errorf("M = 0: %+v", d)
	}
}

func TestRunRefuses(t *testing.T) {
	dir := t.TempDir()
	model := save(t, filepath.Join(dir, "m.safetensors"), nil, onesLayer("x")...)
	odd := save(t, filepath.Join(dir, "odd.safetensors"), nil, f8("x.weight", make([]byte, 4), 2, 2), e8m0("x.scale", make([]byte, 2), 2, 1))
	a := saveNPY(t, filepath.Join(dir, "a.npy"), "<f4", "(2, 3)", make([]byte, 24))
	refuse(t, []string{"no such file"}, "run", filepath.Join(dir, "none.safetensors"))
	refuse(t, []string{"x.scale", "[1 1]", "[2 1]", "128x128"}, "run", odd)
	refuse(t, []string{"match", `"y*"`}, "run", model, "--layer", "y*")
	refuse(t, []string{"pattern", "[x"}, "run", model, "--layer", "[x")
	refuse(t, []string{"K = 160", "got 3"}, "run", model, "--activations", a)
	refuse(t, []string{"5 rows", "got 3"}, "run", model, "--m", "5", "--activations", saveNPY(t, filepath.Join(dir, "b.npy"), "<f2", "(3, 160)", make([]byte, 960)))
	refuse(t, []string{"E8M0 scales for operand A", "--style deepseek"}, "run", model, "--recipe", "sm120mx")
	refuse(t, []string{"--recipe", "nonsense"}, "run", model, "--recipe", "nonsense")
}

func TestRunInterrupted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := runCommand{ScaleDown: 8, Device: oracleDevice, Style: "vllm", Layer: "*"}
	if err := c.Run(interrupted()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if left := listing(t, os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestShrink(t *testing.T) {
	for _, c := range [][3]int{{4096, 1, 4096}, {4096, 8, 544}, {512, 8, 64}, {1024, 8, 160}, {512, 100000, 32}} {
		if got := shrink(c[0], c[1]); got != c[2] {
			t.Errorf("shrink(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
