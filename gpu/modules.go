package gpu

import (
	"embed"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"blockfp8/gpu/internal/driver"
)

//go:embed kernels/*.ptx
var ptx embed.FS

// modules compiles kernels when they are first used and keeps them.
type modules struct {
	mu     sync.Mutex
	loaded map[string]driver.Module
	// The kernels' functions, 0 until they are compiled.
	ofForm   [len(forms)]atomic.Uint64
	ofHelper [len(helpers)]atomic.Uint64
}

func (d *Device) formFunction(form int) (driver.Function, error) {
	if kept := d.modules.ofForm[form].Load(); kept != 0 {
		return driver.Function(kept), nil
	}
	f := &forms[form]
	return d.compile(&d.modules.ofForm[form], f.file(), f.name, f.maxShared())
}

func (d *Device) helperFunction(h helper) (driver.Function, error) {
	if kept := d.modules.ofHelper[h].Load(); kept != 0 {
		return driver.Function(kept), nil
	}
	return d.compile(&d.modules.ofHelper[h], h.file(), helpers[h].name, 0)
}

// file names the PTX that a form is in: one for each level of a family.
func (f *form) file() string { return fmt.Sprintf("%s_l%d", families[f.family].name, f.level) }

func (h helper) file() string {
	if h < quantizeF32Helper {
		return "upcast_e8m0"
	}
	return "quantize_activations"
}

// compile finds a function in its module, which it compiles if this is the first
// function of it, and keeps it.
func (d *Device) compile(kept *atomic.Uint64, file, name string, shared int) (driver.Function, error) {
	m := &d.modules
	m.mu.Lock()
	defer m.mu.Unlock()
	module, err := m.load(d.drv, file)
	if err != nil {
		return 0, err
	}
	f, err := d.drv.Function(module, name)
	if err != nil {
		return 0, err
	}
	if shared > 0 {
		if err := d.drv.SetMaxDynamicShared(f, shared); err != nil {
			return 0, err
		}
	}
	kept.Store(uint64(f))
	return f, nil
}

func (m *modules) load(drv driver.Device, file string) (driver.Module, error) {
	if module, ok := m.loaded[file]; ok {
		return module, nil
	}
	name := file + ".ptx"
	text, err := ptx.ReadFile("kernels/" + name)
	if err != nil {
		return 0, &handleError{what: "kernel " + file, kind: ErrUnsupported, why: "its PTX is not part of this build"}
	}
	module, err := drv.LoadModule(name, string(text))
	if err != nil {
		return 0, err
	}
	if m.loaded == nil {
		m.loaded = map[string]driver.Module{}
	}
	m.loaded[file] = module
	return module, nil
}

// unload gives all modules back. No kernel runs any more.
func (m *modules) unload(drv driver.Device) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, module := range m.loaded {
		errs = append(errs, drv.UnloadModule(module))
	}
	m.loaded = nil
	return errors.Join(errs...)
}
