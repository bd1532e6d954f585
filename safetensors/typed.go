package safetensors

import (
	"encoding/binary"
	"math"

	"blockfp8/scale"
)

// E4M3 returns the codes of an F8_E4M3 tensor, byte for byte as stored. Any
// other dtype is ErrDType; further errors are as for Read.
func (c *catalog) E4M3(name string) ([]scale.E4M3, error) {
	b, err := c.readAs(name, F8_E4M3)
	return scale.E4M3s(b), err
}

// E8M0 returns the codes of an F8_E8M0 tensor, byte for byte as stored. Any
// other dtype is ErrDType, U8 too: its bytes may mean anything. Further errors
// are as for Read.
func (c *catalog) E8M0(name string) ([]scale.E8M0, error) {
	b, err := c.readAs(name, F8_E8M0)
	return scale.E8M0s(b), err
}

// F32 returns the values of an F32 tensor. Any other dtype is ErrDType;
// further errors are as for Read.
func (c *catalog) F32(name string) ([]float32, error) {
	b, err := c.readAs(name, F32)
	return words(b), err
}

// BF16 returns the values of a BF16 tensor. Any other dtype is ErrDType;
// further errors are as for Read.
func (c *catalog) BF16(name string) ([]scale.BF16, error) {
	b, err := c.readAs(name, BF16)
	return halves[scale.BF16](b), err
}

// F16 returns the values of an F16 tensor. Any other dtype is ErrDType;
// further errors are as for Read.
func (c *catalog) F16(name string) ([]scale.FP16, error) {
	b, err := c.readAs(name, F16)
	return halves[scale.FP16](b), err
}

// Floats returns the values of an F32, BF16 or F16 tensor as float32, which
// holds all of them exactly. Any other dtype is ErrDType; further errors are as
// for Read.
func (c *catalog) Floats(name string) ([]float32, error) {
	e, err := c.find(name)
	if err != nil {
		return nil, err
	}
	switch e.DType {
	case F32:
		return c.F32(name)
	case BF16:
		v, err := c.BF16(name)
		return widen(v), err
	case F16:
		v, err := c.F16(name)
		return widen(v), err
	}
	return nil, e.fail(ErrDType, "F32, BF16 or F16", string(e.DType))
}

func (c *catalog) readAs(name string, want DType) ([]byte, error) {
	e, err := c.find(name)
	if err != nil {
		return nil, err
	}
	if e.DType != want {
		return nil, e.fail(ErrDType, string(want), string(e.DType))
	}
	return e.read()
}

func words(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

func halves[T ~uint16](b []byte) []T {
	v := make([]T, len(b)/2)
	for i := range v {
		v[i] = T(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return v
}

func widen[T interface{ Float32() float32 }](v []T) []float32 {
	w := make([]float32, len(v))
	for i := range v {
		w[i] = v[i].Float32()
	}
	return w
}
