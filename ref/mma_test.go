package ref_test

import (
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

func codes32(b [32]byte) *[32]scale.E4M3 {
	var c [32]scale.E4M3
	for k := range c {
		c[k] = scale.E4M3(b[k])
	}
	return &c
}

// run gives an input to a datapath. MMA must say the same as MMAScaled with
// scales of 1; datapaths without scales must ignore them.
func run(t *testing.T, d ref.Datapath, in mmaInput) uint32 {
	t.Helper()
	a, b, c := codes32(in.a), codes32(in.b), bitsFloat(in.c)
	got := floatBits(d.MMAScaled(a, b, scale.E8M0(in.sa), scale.E8M0(in.sb), c))
	if !d.TakesScales || in.sa == 0x7F && in.sb == 0x7F {
		if plain := floatBits(d.MMA(a, b, c)); plain != got {
			t.Fatalf("%s: MMA gives %08x, MMAScaled %08x for %x", d.Name, plain, got, in)
		}
	}
	return got
}

// mmaEach is how many inputs of a category a datapath gets, where time is not short.
const mmaEach = 300

// MMA's bits are compared as they are: a NaN is 0x7FFFFFFF.
func TestMMAIsTheModels(t *testing.T) {
	for _, d := range ref.Datapaths() {
		t.Run(d.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 7))
			h := chips[d.Name]
			for category := range mmaCategories {
				for range rounds(mmaEach) {
					in := drawMMA(rng, category)
					want := h.mma(in.a[:], in.b[:], in.sa, in.sb, in.c)
					if got := run(t, d, in); got != want {
						t.Fatalf("%s:\na  %x\nb  %x\nsa %02x sb %02x c %08x\ngot %08x, want %08x",
							mmaCategories[category].name, in.a, in.b, in.sa, in.sb, in.c, got, want)
					}
				}
			}
			t.Logf("%d outputs", rounds(mmaEach)*len(mmaCategories))
		})
	}
}

// The table of datapaths against the second one.
func TestDatapathTable(t *testing.T) {
	names := []string{"exact", "sm89", "sm90mma", "sm90wgmma", "sm100mma", "sm100", "sm120", "sm120mx"}
	all := ref.Datapaths()
	if len(all) != len(names) || all[0] != ref.ExactSum {
		t.Fatalf("%d datapaths, the first %q; want %d, ExactSum first", len(all), all[0].Name, len(names))
	}
	for i, d := range all {
		h, ok := chips[d.Name]
		if !ok || d.Exact != h.exact || d.TakesScales != h.scaled {
			t.Errorf("%s: not in the table, or not of its kind", d.Name)
		}
		if d.Exact {
			continue
		}
		if d.FractionBits != h.f || d.ResultBits != h.result.fraction || d.ZeroExponent != h.zero || d.AddsCLast != h.late || d.NormalizesSubnormals != h.normalised {
			t.Errorf("%d: %+v is not the table's %+v", i, d, h)
		}
	}
	all[0].Name = "changed"
	if ref.Datapaths()[0].Name != "exact" {
		t.Error("Datapaths hands out its own storage")
	}
}
