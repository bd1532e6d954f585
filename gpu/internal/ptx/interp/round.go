package interp

import "math"

// exactly is a real number: value plus something much smaller, of which only the
// sign counts.
type exactly struct {
	value float64
	rest  float64
}

// addExactly is a+b. The error of the sum of two float64 is one, and is found
// exactly (Knuth).
func addExactly(a, b float64) exactly {
	s := a + b
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return exactly{value: s}
	}
	t := s - a
	return exactly{s, (a - (s - t)) + (b - t)}
}

// multiplyExactly is a*b of numbers of at most 26 bits.
func multiplyExactly(a, b float64) exactly { return exactly{value: a * b} }

// divideExactly is a/b: the sign of the remainder tells where the quotient lies.
func divideExactly(a, b float64) exactly {
	q := a / b
	if math.IsInf(q, 0) || math.IsNaN(q) || q == 0 {
		return exactly{value: q}
	}
	rest := math.FMA(-q, b, a)
	if b < 0 {
		rest = -rest
	}
	return exactly{q, rest}
}

func squareRootExactly(a float64) exactly {
	s := math.Sqrt(a)
	if math.IsInf(s, 0) || math.IsNaN(s) || s == 0 {
		return exactly{value: s}
	}
	return exactly{s, math.FMA(-s, s, a)}
}

// odd returns the number as a float64 that rounds to any smaller format as the
// number itself does: rounded to odd.
func (x exactly) odd() float64 {
	if x.rest == 0 || math.Float64bits(x.value)&1 == 1 {
		return x.value
	}
	return math.Nextafter(x.value, math.Copysign(math.Inf(1), x.rest))
}

// format is a binary floating-point format.
type format struct {
	precision int // bits of the significand, the first 1 among them
	least     int // exponent of the smallest normal number
	most      float64
}

var (
	singleFormat = format{24, -126, 0x1.fffffep127}
	halfFormat   = format{11, -14, 65504}
	bfloatFormat = format{8, -126, 0x1.fep127}
	e4m3Format   = format{4, -6, 448}
	e5m2Format   = format{3, -14, 57344}
)

// The rounding modes of PTX, by modifier; those for integers have an i.
var roundings = map[string]func(float64) float64{
	"rn": math.RoundToEven, "rz": math.Trunc, "rm": math.Floor, "rp": math.Ceil,
	"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil,
}

// round returns the number of the format that a rounding gives. It may be infinite.
func (f format) round(x exactly, rounding func(float64) float64) float64 {
	v := x.odd()
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	_, e := math.Frexp(v)
	unit := max(e-1, f.least) - (f.precision - 1)
	r := math.Ldexp(rounding(math.Ldexp(v, -unit)), unit)
	if math.Abs(r) > f.most {
		return f.overflow(v, rounding)
	}
	return math.Copysign(r, v)
}

// overflow is infinite unless the rounding is away from the infinity.
func (f format) overflow(v float64, rounding func(float64) float64) float64 {
	if rounding(math.Copysign(0.75, v)) == 0 {
		return math.Copysign(f.most, v)
	}
	return math.Copysign(math.Inf(1), v)
}
