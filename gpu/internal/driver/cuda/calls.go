//go:build cuda && cgo

package cuda

// #cgo noescape blockfp8_launch
// #cgo nocallback blockfp8_launch
// #cgo noescape blockfp8_encode_tensor_map
// #cgo nocallback blockfp8_encode_tensor_map
// #cgo noescape blockfp8_alloc_async
// #cgo nocallback blockfp8_alloc_async
// #cgo noescape blockfp8_copy_in
// #cgo nocallback blockfp8_copy_in
// #cgo noescape blockfp8_copy_out
// #cgo nocallback blockfp8_copy_out
// #include "calls.h"
import "C"

import (
	"unsafe"

	"blockfp8/gpu/internal/driver"
)

// The methods of this file are one call into C each and run on the caller's
// thread.

func (d *device) Launch(l driver.Launch) error {
	if err := l.Check(); err != nil {
		return err
	}
	numbers := l.Count
	if l.Numbers > 0 {
		numbers = l.Numbers
	}
	return check("launch", C.blockfp8_launch(C.handle(d.context), C.handle(l.Function),
		C.uint(l.Grid[0]), C.uint(l.Grid[1]), C.uint(l.Grid[2]), C.uint(l.Block[0]), C.uint(l.Block[1]), C.uint(l.Block[2]),
		C.uint(l.Shared), C.handle(l.Stream), cInt(l.Overlap), unsafe.Pointer(&l.Params), C.int(numbers), C.int(l.Count)))
}

func cInt(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (d *device) SetMaxDynamicShared(f driver.Function, bytes int) error {
	return check("set dynamic shared memory", C.blockfp8_set_max_dynamic_shared(C.handle(d.context), C.handle(f), C.int(bytes)))
}

func (d *device) AllocHost(bytes int) ([]byte, error) {
	var p unsafe.Pointer
	if err := check("allocate host memory", C.blockfp8_alloc_host(C.handle(d.context), &p, C.size_t(bytes))); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

func (d *device) FreeHost(b []byte) error {
	return check("free host memory", C.blockfp8_free_host(C.handle(d.context), unsafe.Pointer(unsafe.SliceData(b))))
}

func createPool(context uint64, device int) (uint64, error) {
	var pool C.handle
	err := check("make memory pool", C.blockfp8_create_pool(C.handle(context), &pool, C.int(device)))
	return uint64(pool), err
}

func destroyPool(context, pool uint64) error {
	if pool == 0 {
		return nil
	}
	return check("destroy memory pool", C.blockfp8_destroy_pool(C.handle(context), C.handle(pool)))
}

func (d *device) AllocAsync(s driver.Stream, bytes int64) (driver.Ptr, error) {
	if d.poolErr != nil {
		return 0, d.poolErr
	}
	var p C.uint64_t
	err := check("allocate in stream order", C.blockfp8_alloc_async(C.handle(d.context), C.handle(d.pool), C.handle(s), &p, C.size_t(bytes)))
	return driver.Ptr(p), err
}

func (d *device) FreeAsync(s driver.Stream, p driver.Ptr) error {
	return check("free in stream order", C.blockfp8_free_async(C.handle(d.context), C.handle(s), C.uint64_t(p)))
}

func (d *device) CopyIn(s driver.Stream, dst driver.Ptr, src []byte) error {
	return d.copyIn(s, dst, src, 1)
}

func (d *device) CopyInAsync(s driver.Stream, dst driver.Ptr, src []byte) error {
	return d.copyIn(s, dst, src, 0)
}

func (d *device) copyIn(s driver.Stream, dst driver.Ptr, src []byte, wait C.int) error {
	return check("copy to device", C.blockfp8_copy_in(C.handle(d.context), C.handle(s), C.uint64_t(dst),
		unsafe.Pointer(unsafe.SliceData(src)), C.size_t(len(src)), wait))
}

func (d *device) CopyOut(s driver.Stream, dst []byte, src driver.Ptr) error {
	return d.copyOut(s, dst, src, 1)
}

func (d *device) CopyOutAsync(s driver.Stream, dst []byte, src driver.Ptr) error {
	return d.copyOut(s, dst, src, 0)
}

func (d *device) copyOut(s driver.Stream, dst []byte, src driver.Ptr, wait C.int) error {
	return check("copy from device", C.blockfp8_copy_out(C.handle(d.context), C.handle(s),
		unsafe.Pointer(unsafe.SliceData(dst)), C.uint64_t(src), C.size_t(len(dst)), wait))
}

func (d *device) Copy(s driver.Stream, dst, src driver.Ptr, bytes int64) error {
	return check("copy", C.blockfp8_copy(C.handle(d.context), C.handle(s), C.uint64_t(dst), C.uint64_t(src), C.size_t(bytes)))
}

func (d *device) Fill(s driver.Stream, dst driver.Ptr, value byte, bytes int64) error {
	return check("fill", C.blockfp8_fill(C.handle(d.context), C.handle(s), C.uint64_t(dst), C.uchar(value), C.size_t(bytes)))
}

func (d *device) Sync(s driver.Stream) error {
	return check("wait for stream", C.blockfp8_sync(C.handle(d.context), C.handle(s)))
}

func (d *device) Record(e driver.Event, s driver.Stream) error {
	return check("record event", C.blockfp8_record(C.handle(d.context), C.handle(e), C.handle(s)))
}

func (d *device) Wait(s driver.Stream, e driver.Event) error {
	return check("wait for event", C.blockfp8_wait(C.handle(d.context), C.handle(s), C.handle(e)))
}

func (d *device) SyncEvent(e driver.Event) error {
	return check("wait for event", C.blockfp8_sync_event(C.handle(d.context), C.handle(e)))
}

func (d *device) BeginCapture(s driver.Stream) error {
	return check("begin capture", C.blockfp8_begin_capture(C.handle(d.context), C.handle(s)))
}

func (d *device) EndCapture(s driver.Stream) (driver.Graph, error) {
	var g C.handle
	err := check("end capture", C.blockfp8_end_capture(C.handle(d.context), C.handle(s), &g))
	return driver.Graph(g), err
}

func (d *device) LaunchGraph(g driver.Graph, s driver.Stream) error {
	return check("launch graph", C.blockfp8_launch_graph(C.handle(d.context), C.handle(g), C.handle(s)))
}

func (d *device) DestroyGraph(g driver.Graph) error {
	return check("destroy graph", C.blockfp8_destroy_graph(C.handle(d.context), C.handle(g)))
}
