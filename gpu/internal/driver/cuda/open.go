//go:build cuda && cgo

package cuda

import (
	"errors"
	"fmt"

	"blockfp8/gpu/internal/driver"
	"gorgonia.org/cu"
)

// Count returns the number of devices.
func Count() (int, error) {
	n, err := cu.NumDevices()
	return n, failure("count devices", err)
}

// Open opens device ordinal, counted from 0. A device that does not exist is
// driver.ErrUnavailable.
func Open(ordinal int) (driver.Device, error) {
	n, err := Count()
	if err != nil {
		return nil, err
	}
	op := fmt.Sprintf("open device %d", ordinal)
	if ordinal < 0 || ordinal >= n {
		return nil, &driver.Error{Op: op, Kind: driver.ErrUnavailable, Text: fmt.Sprintf("there are %d devices", n)}
	}
	number, err := cu.GetDevice(ordinal)
	if err != nil {
		return nil, failure(op, err)
	}
	d := &device{number: number}
	if err := d.describe(); err != nil {
		return nil, failure(op, err)
	}
	ctx, err := number.RetainPrimaryCtx()
	if err != nil {
		return nil, failure(op, err)
	}
	d.context = handleOf(ctx)
	// Only a weight that is upcast at each call needs the pool: a device that has
	// none does everything else.
	d.pool, d.poolErr = createPool(d.context, ordinal)
	if d.worker, err = startWorker(ctx); err != nil {
		return nil, joinRelease(errors.Join(err, destroyPool(d.context, d.pool)), number)
	}
	return d, nil
}

// joinRelease gives back the context of a device that could not be opened. The
// reason for that is the error to report.
func joinRelease(err error, number cu.Device) error {
	if released := number.ReleasePrimaryCtx(); released != nil {
		return fmt.Errorf("%w (and the context stays: %v)", err, released)
	}
	return err
}

// describe asks for what does not change.
func (d *device) describe() (err error) {
	if d.name, err = d.number.Name(); err != nil {
		return err
	}
	if d.arch.Major, err = d.number.Attribute(cu.ComputeCapabilityMajor); err != nil {
		return err
	}
	if d.arch.Minor, err = d.number.Attribute(cu.ComputeCapabilityMinor); err != nil {
		return err
	}
	d.version = cu.Version()
	d.multiprocessors, err = d.number.Attribute(cu.MultiprocessorCount)
	return err
}

// Close stops the worker and releases the primary context, which is destroyed
// with its memory if nobody else in the process holds it.
func (d *device) Close() error {
	d.worker.stop()
	return errors.Join(destroyPool(d.context, d.pool), failure("close device", d.number.ReleasePrimaryCtx()))
}
