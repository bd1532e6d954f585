package ref_test

import (
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// Every element of a tile is MMAScaled of its row and column.
func TestMMATileIsItsElements(t *testing.T) {
	const rows, cols = 5, 3
	for _, d := range ref.Datapaths() {
		t.Run(d.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 9))
			for category := range mmaCategories {
				for range rounds(mmaEach) {
					var a [rows][32]scale.E4M3
					var b [cols][32]scale.E4M3
					var sa [rows]scale.E8M0
					var sb [cols]scale.E8M0
					var c [rows * cols]float32
					for m := range rows {
						in := drawMMA(rng, category)
						a[m], sa[m] = *codes32(in.a), scale.E8M0(in.sa)
						if m < cols {
							b[m], sb[m] = *codes32(in.b), scale.E8M0(in.sb)
						}
						for n := range cols {
							c[m*cols+n] = bitsFloat(in.c)
						}
					}
					out := c
					d.MMATile(out[:], a[:], b[:], sa[:], sb[:])
					for i := range out {
						m, n := i/cols, i%cols
						if want := d.MMAScaled(&a[m], &b[n], sa[m], sb[n], c[i]); floatBits(want) != floatBits(out[i]) {
							t.Fatalf("%s: element (%d, %d) is %08x, want %08x\na %x\nb %x\nscales %02x %02x c %08x",
								mmaCategories[category].name, m, n, floatBits(out[i]), floatBits(want), a[m], b[n], sa[m], sb[n], floatBits(c[i]))
						}
					}
				}
			}
		})
	}
}

// Slices that do not fit change nothing.
func TestMMATileOfOtherLengths(t *testing.T) {
	out := []float32{7}
	ref.SM120MX.MMATile(out, make([][32]scale.E4M3, 1), make([][32]scale.E4M3, 1), nil, nil)
	ref.SM120.MMATile(out, make([][32]scale.E4M3, 1), make([][32]scale.E4M3, 2), nil, nil)
	if out[0] != 7 {
		t.Fatalf("out became %v", out[0])
	}
}

func BenchmarkMMATile(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, d := range []ref.Datapath{ref.SM89, ref.SM90MMA, ref.SM90WGMMA, ref.SM120} {
		b.Run(d.Name, func(b *testing.B) {
			x, y := make([][32]scale.E4M3, 16), make([][32]scale.E4M3, 8)
			for _, rows := range [][][32]scale.E4M3{x, y} {
				for i := range rows {
					in := bellInput(rng)
					rows[i] = *codes32(in.a)
				}
			}
			out := make([]float32, 16*8)
			for b.Loop() {
				d.MMATile(out, x, y, nil, nil)
			}
		})
	}
}
