package emulated

import (
	"cmp"
	"slices"

	"blockfp8/gpu/internal/ptx/interp"
)

// KernelCounters is what all finished launches of a kernel did together.
type KernelCounters struct {
	Kernel   string
	Launches uint64
	interp.Counters
}

// Counters returns what the kernels of this device did since it was opened, by
// name. Launches that were not waited for may be missing. It works after a fault
// and after Close.
func (d *Device) Counters() []KernelCounters {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]KernelCounters, 0, len(d.launches))
	for _, c := range d.launches {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b KernelCounters) int { return cmp.Compare(a.Kernel, b.Kernel) })
	return all
}
