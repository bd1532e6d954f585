package driver

// MaxParams is the largest number of parameters of a kernel.
const MaxParams = 32

// Launch is one start of a kernel. It is passed by value, so that starting a
// kernel needs no heap.
type Launch struct {
	Function Function
	Grid     [3]uint32 // blocks
	Block    [3]uint32 // threads per block
	Shared   uint32    // bytes of dynamic shared memory
	Stream   Stream
	// Params holds the kernel's Count parameters, each of which has 8 bytes:
	// pointers and 64-bit integers.
	Params [MaxParams]uint64
	Count  int
}

// Push appends a parameter. Beyond MaxParams only Count grows, which Launch
// refuses.
func (l *Launch) Push(v uint64) {
	if l.Count < MaxParams {
		l.Params[l.Count] = v
	}
	l.Count++
}

// Check tells whether a launch can be given to a device: a *Error wrapping
// ErrLaunch otherwise.
func (l *Launch) Check() error {
	switch {
	case l.Function == 0:
		return launchError("no function")
	case l.Count < 0 || l.Count > MaxParams:
		return launchError("too many parameters")
	case l.Grid[0] == 0 || l.Grid[1] == 0 || l.Grid[2] == 0:
		return launchError("an empty grid")
	case l.Block[0] == 0 || l.Block[1] == 0 || l.Block[2] == 0:
		return launchError("an empty block")
	}
	return nil
}

func launchError(text string) error {
	return &Error{Op: "launch", Kind: ErrLaunch, Text: text}
}
