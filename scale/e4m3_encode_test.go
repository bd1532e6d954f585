package scale_test

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"testing"

	"blockfp8/scale"

	"pgregory.net/rapid"
)

// checkE4M3 compares both signs of x and both overflows with the model.
func checkE4M3(t tb, x float64) {
	t.Helper()
	for _, x := range []float64{x, math.Copysign(x, -1)} {
		for _, o := range overflows {
			if got, want := scale.EncodeE4M3(x, o), modelE4M3(x, o); got != want {
				t.Errorf("EncodeE4M3(%b = %g, overflow %d): got %#02x, want %#02x", x, x, o, uint8(got), uint8(want))
			}
		}
	}
}

func TestEncodeE4M3Literals(t *testing.T) {
	for _, c := range []struct {
		x        float64
		sat, nan scale.E4M3
	}{
		{0, 0x00, 0x00},
		{1, 0x38, 0x38},
		{448, 0x7E, 0x7E},
		{0x1p-10, 0x00, 0x00},
		{above64(0x1p-10), 0x01, 0x01},
		{above32(0x1p-10), 0x01, 0x01},
		{3 * 0x1p-10, 0x02, 0x02},  // tie between 0x01 and 0x02
		{5 * 0x1p-10, 0x02, 0x02},  // tie between 0x02 and 0x03
		{15 * 0x1p-10, 0x08, 0x08}, // tie between the last subnormal and the first normal
		{17, 0x58, 0x58},
		{19, 0x5A, 0x5A},
		{256, 0x78, 0x78},
		{272, 0x78, 0x78},
		{288, 0x79, 0x79},
		{416, 0x7D, 0x7D},
		{432, 0x7E, 0x7E},
		{449, 0x7E, 0x7E},
		{464, 0x7E, 0x7E},
		{above64(464), 0x7E, 0x7F},
		{above32(464), 0x7E, 0x7F},
		{465, 0x7E, 0x7F},
		{480, 0x7E, 0x7F},
		{512, 0x7E, 0x7F},
		{1000, 0x7E, 0x7F},
		{math.MaxFloat32, 0x7E, 0x7F},
		{math.MaxFloat64, 0x7E, 0x7F},
		{math.Inf(1), 0x7E, 0x7F},
		{0x1p-149, 0x00, 0x00},
		{0x1p-1074, 0x00, 0x00},
		{math.NaN(), 0x7F, 0x7F},
	} {
		for _, o := range []struct {
			overflow scale.Overflow
			want     scale.E4M3
		}{{sat, c.sat}, {nan, c.nan}} {
			if got := scale.EncodeE4M3(math.Copysign(c.x, 1), o.overflow); got != o.want {
				t.Errorf("%b = %g, overflow %d: got %#02x, want %#02x", c.x, c.x, o.overflow, uint8(got), uint8(o.want))
			}
			if got := scale.EncodeE4M3(math.Copysign(c.x, -1), o.overflow); got != o.want|0x80 {
				t.Errorf("-%b = -%g, overflow %d: got %#02x, want %#02x", c.x, c.x, o.overflow, uint8(got), uint8(o.want|0x80))
			}
		}
		checkE4M3(t, c.x) // and the model agrees with the literals
	}
}

// These lie so close to a tie that float32 puts them on it.
func TestEncodeE4M3RoundsOnce(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want scale.E4M3
	}{
		{17 + 0x1p-40, 0x59},
		{19 - 0x1p-40, 0x59},
		{0x1p-10 + 0x1p-60, 0x01},
		{464 + 0x1p-40, 0x7F},
	} {
		if got := scale.EncodeE4M3(c.x, nan); got != c.want {
			t.Errorf("%b: got %#02x, want %#02x", c.x, uint8(got), uint8(c.want))
		}
		if twice := scale.EncodeE4M3FromFloat32(float32(c.x), nan); twice == c.want {
			t.Errorf("%b: float32 does not reach the tie, the example proves nothing", c.x)
		}
	}
}

func TestEncodeE4M3EveryMidpoint(t *testing.T) {
	for _, mid := range e4m3Model.mids {
		for _, x := range []float64{mid, above64(mid), below64(mid), above32(mid), below32(mid)} {
			checkE4M3(t, x)
		}
	}
}

func TestEncodeE4M3EveryPower(t *testing.T) {
	for e := -1074; e < 1024; e++ {
		for _, fraction := range []float64{1, 1.0625, 1.5, 1.9375, 1.96875} {
			checkE4M3(t, math.Ldexp(fraction, e))
		}
	}
}

func TestEncodeE4M3NaNKeepsSign(t *testing.T) {
	for _, bits := range []uint32{0x7F800001, 0x7FC00000, 0x7FFFFFFF} {
		for _, o := range overflows {
			if got := scale.EncodeE4M3FromFloat32(f32(bits), o); got != 0x7F {
				t.Errorf("%#08x: got %#02x, want 0x7f", bits, uint8(got))
			}
			if got := scale.EncodeE4M3FromFloat32(f32(bits|1<<31), o); got != 0xFF {
				t.Errorf("%#08x: got %#02x, want 0xff", bits|1<<31, uint8(got))
			}
		}
	}
}

func TestEncodeE4M3UndefinedOverflow(t *testing.T) {
	for _, o := range []scale.Overflow{0, 3, 255} {
		for _, c := range []struct {
			x    float64
			want scale.E4M3
		}{{0, 0x7F}, {1, 0x7F}, {-1, 0xFF}, {1000, 0x7F}, {math.Copysign(0, -1), 0xFF}} {
			if got := scale.EncodeE4M3(c.x, o); got != c.want {
				t.Errorf("%g, overflow %d: got %#02x, want %#02x", c.x, o, uint8(got), uint8(c.want))
			}
		}
	}
}

func TestEncodeE4M3MatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkE4M3(t, drawFloat64(t, "x")) })
}

// The digests are those of the model's codes for all float32 of one sign, in
// the order of their bits, saturating.
func TestEncodeE4M3AllFloat32(t *testing.T) {
	digests := map[string]string{
		"positive": "a1fdfdc00b54d78efe3ea21090cde94d10610f13a8cf0c72070e42f6bdfc5c86",
		"negative": "9d4cb2647baa31b7d2847767c404895bc40d747443c53e46caa2c39b92e8bd1f",
	}
	forBothSigns(t, func(t *testing.T, name string, sign uint32) {
		digest := sha256.New()
		buffer := make([]byte, 0, 1<<16)
		walkFloat32(e4m3Model, func(bits uint32, code int) bool {
			x := f32(bits | sign)
			wantSat, wantNaN := scale.E4M3(min(code, 0x7E)), scale.E4M3(code)
			if isNaN32(bits) {
				wantSat, wantNaN = 0x7F, 0x7F
			}
			wantSat, wantNaN = wantSat|scale.E4M3(sign>>24), wantNaN|scale.E4M3(sign>>24)
			gotSat, gotNaN := scale.EncodeE4M3FromFloat32(x, sat), scale.EncodeE4M3FromFloat32(x, nan)
			if gotSat != wantSat || gotNaN != wantNaN {
				t.Errorf("%#08x: got %#02x and %#02x, want %#02x and %#02x", bits|sign, uint8(gotSat), uint8(gotNaN), uint8(wantSat), uint8(wantNaN))
				return false
			}
			if buffer = append(buffer, byte(gotSat)); len(buffer) == cap(buffer) {
				digest.Write(buffer)
				buffer = buffer[:0]
			}
			return true
		})
		digest.Write(buffer)
		if got := hex.EncodeToString(digest.Sum(nil)); long() && got != digests[name] {
			t.Errorf("digest of %s float32: got %s, want %s", name, got, digests[name])
		}
	})
}

// forBothSigns runs f in parallel for the two halves of float32.
func forBothSigns(t *testing.T, f func(t *testing.T, name string, sign uint32)) {
	for name, sign := range map[string]uint32{"positive": 0, "negative": 1 << 31} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, name, sign)
		})
	}
}

// walkFloat32 goes through the magnitudes of float32 upwards and gives each
// with its nearest code, which only ever steps up; NaN bits come with the
// overflow code. It is the model without a search.
func walkFloat32(m floatModel, f func(bits uint32, code int) bool) {
	code, step := 0, stride()
	for bits := uint64(0); bits < 1<<31; bits += step {
		for x := float64(f32(uint32(bits))); code < m.overflow && m.past(code, x); {
			code++
		}
		if !f(uint32(bits), code) {
			return
		}
	}
}
