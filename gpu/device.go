package gpu

import (
	"fmt"
	"sync"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/driver/cuda"
)

// Arch is a compute capability: {9, 0} is Hopper, {12, 0} an RTX PRO 6000.
type Arch = driver.Arch

// Device is one GPU. It is safe for concurrent use by any number of goroutines;
// none of them needs runtime.LockOSThread.
//
// Streams, buffers, weights and graphs belong to the device that made them and
// end with it.
type Device struct {
	drv     driver.Device
	modules modules
	lanes   lanes

	// life guards every validity flag of the device and of what belongs to it.
	// Work is given to the driver under a read lock, after its handles were
	// checked; a flag falls under the write lock, held for no longer than that. So
	// once a flag has fallen, all work that saw it standing is in its stream.
	life   sync.RWMutex
	closed bool
	users  sync.WaitGroup // calls in progress that life does not cover

	registry registry
}

// Devices returns the number of devices, or ErrUnavailable with the reason why
// devices cannot be reached.
func Devices() (int, error) { return cuda.Count() }

// Open opens device ordinal, counted from 0. Without the build tag cuda, without
// a driver or without such a device the error wraps ErrUnavailable and says why.
// Opening a device twice gives two Devices that share nothing.
func Open(ordinal int) (*Device, error) {
	d, err := cuda.Open(ordinal)
	if err != nil {
		return nil, err
	}
	return newDevice(d), nil
}

func newDevice(d driver.Device) *Device {
	dev := &Device{drv: d}
	dev.lanes.init(dev)
	return dev
}

// Name returns the product's name.
func (d *Device) Name() string { return d.drv.Name() }

// Arch returns the compute capability.
func (d *Device) Arch() Arch { return d.drv.Arch() }

// Multiprocessors returns the number of streaming multiprocessors.
func (d *Device) Multiprocessors() int { return d.drv.Multiprocessors() }

// MemoryInfo returns the bytes of device memory that are free and that exist.
func (d *Device) MemoryInfo() (free, total int64, err error) {
	if err := d.enter(); err != nil {
		return 0, 0, err
	}
	defer d.leave()
	return d.drv.MemoryInfo()
}

// Allocated returns the bytes of device memory that this Device's weights,
// buffers and host calls hold, and the number of allocations made so far.
func (d *Device) Allocated() (bytes, allocations int64) { return d.registry.allocated() }

// Close waits for all work of the device, frees everything that belongs to it and
// ends it. Later use of the device or of anything that belongs to it is ErrClosed.
// Closing twice is ErrClosed too.
func (d *Device) Close() error {
	d.life.Lock()
	wasClosed := d.closed
	d.closed = true
	d.life.Unlock()
	if wasClosed {
		return d.closedError()
	}
	d.users.Wait()
	err := d.registry.releaseAll(d.drv)
	if modulesErr := d.modules.unload(d.drv); err == nil {
		err = modulesErr
	}
	if closeErr := d.drv.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (d *Device) closedError() error {
	return &handleError{what: fmt.Sprintf("device %q", d.drv.Name()), kind: ErrClosed}
}

// enter lets a call use the driver until leave, or fails if the device is closed.
func (d *Device) enter() error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return d.closedError()
	}
	d.users.Add(1)
	return nil
}

func (d *Device) leave() { d.users.Done() }

// fall runs flip, which takes a validity flag down, while no work is being given
// to the driver.
func (d *Device) fall(flip func()) {
	d.life.Lock()
	flip()
	d.life.Unlock()
}
