//go:build cuda && cgo

package cuda

import (
	"unsafe"

	"gorgonia.org/cu"
)

// The handle types of gorgonia.org/cu are structs of one C pointer; a test holds
// them to that.
type pointerStruct interface {
	cu.CUContext | cu.Stream | cu.Event | cu.Module | cu.Function
}

// handleOf returns the C pointer in h as a number.
func handleOf[T pointerStruct](h T) uint64 { return *(*uint64)(unsafe.Pointer(&h)) }

// fromHandle is the inverse of handleOf.
func fromHandle[T pointerStruct](v uint64) T { return *(*T)(unsafe.Pointer(&v)) }
