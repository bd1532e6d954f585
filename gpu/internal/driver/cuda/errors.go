//go:build cuda && cgo

package cuda

// #include "calls.h"
import "C"

import (
	"reflect"

	"blockfp8/gpu/internal/driver"
	"gorgonia.org/cu"
)

// failure turns an error of gorgonia.org/cu into a *driver.Error, nil into nil.
func failure(op string, err error) error {
	if err == nil {
		return nil
	}
	// The type of its errors is an unexported integer, the CUresult.
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return refused(op, int(v.Int()))
	}
	return &driver.Error{Op: op, Kind: driver.ErrFailed, Text: err.Error()}
}

// check turns a CUresult into a *driver.Error, success into nil.
func check(op string, r C.CUresult) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	return refused(op, int(r))
}

func refused(op string, code int) error {
	kind := driver.ErrFailed
	switch code {
	case int(cu.OutOfMemory):
		kind = driver.ErrMemory
	case int(cu.NoDevice), int(cu.InvalidDevice), int(cu.NotInitialized), int(cu.Deinitialized):
		kind = driver.ErrUnavailable
	case int(cu.InvalidValue), int(cu.LaunchOutOfResources):
		kind = driver.ErrLaunch
	case int(cu.IllegalAddress), int(cu.MisalignedAddress), int(cu.InvalidAddressSpace), int(cu.IllegalInstruction),
		int(cu.InvalidPc), int(cu.HardwareStackError), int(cu.Assert), int(cu.LaunchFailed):
		kind = driver.ErrFault
	}
	return &driver.Error{Op: op, Kind: kind, Code: code, Text: C.GoString(C.blockfp8_error_text(C.int(code)))}
}
