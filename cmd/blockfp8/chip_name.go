package main

import (
	"strconv"
	"strings"

	"blockfp8/gpu"
	"blockfp8/scale"
)

// chipName is a compute capability as written in flags, such as sm_120.
type chipName gpu.Arch

// UnmarshalText reads sm_MAJORMINOR, of which the minor number is one digit.
func (c *chipName) UnmarshalText(text []byte) error {
	digits, ok := strings.CutPrefix(string(text), "sm_")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 10 || n > 999 {
		return &scale.Mismatch{Kind: scale.ErrOption, What: "chip", Want: "a name such as sm_120", Got: strconv.Quote(string(text))}
	}
	*c = chipName{Major: n / 10, Minor: n % 10}
	return nil
}

func (c chipName) String() string { return gpu.Arch(c).String() }
