//go:build cuda && cgo

package cuda

import (
	"fmt"

	"blockfp8/gpu/internal/driver"
	"gorgonia.org/cu"
)

// device implements driver.Device. The methods of this file make and destroy
// objects and run on the worker's thread.
type device struct {
	number          cu.Device
	name            string
	arch            driver.Arch
	multiprocessors int
	version         int // asked for once: every plan reads it, and asking allocates
	context         uint64
	pool            uint64 // of stream-ordered memory
	poolErr         error  // why there is no pool
	worker          *worker
}

func (d *device) Name() string         { return d.name }
func (d *device) Arch() driver.Arch    { return d.arch }
func (d *device) Multiprocessors() int { return d.multiprocessors }

// Version is that of CUDA in the driver, whose compiler compiles the PTX.
func (d *device) Version() int { return d.version }

func (d *device) MemoryInfo() (free, total int64, err error) {
	err = d.worker.do("ask for memory", func() (err error) {
		free, total, err = cu.MemInfo()
		return err
	})
	return free, total, err
}

func (d *device) Alloc(bytes int64) (driver.Ptr, error) {
	var p cu.DevicePtr
	err := d.worker.do(fmt.Sprintf("allocate %d bytes", bytes), func() (err error) {
		p, err = cu.MemAlloc(bytes)
		return err
	})
	return driver.Ptr(p), err
}

func (d *device) Free(p driver.Ptr) error {
	return d.worker.do("free memory", func() error { return cu.MemFree(cu.DevicePtr(p)) })
}

func (d *device) UnloadModule(m driver.Module) error {
	return d.worker.do("unload module", func() error { return fromHandle[cu.Module](uint64(m)).Unload() })
}

func (d *device) Function(m driver.Module, name string) (driver.Function, error) {
	var f cu.Function
	err := d.worker.do("find kernel "+name, func() (err error) {
		f, err = fromHandle[cu.Module](uint64(m)).Function(name)
		return err
	})
	return driver.Function(handleOf(f)), err
}

func (d *device) NewStream() (driver.Stream, error) {
	var s cu.Stream
	err := d.worker.do("make stream", func() (err error) {
		s, err = cu.MakeStream(cu.NonBlocking)
		return err
	})
	return driver.Stream(handleOf(s)), err
}

func (d *device) DestroyStream(s driver.Stream) error {
	return d.worker.do("destroy stream", func() error {
		stream := fromHandle[cu.Stream](uint64(s))
		return stream.Destroy()
	})
}

func (d *device) NewEvent() (driver.Event, error) {
	var e cu.Event
	err := d.worker.do("make event", func() (err error) {
		e, err = cu.MakeEvent(cu.DefaultEvent)
		return err
	})
	return driver.Event(handleOf(e)), err
}

func (d *device) DestroyEvent(e driver.Event) error {
	return d.worker.do("destroy event", func() error {
		event := fromHandle[cu.Event](uint64(e))
		return cu.DestroyEvent(&event)
	})
}

func (d *device) Elapsed(from, to driver.Event) (ms float64, err error) {
	err = d.worker.do("time events", func() (err error) {
		ms, err = fromHandle[cu.Event](uint64(from)).Elapsed(fromHandle[cu.Event](uint64(to)))
		return err
	})
	return ms, err
}
