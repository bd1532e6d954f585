package fuzz

import (
	"encoding/hex"
	"fmt"
	"strconv"
)

// Hex is bytes that are written as hexadecimal digits in files.
type Hex []byte

// MarshalText writes two digits per byte.
func (h Hex) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(h)), nil }

// UnmarshalText reads what MarshalText writes.
func (h *Hex) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	*h = b
	return err
}

// Bits is the bits of a float32, which no text of a number would keep for NaN.
type Bits uint32

// MarshalText writes eight hexadecimal digits.
func (b Bits) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%08x", uint32(b)), nil }

// UnmarshalText reads what MarshalText writes.
func (b *Bits) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 16, 32)
	*b = Bits(v)
	return err
}
