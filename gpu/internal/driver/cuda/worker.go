//go:build cuda && cgo

package cuda

import (
	"runtime"

	"blockfp8/gpu/internal/driver"
	"gorgonia.org/cu"
)

// worker runs calls of gorgonia.org/cu on one thread with the context current.
type worker struct {
	calls chan call
	done  chan struct{}
}

type call struct {
	run    func() error
	result chan<- error
}

// startWorker returns a worker whose thread has the context current.
func startWorker(ctx cu.CUContext) (*worker, error) {
	w := &worker{calls: make(chan call), done: make(chan struct{})}
	started := make(chan error, 1)
	go w.loop(ctx, started)
	if err := <-started; err != nil {
		return nil, failure("make the context current", err)
	}
	return w, nil
}

// loop never unlocks the thread: it ends with the goroutine, and the context
// that is current on it goes to no other.
func (w *worker) loop(ctx cu.CUContext, started chan<- error) {
	runtime.LockOSThread()
	err := cu.SetCurrentContext(ctx)
	started <- err
	if err != nil {
		return
	}
	for {
		select {
		case c := <-w.calls:
			c.result <- c.run()
		case <-w.done:
			return
		}
	}
}

// do runs f on the thread and returns its error as a *driver.Error.
func (w *worker) do(op string, f func() error) error {
	result := make(chan error, 1)
	select {
	case w.calls <- call{f, result}:
		return failure(op, <-result)
	case <-w.done:
		return &driver.Error{Op: op, Kind: driver.ErrUnavailable, Text: "the device was closed"}
	}
}

func (w *worker) stop() { close(w.done) }
