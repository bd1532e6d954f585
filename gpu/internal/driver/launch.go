package driver

// MaxParams is the largest size of a kernel's parameters, in units of 8 bytes.
const MaxParams = 64

// mapAlign is the alignment of a tensor map among the parameters, in the same units.
const mapAlign = 8

// Launch is one start of a kernel. It is passed by value, so that starting a
// kernel needs no heap.
type Launch struct {
	Function Function
	Grid     [3]uint32 // blocks
	Block    [3]uint32 // threads per block
	Shared   uint32    // bytes of dynamic shared memory
	Stream   Stream
	// Overlap lets the kernel start before the launch just before it in the stream
	// has ended. Such a kernel orders itself: it waits inside (griddepcontrol.wait)
	// before it touches what that launch or an earlier one may still read or write.
	// For no other kernels, and only where what comes just before in the stream is a
	// launch. A device may ignore it.
	Overlap bool
	// Params holds the kernel's parameters as they lie in memory, 8*Count bytes:
	// pointers and 64-bit integers take one place each, a tensor map 16 of them.
	Params [MaxParams]uint64
	Count  int
	// Numbers is how many parameters of 8 bytes come before tensor maps, at most 7
	// places of padding before these; 0 if there are no maps. A chip may place maps
	// otherwise: its device needs to know where each is here.
	Numbers int
}

// Push appends a parameter. Beyond MaxParams only Count grows, which Launch
// refuses.
func (l *Launch) Push(v uint64) {
	if l.Count < MaxParams {
		l.Params[l.Count] = v
	}
	l.Count++
}

// PushMap appends a tensor map of EncodeTensorMap at the next multiple of 64 bytes.
func (l *Launch) PushMap(m [TensorMapWords]uint64) {
	if l.Numbers == 0 {
		l.Numbers = l.Count
	}
	for l.Count%mapAlign != 0 {
		l.Push(0)
	}
	for _, v := range m {
		l.Push(v)
	}
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
