package ref_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"blockfp8/ref"
	"blockfp8/ref/internal/avx2"
	"blockfp8/scale"
)

// needVectors skips what tests kernels alone.
func needVectors(t *testing.T) {
	t.Helper()
	if !avx2.Available() {
		t.Skip("no AVX2, or built without it")
	}
}

// drawnStrip is eight rows of 32 codes, decoded.
type drawnStrip struct {
	rows    avx2.Rows
	columns [32]avx2.Column
	bounds  avx2.Range
}

func newDrawnStrip(floor float32, draw func() []byte) *drawnStrip {
	s := new(drawnStrip)
	for i := range s.rows {
		s.rows[i] = (*avx2.Codes)(codes32([32]byte(draw())))
	}
	avx2.Decode(s.columns[:], &s.rows, floor, &s.bounds)
	return s
}

// exponentOf is that of a non-zero value, not below that of subnormals unless they are
// normalised.
func exponentOf(v float64, floor float32) int {
	if e := math.Ilogb(v); floor == 0 {
		return e
	}
	return max(math.Ilogb(v), math.Ilogb(float64(floor)))
}

// Values, units and tops of all codes in all places; a unit is found by division.
func TestDecode(t *testing.T) {
	needVectors(t)
	rng := rand.New(rand.NewPCG(21, 1))
	for range rounds(2000) {
		floor := []float32{0x1p-6, 0}[rng.IntN(2)]
		codes := codeFlavours[rng.IntN(len(codeFlavours))]
		s := newDrawnStrip(floor, func() []byte {
			row := make([]byte, 32)
			for k := range row {
				row[k] = codes(rng)
			}
			return row
		})
		for i, row := range s.rows {
			unit, top := math.Inf(1), 0.0
			for k, code := range row {
				v := code.Float64()
				if got := s.columns[k][i]; math.Float64bits(got) != math.Float64bits(v) {
					t.Fatalf("code %02x of row %d, column %d is %g, want %g", code, i, k, got, v)
				}
				if v == 0 {
					continue
				}
				for unit = min(unit, 0x1p8); math.Mod(v, unit) != 0; {
					unit /= 2
				}
				top = max(top, math.Ldexp(1, exponentOf(v, floor)))
			}
			if s.bounds.Unit[i] != unit || s.bounds.Top[i] != top {
				t.Fatalf("row %d, %x: unit %g and top %g, want %g and %g", i, row, s.bounds.Unit[i], s.bounds.Top[i], unit, top)
			}
		}
	}
}

// Wherever the window holds, Fuse is MMA, for any c that is a result of the datapath;
// elsewhere it leaves c alone. One element of a strip is held to the model.
func TestFuseIsMMA(t *testing.T) {
	needVectors(t)
	datapaths := []ref.Datapath{
		ref.SM120,
		{Name: "short result", FractionBits: 25, ResultBits: 15, ZeroExponent: -133},
		{Name: "short fraction", FractionBits: 16, ResultBits: 16, ZeroExponent: -133},
		{Name: "normalised", FractionBits: 20, ResultBits: 18, ZeroExponent: -133, NormalizesSubnormals: true},
		{Name: "no window", FractionBits: 26, ResultBits: 23, ZeroExponent: -133},
	}
	for _, d := range datapaths {
		t.Run(d.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(21, 2))
			held := 0
			for range rounds(500) {
				held += fuseIsMMA(t, rng, d)
			}
			if (held > 0) != (d.FractionBits <= 25) {
				t.Errorf("the window held %d times", held)
			}
		})
	}
}

func fuseIsMMA(t *testing.T, rng *rand.Rand, d ref.Datapath) (held int) {
	t.Helper()
	category, rows, mixed := rng.IntN(len(mmaCategories)), 1+rng.IntN(avx2.Width), rng.IntN(2) == 0
	next := func() int {
		if mixed {
			return rng.IntN(len(mmaCategories))
		}
		return category
	}
	a := newDrawnStrip(d.Floor(), func() []byte { return drawA(rng, next()) })
	b := newDrawnStrip(d.Floor(), func() []byte { return drawB(rng, next()) })
	var before avx2.Elements
	for i := range before {
		c := drawMMA(rng, next()).c
		if rng.IntN(4) == 0 { // at the limit, and one below in magnitude
			limit := a.bounds.Unit[i/avx2.Width] * b.bounds.Unit[i%avx2.Width] * math.Ldexp(1, d.FractionBits+1)
			c = floatBits(float32(limit)) - uint32(rng.IntN(2)) | uint32(drawSign(rng))<<24
		}
		before[i] = float64(bitsFloat(c &^ (1<<(23-d.ResultBits) - 1)))
	}
	after, w := before, d.WideWindow()
	missed := avx2.Fuse(&after, a.columns[:], b.columns[:], &a.bounds, &b.bounds, &w, rows)
	model := rng.IntN(rows * avx2.Width)
	for i := range rows * avx2.Width {
		x, y := (*[32]scale.E4M3)(a.rows[i/avx2.Width]), (*[32]scale.E4M3)(b.rows[i%avx2.Width])
		c, got := float32(before[i]), float32(after[i])
		want := d.MMA(x, y, c)
		switch {
		case hasNaN(x) || hasNaN(y):
			continue // whatever the sum is, the result is NaN
		case missed>>i&1 != 0:
			want = c
		default:
			held++
			if bits := chipOf(d).mma(bytesOf(x), bytesOf(y), 0, 0, floatBits(c)); i == model && bits != floatBits(want) {
				t.Fatalf("%s: MMA says %08x, the model %08x", d.Name, floatBits(want), bits)
			}
		}
		if !sameBits(got, want) {
			t.Fatalf("%s, mixed %v: element %d of %d rows is %08x, want %08x\na %x\nb %x\nc %08x missed %v",
				mmaCategories[category].name, mixed, i, rows, floatBits(got), floatBits(want), *x, *y, floatBits(c), missed>>i&1 != 0)
		}
	}
	return held
}

func hasNaN(codes *[32]scale.E4M3) bool {
	for _, c := range codes {
		if c.IsNaN() {
			return true
		}
	}
	return false
}

func bytesOf(codes *[32]scale.E4M3) []byte {
	b := make([]byte, len(codes))
	for i, c := range codes {
		b[i] = byte(c)
	}
	return b
}

// Normal values, as weights and activations are, hardly ever miss the window: that is
// why there is one.
func TestWindowHoldsForNormalValues(t *testing.T) {
	needVectors(t)
	rng := rand.New(rand.NewPCG(21, 3))
	row := func() []byte {
		codes := make([]byte, 32)
		for k := range codes {
			codes[k] = byte(scale.EncodeE4M3(150*rng.NormFloat64(), scale.Saturate))
		}
		return codes
	}
	d := ref.SM120
	var missed, all int
	for range rounds(400) {
		a, b := newDrawnStrip(d.Floor(), row), newDrawnStrip(d.Floor(), row)
		c, w := avx2.Elements{}, d.WideWindow()
		for m := avx2.Fuse(&c, a.columns[:], b.columns[:], &a.bounds, &b.bounds, &w, avx2.Width); m != 0; m &= m - 1 {
			missed++
		}
		all += len(c)
	}
	if missed*20 > all {
		t.Errorf("%d of %d elements missed the window", missed, all)
	}
}

// CutDot against integers: Go's division truncates toward zero.
func TestCutDot(t *testing.T) {
	needVectors(t)
	rng := rand.New(rand.NewPCG(21, 4))
	for range rounds(50000) {
		in := drawMMA(rng, rng.IntN(len(mmaCategories)))
		a, b := codes32(in.a), codes32(in.b)
		if hasNaN(a) || hasNaN(b) {
			continue
		}
		floor, fraction, least := []float32{0x1p-6, 0}[rng.IntN(2)], 12+rng.IntN(15), []int{-100, rng.IntN(60) - 30}[rng.IntN(2)]
		wantSum, wantExponent := cutDot(a, b, floor, least, fraction)
		sum, e := avx2.CutDot((*avx2.Codes)(a), (*avx2.Codes)(b), floor, float32(math.Ldexp(1, least)), fraction)
		if sum != wantSum || e != wantExponent {
			t.Fatalf("a %x\nb %x\nfloor %g least %d fraction %d: %d and %d, want %d and %d", *a, *b, floor, least, fraction, sum, e, wantSum, wantExponent)
		}
	}
}

func cutDot(a, b *[32]scale.E4M3, floor float32, least, fraction int) (sum int64, e int) {
	e = least
	for k := range a {
		if x, y := a[k].Float64(), b[k].Float64(); x != 0 && y != 0 {
			e = max(e, exponentOf(x, floor)+exponentOf(y, floor))
		}
	}
	unit := e - fraction + 18 // in units of 2^-18
	for k := range a {
		product := int64(a[k].Float64() * b[k].Float64() * 0x1p18)
		if unit > 0 {
			sum += product / (1 << unit)
		} else {
			sum += product << -unit
		}
	}
	return sum, e
}
