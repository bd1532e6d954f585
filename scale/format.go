package scale

import (
	"fmt"
	"math"
	"strconv"
)

// Format is an output format of a matrix multiplication. The zero value is
// Float32.
type Format uint8

// The output formats.
const (
	Float32 Format = iota
	BFloat16
	Float16
)

func (f Format) String() string {
	switch f {
	case Float32:
		return "float32"
	case BFloat16:
		return "bf16"
	case Float16:
		return "fp16"
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// ParseFormat reads what String writes: float32, bf16 or fp16.
func ParseFormat(name string) (Format, error) {
	for _, f := range []Format{Float32, BFloat16, Float16} {
		if f.String() == name {
			return f, nil
		}
	}
	return 0, &Mismatch{Kind: ErrOption, What: "output format", Want: "float32, bf16 or fp16", Got: strconv.Quote(name)}
}

// Valid reports whether f is one of the three formats.
func (f Format) Valid() bool { return f <= Float16 }

// Round rounds x once, to nearest, ties to even, and returns the result as the
// float32 that has the same value: float32 holds every value of all three
// formats.
func (f Format) Round(x float64) float32 {
	switch f {
	case BFloat16:
		return BF16FromFloat64(x).Float32()
	case Float16:
		return FP16FromFloat64(x).Float32()
	}
	return float32(x)
}

// Bits returns the bit pattern of v in format f. v must be a value of f, as
// Round returns it; otherwise it is rounded.
func (f Format) Bits(v float32) uint32 {
	switch f {
	case BFloat16:
		return uint32(BF16FromFloat32(v))
	case Float16:
		return uint32(FP16FromFloat32(v))
	}
	return math.Float32bits(v)
}

// Width returns the number of bits of a stored value.
func (f Format) Width() int {
	if f == Float32 {
		return 32
	}
	return 16
}
