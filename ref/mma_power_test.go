package ref_test

import (
	"math/rand/v2"
	"testing"
)

// The inputs of TestMMAIsTheModels would notice any number of the table being
// off by one: every wrong chip must differ from the right one somewhere. (Two
// numbers decide nothing: normalised subnormals where c comes last, because 25
// bits under the exponent 2 of the largest subnormal product reach below 2^-18,
// and the exponent of zero without scales, because it lies below every product.)
func TestMMAInputsSeeWrongDatapaths(t *testing.T) {
	if brief() {
		t.Skip("the inputs that time allows are not those whose power is tested")
	}
	regrouped := func(g [][]int) func(*chip) { return func(h *chip) { h.groups = g } }
	wrong := []struct {
		what string
		on   []string
		make func(*chip)
	}{
		{"one bit less", []string{"sm89", "sm90mma", "sm90wgmma", "sm120", "sm120mx"}, func(h *chip) { h.f-- }},
		{"one bit more", []string{"sm89", "sm90mma", "sm90wgmma", "sm120", "sm120mx"}, func(h *chip) { h.f++ }},
		{"12 fraction bits", []string{"sm89", "sm90wgmma"}, func(h *chip) { h.result.fraction = 12 }},
		{"float32 result", []string{"sm89", "sm90wgmma"}, func(h *chip) { h.result = single }},
		{"22 fraction bits", []string{"sm90mma", "sm120", "sm120mx"}, func(h *chip) { h.result.fraction = 22 }},
		{"one group", []string{"sm89", "sm90mma"}, regrouped(all32)},
		{"halves", []string{"sm90mma", "sm90wgmma", "sm120", "sm120mx"}, regrouped(halves)},
		{"interleaved", []string{"sm89", "sm90wgmma", "sm120", "sm120mx"}, regrouped(everyTwo)},
		{"halves the other way round", []string{"sm89"}, regrouped([][]int{halves[1], halves[0]})},
		{"interleaved the other way round", []string{"sm90mma"}, regrouped([][]int{everyTwo[1], everyTwo[0]})},
		{"c early", []string{"sm90mma"}, func(h *chip) { h.late = false }},
		{"c late", []string{"sm89", "sm90wgmma", "sm120", "sm120mx"}, func(h *chip) { h.late = true }},
		{"subnormals normalised", []string{"sm89", "sm90wgmma", "sm120", "sm120mx"}, func(h *chip) { h.normalised = true }},
		{"zero exponent one up", []string{"sm120mx"}, func(h *chip) { h.zero++ }},
		{"zero exponent one down", []string{"sm120mx"}, func(h *chip) { h.zero-- }},
		{"scales ignored", []string{"sm120mx"}, func(h *chip) { h.scaled = false }},
		{"exact", []string{"sm89", "sm90mma", "sm90wgmma", "sm120", "sm120mx"}, func(h *chip) { h.exact = true }},
	}
	for _, w := range wrong {
		for _, name := range w.on {
			right := chips[name]
			mutant := right
			w.make(&mutant)
			if !seen(right, mutant) {
				t.Errorf("%s: %s looks right on every input", name, w.what)
			}
		}
	}
}

func seen(right, mutant chip) bool {
	rng := rand.New(rand.NewPCG(11, 7))
	for category := range mmaCategories {
		for range mmaEach {
			in := drawMMA(rng, category)
			if right.mma(in.a[:], in.b[:], in.sa, in.sb, in.c) != mutant.mma(in.a[:], in.b[:], in.sa, in.sb, in.c) {
				return true
			}
		}
	}
	return false
}
