//go:build !cuda

package gpu

import (
	"errors"
	"strings"
	"testing"
)

// A program that was built without CUDA says so, and how to build one with it.
func TestUnavailableWithoutTag(t *testing.T) {
	_, err := Open(0)
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "-tags cuda") {
		t.Errorf("Open: %v", err)
	}
	n, err := Devices()
	if n != 0 || !errors.Is(err, ErrUnavailable) {
		t.Errorf("Devices: %d, %v", n, err)
	}
}
