package ref_test

import (
	"encoding/binary"
	"encoding/hex"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/scale"
)

// batteryDigest is the FNV-1a of the bits of the battery's results, which are the
// same on every architecture and at every optimisation. (It also changes if an
// input is drawn otherwise; TestDigestIsTheModels says whether it is right.)
const batteryDigest = "060341268cde836e"

// battery hands out, in a fixed order, problems over every pair of datapath and
// scaling and every output. Everything is drawn with integers.
func battery(t *testing.T, visit func(p problem)) {
	rng := rand.New(rand.NewPCG(0xB10C, 0xF8))
	for _, d := range ref.Datapaths() {
		for s := ref.ActThenWeight; s <= ref.Unrounded; s++ {
			for _, f := range []scale.Format{scale.Float32, scale.BFloat16, scale.Float16} {
				r := ref.Recipe{Datapath: d, Scaling: s, Output: f}
				if s != ref.InMMA && s != ref.Unrounded {
					r.KPerPartial, r.Splits = []int{32, 64, 128}[rng.IntN(3)], rng.IntN(4)
				}
				bk := max(32, r.KPerPartial)
				for _, tame := range []bool{true, false} {
					k := 1 + rng.IntN(200)
					a := shape{rows: 5, k: k, br: 1, bk: bk, e8: s == ref.InMMA || rng.IntN(2) == 0, tame: tame}
					b := shape{rows: 7, k: k, br: 3, bk: bk, e8: s == ref.InMMA || rng.IntN(2) == 0, off: rng.IntN(3), tame: tame}
					p := makeProblem(t, rng, a, b, r)
					if r.Check(p.x, p.y) == nil {
						visit(p)
					}
				}
			}
		}
	}
}

// digest collects bits; every NaN counts as one.
type digest struct{ hash.Hash64 }

func newDigest() digest { return digest{fnv.New64a()} }

func (d digest) add(bits uint32) {
	if bits&0x7FFFFFFF > 0x7F800000 {
		bits = 0x7FC00000
	}
	d.Write(binary.LittleEndian.AppendUint32(nil, bits))
}

func (d digest) check(t *testing.T, what string) {
	t.Helper()
	if got := hex.EncodeToString(d.Sum(nil)); got != batteryDigest {
		t.Errorf("digest of %s is %s, want %s", what, got, batteryDigest)
	}
}

func TestDigest(t *testing.T) {
	fast, slow := newDigest(), newDigest()
	battery(t, func(p problem) {
		c := multiply(t, p.x, p.y, p.recipe)
		for m := range c.Rows {
			for n, v := range c.Row(m) {
				fast.add(floatBits(v))
				slow.add(floatBits(mustElement(t, p, m, n)))
			}
		}
	})
	fast.check(t, "MatMul")
	slow.check(t, "Element")
}

// The digest is no memory of what the package once said: the models give it too.
func TestDigestIsTheModels(t *testing.T) {
	if brief() {
		t.Skip("the models are slow; what they say does not depend on the machine")
	}
	d, elements := newDigest(), 0
	battery(t, func(p problem) {
		for m := range p.a.rows {
			for n := range p.b.rows {
				d.add(element(p.a, p.b, p.recipe, m, n).bits())
				elements++
			}
		}
	})
	d.check(t, "the models")
	if elements != 30*3*2*35 {
		t.Errorf("%d elements, want 6300", elements)
	}
}
