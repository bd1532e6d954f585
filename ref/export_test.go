package ref

import "testing"

// WithoutVectors runs a test in plain Go, whatever the processor can do.
func WithoutVectors(t *testing.T, test func(t *testing.T)) {
	was := useVectors
	useVectors = false
	defer func() { useVectors = was }()
	test(t)
}
