//go:build !cuda || !cgo

package cuda

import (
	"errors"
	"strings"
	"testing"

	"blockfp8/gpu/internal/driver"
)

func TestStubSaysWhy(t *testing.T) {
	_, err := Open(0)
	if !errors.Is(err, driver.ErrUnavailable) || !strings.Contains(err.Error(), "-tags cuda") {
		t.Error(err)
	}
	if n, err := Count(); n != 0 || !errors.Is(err, driver.ErrUnavailable) {
		t.Error(n, err)
	}
}
