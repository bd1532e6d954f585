//go:build cuda && cgo

package cuda

import (
	"testing"
	"unsafe"

	"gorgonia.org/cu"
)

// handleOf reinterprets these types; a release of gorgonia.org/cu that gives them
// another field must fail here.
func TestHandlesAreOnePointer(t *testing.T) {
	const pointer = unsafe.Sizeof(uintptr(0))
	for name, size := range map[string]uintptr{
		"CUContext": unsafe.Sizeof(cu.CUContext{}),
		"Stream":    unsafe.Sizeof(cu.Stream{}),
		"Event":     unsafe.Sizeof(cu.Event{}),
		"Module":    unsafe.Sizeof(cu.Module{}),
		"Function":  unsafe.Sizeof(cu.Function{}),
	} {
		if size != pointer {
			t.Errorf("cu.%s has %d bytes, want %d", name, size, pointer)
		}
	}
	if got := handleOf(fromHandle[cu.Function](42)); got != 42 {
		t.Errorf("a handle of 42 came back as %d", got)
	}
}
