package gpu

import "sync"

// ordering says what a kernel writes, and so what may start after it.
type ordering uint8

const (
	// writesScales: the kernel may write scales that multiplications take for a
	// weight's. What comes after it starts when it has ended.
	writesScales ordering = iota
	// writesResults: it writes activations, their scales or results only, so what
	// comes after it may start before it has ended, see order.
	writesResults
	// waitsInside: the same, and the kernel itself may start before what is before it
	// has ended: until it has executed griddepcontrol.wait it reads nothing but codes
	// and scales of weights, and writes nothing.
	waitsInside
)

// order knows whether the last thing that a stream was given is a launch after which
// a kernel may start early (driver.Launch.Overlap): as soon as every block of that
// launch has begun and let it (griddepcontrol.launch_dependents) or ended.
//
// Take a run of launches of which each directly follows the one before in one stream,
// the first in the ordinary way and the others early. Why they give the bits of
// launches in a row:
//
//   - Before it waits, a kernel reads weights alone. The first of the run starts when
//     all that the stream was given before it has ended, and no other starts before the
//     first has. So an upcast, a copy or an event before the run has ended for all
//     of it. Nothing in the run writes weights: those kernels are writesScales, and
//     what follows them starts in the ordinary way.
//   - What else a kernel reads, and all that it writes, comes after its wait, which
//     lasts until the launch just before it has ended and what it wrote can be seen.
//     That one cannot have ended without having waited for the one before it, and so
//     on to the first. The first has no wait to rely on and needs none.
//   - What follows the run in the ordinary way starts when the last launch has ended,
//     and then all have.
//
// Weights do not change in place: Update makes new ones in other memory and waits,
// on the host, until they are there before a launch can take them; the old ones are
// freed after an event in each stream has come, which is after the launches before
// it. Memory of a stream's own order (allocAsync) is no launch and ends a run.
//
// A run does not cross the borders of a graph: the first launch of a capture, and
// the first after it, start in the ordinary way, and a graph as a whole is no launch.
// In a stream of another library nothing starts early: what else that library gives it
// is not known here. Nor is what other libraries do with Stream.Handle; what they
// start in the ordinary way is waited for by the second point, and it is theirs not to
// write weights.
type order struct {
	mu     sync.Mutex
	others int  // things that are no launches and that are being given now
	early  bool // the last thing given was a launch that another may overlap
}

// begin is called before the stream is given anything but a launch, end after. What is
// launched in between by others starts in the ordinary way: who is first is not known.
func (o *order) begin() {
	o.mu.Lock()
	o.others++
	o.mu.Unlock()
}

func (o *order) end() {
	o.mu.Lock()
	o.others--
	o.early = false
	o.mu.Unlock()
}
