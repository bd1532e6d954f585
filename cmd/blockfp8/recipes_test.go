package main

import (
	"strings"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

func TestRecipesSpelledOutAreThePresets(t *testing.T) {
	for _, p := range presets {
		want := p.recipe(128, scale.Float16)
		for _, text := range []string{want.String(), strings.TrimSuffix(want.String(), "/fp16")} {
			named, err := findRecipe(text, "fp16")
			if err != nil {
				t.Fatal(err)
			}
			if got := named(64); got != want {
				t.Errorf("%s reads as %v, want %v", text, got, want)
			}
		}
	}
}

func TestFindRecipe(t *testing.T) {
	for _, c := range []struct {
		name, output string
		blockK       int
		want         string
	}{
		{"sm120", "", 32, "sm120/act-then-weight/k32/bf16"},
		{"triton-sm120", "", 32, "sm120/act-then-weight/k128/bf16"},
		{"deepgemm-sm90", "float32", 128, "sm90wgmma/product-first/k128/float32"},
		{"sm90mma/product-first-unfused/k64/split4/fp16", "", 128, "sm90mma/product-first-unfused/k64/split4/fp16"},
		{"sm120mx/in-mma", "", 128, "sm120mx/in-mma/bf16"},
	} {
		named, err := findRecipe(c.name, c.output)
		if err != nil {
			t.Fatal(err)
		}
		if got := named(c.blockK).String(); got != c.want {
			t.Errorf("%s, output %q: %s, want %s", c.name, c.output, got, c.want)
		}
	}
	for _, c := range [][2]string{
		{"sm121", ""},
		{"sm121/act-then-weight/k128", ""},
		{"sm120/never/k128", ""},
		{"sm120/act-then-weight/k0", ""},
		{"sm120/act-then-weight/k128/bf16/fp16", ""},
		{"sm120/act-then-weight/k128/bf16", "fp16"},
		{"", ""},
		{"/", ""},
	} {
		if _, err := findRecipe(c[0], c[1]); err == nil {
			t.Errorf("%q with output %q is a recipe", c[0], c[1])
		}
	}
}

func TestRecipesCommand(t *testing.T) {
	out := succeed(t, "recipes", "--block", "32x32")
	for _, want := range []string{"sm120/act-then-weight/k32/bf16", "sm90wgmma/product-first/k128/bf16", "DATAPATH/SCALING"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	list := parseJSON[[]map[string]string](t, succeed(t, "recipes", "--json"))
	if len(list) != len(presets) || list[0]["name"] != "exact" {
		t.Errorf("JSON lists %d recipes, first %q", len(list), list[0]["name"])
	}
}

func TestCandidates(t *testing.T) {
	// 6 chips in 4 arithmetics and exact dots, 4 scalings, partials of 64 and 128;
	// exact; MX.
	if got := len(candidates(128, scale.BFloat16)); got != 5*4*2+2 {
		t.Errorf("%d candidates for blocks of 128, want 42", got)
	}
	if got := len(candidates(32, scale.BFloat16)); got != 5*4*3+2 {
		t.Errorf("%d candidates for blocks of 32, want 62", got)
	}
	names := 0
	for _, c := range candidates(128, scale.BFloat16) {
		names += len(c.names)
	}
	if want := (len(ref.Datapaths())-1)*4*2 + 2; names != want {
		t.Errorf("%d names, want %d", names, want)
	}
}
