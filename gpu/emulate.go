package gpu

import (
	"fmt"
	"slices"

	"blockfp8/gpu/internal/driver/emulated"
)

// Emulate returns a device that runs this module's kernels in pure Go: the PTX
// that a card of that compute capability would be given, instruction by
// instruction, with the arithmetic of that card's matrix instructions. It needs no
// GPU, no driver and no build tag, and works on every platform.
//
// Exact are the bits of every result, and the order that streams, events and
// graphs promise. Also watched, and an error that wraps ErrFault and names the
// line of the kernel's source, are accesses outside of memory or misaligned, reads
// of what was never written, races in shared memory, asynchronous copies nobody
// waited for and barriers not all threads reach. Not modelled are time, caches and
// register pressure: durations are those of the host.
//
// The chips are sm_89, sm_90, sm_120 and sm_121. Others are ErrUnsupported. The
// device uses all cores; it is safe for concurrent use like any other.
func Emulate(arch Arch) (*Device, error) {
	if archs := emulated.Archs(); !slices.Contains(archs, arch) {
		return nil, unsupported(arch, fmt.Sprintf("the emulated chips are %v", archs))
	}
	d, err := emulated.Open(arch, emulated.Options{Check: true})
	if err != nil {
		return nil, err
	}
	return newDevice(d), nil
}

// KernelCounters is what the launches of one kernel on an emulated device did:
// instructions, bytes, requests, conflicts.
type KernelCounters = emulated.KernelCounters

// Counters returns what the kernels of an emulated device have done since it was
// opened, by the kernel's name. Work that was not waited for may be missing. It is
// nil for a device that is not emulated.
func (d *Device) Counters() []KernelCounters {
	e, ok := d.drv.(*emulated.Device)
	if !ok {
		return nil
	}
	return e.Counters()
}
