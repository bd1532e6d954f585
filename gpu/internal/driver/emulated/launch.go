package emulated

import (
	"slices"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/ptx/interp"
)

// Limits of every chip.
const (
	maxGridX, maxGridYZ        = 1<<31 - 1, 65535
	maxThreads, maxBlockThirds = 1024, 64
)

// Launch implements driver.Device. Unlike a CUDA device it allocates host memory,
// to remember the launch until it is run. A finding of the interpreter is a fault
// that stays with the device.
func (d *Device) Launch(l driver.Launch) error {
	if err := l.Check(); err != nil {
		return err
	}
	const op = "launch"
	if err := d.begin(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	s, err := d.stream(l.Stream, op)
	if err != nil {
		return err
	}
	f, ok := d.functions[l.Function]
	if !ok {
		return refused(op, "there is no function %d", l.Function)
	}
	if err := f.check(&l); err != nil {
		return err
	}
	launch := interp.Launch{Grid: l.Grid, Block: l.Block, Shared: l.Shared, Params: slices.Clone(l.Params[:l.Count])}
	s.add(operation{name: "launch " + f.name, do: func() error { return d.run(f, launch) }})
	return nil
}

// check tells whether the device takes a launch.
func (f *function) check(l *driver.Launch) error {
	op := "launch " + f.name
	most := maxThreads
	if f.maxThreads > 0 {
		most = min(most, f.maxThreads)
	}
	threads := uint64(l.Block[0]) * uint64(l.Block[1])
	switch {
	case l.Grid[0] > maxGridX || l.Grid[1] > maxGridYZ || l.Grid[2] > maxGridYZ:
		return refusedLaunch(op, "a grid of %v blocks; at most [%d %d %d]", l.Grid, maxGridX, maxGridYZ, maxGridYZ)
	case l.Block[2] > maxBlockThirds || threads > maxThreads || threads*uint64(l.Block[2]) > uint64(most):
		return refusedLaunch(op, "a block of %v threads; at most %d in all and %d along z", l.Block, most, maxBlockThirds)
	case int(l.Shared) > f.dynamic:
		return refusedLaunch(op, "%d bytes of dynamic shared memory; at most %d without SetMaxDynamicShared", l.Shared, f.dynamic)
	case l.Count != f.params:
		return refusedLaunch(op, "%d words of parameters; the kernel has %d", l.Count, f.params)
	}
	return nil
}

// run runs a kernel and counts what it did.
func (d *Device) run(f *function, l interp.Launch) error {
	did, err := f.kernel.Run(d.space, l)
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.launches[f.name]
	if c == nil {
		c = &KernelCounters{Kernel: f.name}
		d.launches[f.name] = c
	}
	c.Launches++
	c.Add(did)
	return err
}
