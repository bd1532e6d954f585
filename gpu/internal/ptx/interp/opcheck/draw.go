package opcheck

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
)

// kinds are what inputs may be, for a register of some bits. Values that are
// likely to be handled wrong are drawn far more often than at random.
var kinds = map[string]func(d *drawer, bits int) uint64{
	"int":  (*drawer).integer,
	"f32":  func(d *drawer, bits int) uint64 { return d.filled(single, bits) },
	"f16":  func(d *drawer, bits int) uint64 { return d.filled(half, bits) },
	"bf16": func(d *drawer, bits int) uint64 { return d.filled(bfloat, bits) },
	"code": func(d *drawer, bits int) uint64 { return d.codes(bits) },
	// Numbers near 1, of which sums and products stay finite.
	"near32": func(d *drawer, _ int) uint64 { return d.near(single) },
	"tame16": func(d *drawer, bits int) uint64 { return d.tame(half, bits) },
	"tamebf": func(d *drawer, bits int) uint64 { return d.tame(bfloat, bits) },
	"few":    func(d *drawer, _ int) uint64 { return d.next() % 3 },
}

// float is a format: the bits of a number, those of its fraction and the bias of
// its exponent.
type float struct{ bits, fraction, bias int }

var (
	single = float{32, 23, 127}
	half   = float{16, 10, 15}
	bfloat = float{16, 7, 127}
)

// drawer draws the inputs of one form.
type drawer struct{ source *rand.PCG }

func (d *drawer) next() uint64 { return d.source.Uint64() >> 8 }

// between returns a number from low to high.
func (d *drawer) between(low, high int) int {
	return low + int(d.next()%uint64(high-low+1))
}

// draw returns the inputs of a form, see Form.kernel. They depend on nothing but
// the form.
func (f *Form) draw(threads int) []uint64 {
	_, inputs, _ := f.resolve()
	h := fnv.New64a()
	h.Write([]byte(f.Text + f.Draw))
	d := &drawer{rand.NewPCG(h.Sum64(), 1)}
	words := strings.Fields(f.Draw)
	all := make([]uint64, len(inputs)*threads)
	for t := range threads {
		var before []uint64
		for k, o := range inputs {
			word := words[min(k, len(words)-1)]
			v := d.input(word, o.letter)
			if k > 0 && word == words[min(k-1, len(words)-1)] && o.letter == inputs[k-1].letter {
				v = d.related(word, sizes[o.letter], before, v)
			}
			before = append(before, v)
			all[k*threads+t] = v
		}
	}
	return all
}

var sizes = map[byte]int{'h': 16, 'r': 32, 'd': 64, 'p': 1}

func (d *drawer) input(kind string, letter byte) uint64 {
	if letter == 'p' {
		return d.next() & 1
	}
	return kinds[kind](d, sizes[letter])
}

// related sometimes returns a value that has to do with those before: the same,
// the negative, and for float32 numbers whose product or sum nearly vanishes.
func (d *drawer) related(kind string, size int, before []uint64, v uint64) uint64 {
	last := before[len(before)-1]
	switch d.between(0, 9) {
	case 0:
		return last
	case 1:
		if kind == "int" {
			return uint64(-int64(last)) & mask(size)
		}
		return last ^ 1<<(size-1) ^ 1<<(size/2-1)
	case 2:
		return last ^ 1
	}
	if kind == "f16" {
		return d.vanishing(size, last, v)
	}
	if kind != "f32" {
		return v
	}
	exponent := int(last >> 23 & 0xFF)
	switch pick := d.between(0, 9); {
	case pick == 0: // a product near the least normal number, or the largest
		return v&^(0xFF<<23) | uint64(min(max(128-exponent+d.between(-2, 2), 0), 255))<<23
	case pick == 1:
		return v&^(0xFF<<23) | uint64(min(max(381-exponent+d.between(-2, 2), 0), 255))<<23
	case pick == 2: // a product that is the least normal number, or just below
		return uint64(math.Float32bits(float32(0x1p-126/float64(math.Float32frombits(uint32(last)))))) ^ d.next()%2
	case pick == 3 && len(before) > 1: // a product that cancels
		x, y := math.Float32frombits(uint32(before[0])), math.Float32frombits(uint32(before[1]))
		return uint64(math.Float32bits(-float32(x*y))) ^ d.next()%2
	}
	return v
}

// vanishing sometimes gives float16 exponents that make products near the least
// normal number.
func (d *drawer) vanishing(size int, last, v uint64) uint64 {
	if d.between(0, 5) > 0 {
		return v
	}
	for i := 0; i < size; i += 16 {
		exponent := int(last >> (i + 10) & 0x1F)
		v = v&^(0x1F<<(i+10)) | uint64(min(max(16-exponent+d.between(-1, 1), 0), 31))<<(i+10)
	}
	return v
}

func mask(bits int) uint64 { return 1<<bits - 1 }

// integer draws bits.
func (d *drawer) integer(bits int) uint64 {
	v := d.next()<<32 ^ d.next()
	switch d.between(0, 8) {
	case 0, 1:
	case 2:
		v = uint64(d.between(0, 70))
	case 3:
		v = uint64(-int64(d.between(0, 70)))
	case 4:
		edges := []uint64{0, 1, 1<<(bits-1) - 1, 1 << (bits - 1), 1<<(bits-1) + 1, 1<<bits - 1}
		v = edges[d.next()%uint64(len(edges))]
	case 5:
		v = 1 << d.between(0, bits-1)
	case 6:
		v = 1<<d.between(0, bits-1) - 1
	case 7:
		v = v >> d.between(0, bits-1)
	case 8:
		v = d.codes(bits)
	}
	return v & mask(bits)
}

// codes draws bytes.
func (d *drawer) codes(bits int) (v uint64) {
	weird := []uint64{0, 0x80, 0x7F, 0xFF, 1, 0x81, 0x7E, 0xFE, 0x08, 0x38, 0x7C, 0xFC, 0x7B}
	for i := 0; i < bits; i += 8 {
		c := d.next() & 0xFF
		if d.between(0, 3) == 0 {
			c = weird[d.next()%uint64(len(weird))]
		}
		v |= c << i
	}
	return v
}

// filled fills a register with numbers.
func (d *drawer) filled(f float, bits int) (v uint64) {
	for i := 0; i < bits; i += f.bits {
		v |= d.number(f) << i
	}
	return v
}

// number draws any number of a format.
func (d *drawer) number(f float) uint64 {
	top := 2*f.bias + 1 // exponent of infinities
	fraction := d.next() & mask(f.fraction)
	sparse := d.next() & mask(f.fraction)
	sparse &= d.next()
	sparse &= d.next()
	if d.between(0, 1) == 0 {
		sparse ^= mask(f.fraction)
	}
	sign := d.next() & 1 << (f.bits - 1)
	if d.between(0, 1) == 0 {
		fraction = sparse
	}
	e := 0
	switch d.between(0, 13) {
	case 0:
		return d.next() & mask(f.bits)
	case 1, 2:
		return sign | d.special(f, top)
	case 3, 4, 5:
		e = f.bias + d.between(-3, 3)
	case 6:
		e = 0
	case 7:
		e = d.between(0, f.fraction+4)
	case 8:
		e = top - d.between(1, 4)
	case 9: // where smaller formats are subnormal
		e = f.bias - d.between(4, 28)
	case 10: // where smaller formats end
		e = f.bias + d.between(6, 18)
	case 11: // integers of all sizes
		e = f.bias + d.between(-2, 66)
	case 12: // halves of small integers
		return sign | d.halves(f)
	case 13:
		e = d.between(0, top)
	}
	return sign | uint64(min(max(e, 0), top))<<f.fraction | fraction
}

// special draws a number at an edge.
func (d *drawer) special(f float, top int) uint64 {
	one := uint64(f.bias) << f.fraction
	infinity := uint64(top) << f.fraction
	list := []uint64{
		0, 0, 1, mask(f.fraction), 1 << f.fraction, one, one - 1, one + 1, one - 1<<f.fraction, one + 1<<f.fraction,
		infinity, infinity - 1, infinity | 1, infinity | 1<<(f.fraction-1), infinity | mask(f.fraction),
	}
	return list[d.next()%uint64(len(list))]
}

// halves draws the half of an integer up to 32.
func (d *drawer) halves(f float) uint64 {
	bits := math.Float32bits(float32(d.between(0, 64)) / 2)
	if bits == 0 || f == single {
		return uint64(bits)
	}
	e := int(bits>>23) - 127 + f.bias
	return uint64(e)<<f.fraction | uint64(bits>>(23-f.fraction))&mask(f.fraction)
}

// near draws a number from 1/8 to 8.
func (d *drawer) near(f float) uint64 {
	return d.next()&1<<(f.bits-1) | uint64(f.bias+d.between(-3, 3))<<f.fraction | d.next()&mask(f.fraction)
}

// tame fills a register with numbers that are mostly near 1, and seldom of any
// kind, so that most sums of products are finite.
func (d *drawer) tame(f float, bits int) (v uint64) {
	for i := 0; i < bits; i += f.bits {
		x := d.near(f)
		switch d.between(0, 99) {
		case 0:
			x = d.number(f)
		case 1, 2, 3, 4, 5, 6:
			x = d.next() & mask(f.fraction)
		case 7, 8, 9, 10, 11, 12, 13, 14, 15:
			x = d.next()&1<<(f.bits-1) | uint64(max(f.bias+d.between(-14, 3), 0))<<f.fraction | d.next()&mask(f.fraction)
		}
		v |= x << i
	}
	return v
}
