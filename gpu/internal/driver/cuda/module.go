//go:build cuda && cgo

package cuda

// #include <stdlib.h>
// #include "calls.h"
import "C"

import (
	"unsafe"

	"blockfp8/gpu/internal/driver"
)

const jitLogBytes = 16 << 10

func (d *device) LoadModule(name, ptx string) (driver.Module, error) {
	text := C.CString(ptx)
	defer C.free(unsafe.Pointer(text))
	log := C.calloc(1, jitLogBytes)
	defer C.free(log)
	var m C.handle
	// One byte of the log stays 0, whatever the compiler writes.
	err := check("load module", C.blockfp8_load(C.handle(d.context), &m, unsafe.Pointer(text), log, jitLogBytes-1))
	if err != nil {
		return 0, &driver.JITError{File: name, Device: d.name, Arch: d.arch, Target: driver.Target(ptx), Log: C.GoString((*C.char)(log)), Cause: err}
	}
	return driver.Module(m), nil
}
