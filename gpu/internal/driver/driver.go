// Package driver says what this module needs of a device: memory, copies,
// modules of PTX, launches, streams, events and graphs. Implementations are a
// CUDA driver (package cuda) and an interpreter of PTX (package emulated); nothing
// here is of CUDA, handles are plain numbers.
//
// Every method of a [Device] is safe for concurrent use by any number of
// goroutines. A handle is only valid on the device that made it. No method
// panics; a failed call is an error that wraps an [*Error].
package driver

import "fmt"

// Ptr is an address in device memory; 0 is no memory.
type Ptr uint64

// The handles of a device. Stream 0 is the device's default stream; the zero
// value of the others is no object.
type (
	Stream   uint64
	Event    uint64
	Module   uint64
	Function uint64
	Graph    uint64
)

// Arch is a compute capability, such as {9, 0}.
type Arch struct{ Major, Minor int }

// String names the architecture as compilers do: sm_90, sm_120.
func (a Arch) String() string { return fmt.Sprintf("sm_%d%d", a.Major, a.Minor) }

// Device is one device with its context.
//
// Work given to one stream happens in the order it was given; work in different
// streams has no order except what events make. Methods that take a stream and
// do not say otherwise return before the work is done, and may be called while
// the stream is being captured.
type Device interface {
	// Name is the product's name, Arch its compute capability.
	Name() string
	Arch() Arch
	// Version is that of the compiler that LoadModule uses, 1000*major + 10*minor;
	// 0 where compiling cannot change results.
	Version() int
	// Multiprocessors is the number of processors that blocks are spread over.
	Multiprocessors() int
	// MemoryInfo returns the bytes of device memory, free and in total.
	MemoryInfo() (free, total int64, err error)

	// Alloc returns device memory at an address that is a multiple of 256. Its
	// contents are undefined. bytes must be positive.
	Alloc(bytes int64) (Ptr, error)
	// Free gives memory of Alloc back. The caller sees to it that no work uses
	// it any more.
	Free(p Ptr) error
	// AllocAsync and FreeAsync do the same in stream order: the memory may be used
	// by later work of the stream only, and is given back after earlier work.
	AllocAsync(s Stream, bytes int64) (Ptr, error)
	FreeAsync(s Stream, p Ptr) error
	// AllocHost returns host memory that asynchronous copies may use. The
	// garbage collector does not know it: it lives until FreeHost.
	AllocHost(bytes int) ([]byte, error)
	FreeHost(b []byte) error

	// CopyIn copies src to the device in stream order and waits until src may be
	// changed. CopyOut copies to dst in stream order and waits until it is there.
	// Neither may be called while the stream is being captured.
	CopyIn(s Stream, dst Ptr, src []byte) error
	CopyOut(s Stream, dst []byte, src Ptr) error
	// CopyInAsync and CopyOutAsync do not wait. The host side is memory of
	// AllocHost, left alone until the stream has done the copy.
	CopyInAsync(s Stream, dst Ptr, src []byte) error
	CopyOutAsync(s Stream, dst []byte, src Ptr) error
	// Copy copies within the device; the ranges must not overlap.
	Copy(s Stream, dst, src Ptr, bytes int64) error
	// Fill sets bytes to a value.
	Fill(s Stream, dst Ptr, value byte, bytes int64) error

	// LoadModule compiles the text of a PTX file for this device. name stands for
	// the file in messages. A failure is a *JITError.
	LoadModule(name, ptx string) (Module, error)
	UnloadModule(m Module) error
	Function(m Module, name string) (Function, error)
	// SetMaxDynamicShared lets launches of f ask for that many bytes of dynamic
	// shared memory.
	SetMaxDynamicShared(f Function, bytes int) error
	// EncodeTensorMap returns the form in which kernels take a tensor map, for
	// Launch.PushMap. It reads no memory of the device and allocates nothing. A map
	// that fails its Check is ErrTensorMap, a device without them ErrUnsupported.
	EncodeTensorMap(m TensorMap) ([TensorMapWords]uint64, error)
	// Launch starts a kernel. It allocates nothing.
	Launch(l Launch) error

	NewStream() (Stream, error)
	// DestroyStream does not wait; work in the stream still gets done.
	DestroyStream(s Stream) error
	// Sync waits for all work of the stream.
	Sync(s Stream) error

	NewEvent() (Event, error)
	DestroyEvent(e Event) error
	// Record marks the work given to the stream so far; Wait makes later work of
	// the stream wait for the mark; SyncEvent waits for it here.
	Record(e Event, s Stream) error
	Wait(s Stream, e Event) error
	SyncEvent(e Event) error
	// Elapsed returns the milliseconds of the device's clock between two marks
	// that both have happened.
	Elapsed(from, to Event) (float64, error)

	// BeginCapture makes the stream collect work instead of doing it, until
	// EndCapture returns what was collected, ready to launch. Begin and end may
	// be called from different goroutines.
	BeginCapture(s Stream) error
	EndCapture(s Stream) (Graph, error)
	LaunchGraph(g Graph, s Stream) error
	DestroyGraph(g Graph) error

	// Close ends the use of the device. Memory and objects that were not given
	// back are lost. No other method may be called after or during Close.
	Close() error
}
