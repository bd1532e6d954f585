package ref

import (
	"testing"

	"blockfp8/ref/internal/avx2"
)

// WithoutVectors runs a test in plain Go, whatever the processor can do.
func WithoutVectors(t *testing.T, test func(t *testing.T)) {
	without(t, &useVectors, test)
}

// WithoutAVX512 runs a test with AVX2 at most.
func WithoutAVX512(t *testing.T, test func(t *testing.T)) {
	without(t, &avx2.UseAVX512, test)
}

func without(t *testing.T, feature *bool, test func(t *testing.T)) {
	was := *feature
	*feature = false
	defer func() { *feature = was }()
	test(t)
}

// WideWindow and Floor are what the kernels know of a datapath.
func (d Datapath) WideWindow() avx2.Window { return d.wideWindow() }
func (d Datapath) Floor() float32          { return d.floor() }
