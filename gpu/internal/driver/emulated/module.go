package emulated

import (
	"errors"
	"fmt"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/ptx"
	"blockfp8/gpu/internal/ptx/interp"
	"blockfp8/gpu/internal/ptx/memory"
)

// module is the functions of a PTX text by name.
type module map[string]*function

// function is a kernel with what launches of it may ask for.
type function struct {
	name       string
	kernel     kernel
	handle     driver.Function // 0 until somebody asks for it
	params     int             // words of 8 bytes
	maxThreads int             // of a block, 0 for no limit but the chip's
	static     int             // bytes of shared memory that the kernel declares
	dynamic    int             // bytes of it that a launch may add; guarded by the device's lock
}

// kernel is what runs: an *interp.Kernel, or what a test puts in its place.
type kernel interface {
	Run(space *memory.Space, l interp.Launch) (interp.Counters, error)
}

// compiler makes kernels out of a PTX text.
type compiler func(name, text string, c chip, o Options) (module, error)

// defaultShared is the shared memory of a block that a launch may have without
// asking for more.
const defaultShared = 48 << 10

var errTarget = errors.New("no code for this chip")

func compilePTX(name, text string, c chip, o Options) (module, error) {
	parsed, err := ptx.Parse(name, text)
	if err != nil {
		return nil, err
	}
	if !runs(parsed.Target, c.arch) {
		return nil, fmt.Errorf("%s: %w: %s does not run on %v", name, errTarget, parsed.Target, c.arch)
	}
	program, err := interp.Compile(parsed, c.interp(), interp.Options{Check: o.Check, Limit: o.Limit})
	if err != nil {
		return nil, err
	}
	m := module{}
	for _, f := range parsed.Functions {
		if f.Entry {
			k := program.Kernel(f.Name)
			static := staticShared(parsed.Variables) + staticShared(f.Variables)
			m[f.Name] = &function{
				name: f.Name, kernel: k, params: k.ParamWords(), maxThreads: f.MaxThreads,
				static: static, dynamic: max(0, defaultShared-static),
			}
		}
	}
	return m, nil
}

func staticShared(variables []ptx.Variable) int {
	bytes := 0
	for _, v := range variables {
		if v.Space == ptx.Shared && !v.Extern {
			align := max(1, v.Align)
			bytes = (bytes+align-1)/align*align + v.Size
		}
	}
	return bytes
}

// LoadModule implements driver.Device. The log of a *driver.JITError has the file
// and line of the first fault.
func (d *Device) LoadModule(name, text string) (driver.Module, error) {
	const op = "load module"
	if err := d.begin(op); err != nil {
		return 0, err
	}
	d.mu.Unlock() // compiling takes its time
	m, err := d.compile(name, text, d.chip, d.options)
	if err != nil {
		return 0, &driver.JITError{
			File: name, Device: d.Name(), Arch: d.chip.arch, Target: driver.Target(text), Log: err.Error(),
			Cause: refused(op, "the compiler failed"),
		}
	}
	if err := d.begin(op); err != nil {
		return 0, err
	}
	defer d.mu.Unlock()
	h := newHandle[driver.Module]()
	d.modules[h] = m
	return h, nil
}

// UnloadModule implements driver.Device. Launches that are in a stream still get
// done.
func (d *Device) UnloadModule(h driver.Module) error {
	const op = "unload module"
	if err := d.enter(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	m, ok := d.modules[h]
	if !ok {
		return refused(op, "there is no module %d", h)
	}
	for _, f := range m {
		delete(d.functions, f.handle)
	}
	delete(d.modules, h)
	return nil
}

// Function implements driver.Device.
func (d *Device) Function(h driver.Module, name string) (driver.Function, error) {
	op := "find kernel " + name
	if err := d.begin(op); err != nil {
		return 0, err
	}
	defer d.mu.Unlock()
	m, ok := d.modules[h]
	if !ok {
		return 0, refused(op, "there is no module %d", h)
	}
	f, ok := m[name]
	if !ok {
		return 0, refused(op, "the module has none of that name")
	}
	if f.handle == 0 {
		f.handle = newHandle[driver.Function]()
		d.functions[f.handle] = f
	}
	return f.handle, nil
}

// SetMaxDynamicShared implements driver.Device.
func (d *Device) SetMaxDynamicShared(h driver.Function, bytes int) error {
	const op = "set dynamic shared memory"
	if err := d.begin(op); err != nil {
		return err
	}
	defer d.mu.Unlock()
	f, ok := d.functions[h]
	if !ok {
		return refused(op, "there is no function %d", h)
	}
	if bytes < 0 || bytes > d.chip.sharedPerBlock-f.static {
		return refusedLaunch(op, "%d bytes; a block on %v has %d, of which the kernel declares %d", bytes, d.chip.arch, d.chip.sharedPerBlock, f.static)
	}
	f.dynamic = bytes
	return nil
}
