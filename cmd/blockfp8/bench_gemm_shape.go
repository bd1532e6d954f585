package main

import (
	"fmt"
	"strconv"
	"strings"

	"blockfp8/scale"
)

// gemmShape is a weight [N,K] as written in flags, such as 4096x8192.
type gemmShape struct{ N, K int }

// UnmarshalText reads NxK.
func (s *gemmShape) UnmarshalText(text []byte) error {
	left, right, ok := strings.Cut(string(text), "x")
	n, errN := strconv.Atoi(left)
	k, errK := strconv.Atoi(right)
	if !ok || errN != nil || errK != nil || n < 1 || k < 1 || k > maxElements/n {
		return &scale.Mismatch{
			Kind: scale.ErrShape, What: "weight", Want: fmt.Sprintf("NxK such as 4096x8192, of at most %d elements", maxElements),
			Got: strconv.Quote(string(text)),
		}
	}
	*s = gemmShape{n, k}
	return nil
}

func (s gemmShape) String() string { return fmt.Sprintf("%dx%d", s.N, s.K) }
