package emulated

import (
	"fmt"
	"sync"
	"sync/atomic"

	"blockfp8/gpu/internal/driver"
	"blockfp8/gpu/internal/ptx/memory"
)

// Options of a device.
type Options struct {
	// Check looks for races, undefined reads and copies that nobody waited for.
	// Bounds, alignment and barriers are checked always.
	Check bool
	// Lazy keeps work in its stream until somebody waits for it, so that what must
	// not depend on when work is done is seen to depend on it.
	Lazy bool
	// Limit is how many instructions a warp may run before its kernel is a fault; 0
	// stands for a number far beyond any kernel that ends.
	Limit uint64
}

// Device is an emulated device. It implements driver.Device, and is safe for
// concurrent use in the way that driver.Device says.
type Device struct {
	chip    chip
	options Options
	space   *memory.Space
	compile compiler
	active  sync.WaitGroup // streams that are working

	// mu guards all below and the fields of streams, events and graphs.
	mu        sync.Mutex
	closed    bool
	fault     error // the first that work committed; all later calls return it
	streams   map[driver.Stream]*stream
	events    map[driver.Event]*event
	modules   map[driver.Module]module
	functions map[driver.Function]*function
	graphs    map[driver.Graph]*graph
	pinned    map[*byte]int
	promised  map[driver.Ptr]int64 // memory of AllocAsync that nobody has freed
	launches  map[string]*KernelCounters
}

var _ driver.Device = (*Device)(nil)

// Open returns a new device of a compute capability, one of Archs. Two devices
// share nothing. The error is a *driver.Error that wraps driver.ErrUnavailable.
func Open(arch driver.Arch, o Options) (*Device, error) {
	c, ok := chipOf(arch)
	if !ok {
		return nil, &driver.Error{Op: "emulate " + arch.String(), Kind: driver.ErrUnavailable, Text: fmt.Sprintf("the chips are %v", Archs())}
	}
	return newDevice(c, o, compilePTX), nil
}

func newDevice(c chip, o Options, compile compiler) *Device {
	d := &Device{
		chip: c, options: o, compile: compile, space: memory.NewSpace(memoryBytes, o.Check),
		streams: map[driver.Stream]*stream{}, events: map[driver.Event]*event{}, modules: map[driver.Module]module{},
		functions: map[driver.Function]*function{}, graphs: map[driver.Graph]*graph{}, pinned: map[*byte]int{},
		promised: map[driver.Ptr]int64{}, launches: map[string]*KernelCounters{},
	}
	d.streams[0] = &stream{device: d}
	return d
}

// lastHandle numbers the objects of all devices, so that a handle of another
// device is not known.
var lastHandle atomic.Uint64

func newHandle[H ~uint64]() H { return H(lastHandle.Add(1)) }

// Name, such as "emulated sm_120".
func (d *Device) Name() string { return "emulated " + d.chip.arch.String() }

// Arch returns the compute capability.
func (d *Device) Arch() driver.Arch { return d.chip.arch }

// Version is 0: results do not depend on a compiler.
func (d *Device) Version() int { return 0 }

// Multiprocessors returns the number that the chip has. Blocks are spread over the
// cores of the host.
func (d *Device) Multiprocessors() int { return d.chip.multiprocessors }

// MemoryInfo implements driver.Device.
func (d *Device) MemoryInfo() (free, total int64, err error) {
	if err := d.enter("ask for memory"); err != nil {
		return 0, 0, err
	}
	defer d.mu.Unlock()
	free, total = d.space.Info()
	return free, total, nil
}

// enter locks the device for a call, or says that it is closed.
func (d *Device) enter(op string) error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return closed(op)
	}
	return nil
}

// begin is enter for calls that a fault on the device ends.
func (d *Device) begin(op string) error {
	if err := d.enter(op); err != nil {
		return err
	}
	if d.fault != nil {
		d.mu.Unlock()
		return d.fault
	}
	return nil
}

// fail notes that work failed.
func (d *Device) fail(op string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault == nil {
		d.fault = failure(op, driver.ErrFault, err)
	}
}

// works reports whether work is still to be done.
func (d *Device) works() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.closed && d.fault == nil
}

// Close throws away what is left in the streams and waits for the work that is
// being done. Closing twice is an error.
func (d *Device) Close() error {
	if err := d.enter("close device"); err != nil {
		return err
	}
	d.closed = true
	for _, s := range d.streams {
		s.want(s.given) // whoever waits for an event gets an answer
	}
	d.mu.Unlock()
	d.active.Wait()
	return nil
}
